/* SPDX-License-Identifier: MIT */
/* Colliders on bones on the device against the CPU's, beside a world's and without, left out and at a level of detail,
 * through changes and far from the origin; and beside bodies that have none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "host/reduced/solver.h"
#include "tests/support/bone_colliders.h"
#include "tests/support/gpu_colliders.h"

enum { FRAMES = 20, OWN_COUNT = 3 };

/* A floor under half of the bar, a ball and a capsule that it sags onto, of its last bone. */
static void place_own(const sn_model *model, sn_bone_collider own[OWN_COUNT])
{
    const double low = lowest(model), place[3] = {0.35, low - 0.16, 0};
    own[0] = sn_test_ball_on_bone(model->counts.bone_count - 1, 0.15, place);
    own[1] = own[2] = own[0];
    own[1].shape = SN_COLLIDER_CAPSULE;
    own[1].half_height = 0.2F;
    own[1].transform[3] = -0.3F;
    own[2].shape = SN_COLLIDER_PLANE;
    own[2].transform[7] = (float)(low - 0.02);
}

typedef struct couple {
    sn_reduced_solver *solver;
    sn_reduced_body *twin;
    sn_model model;
    sn_bone_collider own[OWN_COUNT];
    int body, iterations, twin_iterations, pressing_own, pressing;
    double worst;
} couple;

/* Of a model on the device. */
static void add_couple(sn_gpu_reduced *reduced, int index, const sn_solver_desc *desc, const double *pose, couple *c)
{
    const sn_reduced_desc twin = sn_reduced_desc_from_solver(desc);
    c->body = add(reduced, index, desc, pose);
    assert_int_equal(sn_reduced_solver_create(&c->model, &twin, &c->solver), SN_OK);
    assert_int_equal(sn_reduced_body_create(c->solver, pose, &c->twin), SN_OK);
}

/* Returns the model on the device. */
static int open_model(sn_gpu_reduced *reduced, int number, couple *c)
{
    int index = -1;
    *c = (couple){.body = -1};
    place_own(fixtures[number].model, c->own);
    c->model = sn_test_with_bone_colliders(fixtures[number].model, c->own, OWN_COUNT, -0.4);
    assert_int_equal(sn_gpu_reduced_add_model(reduced, &c->model, &index), SN_OK);
    return index;
}

static void open_couple(sn_gpu_reduced *reduced, int number, const sn_solver_desc *desc, couple *c)
{
    double pose[12 * BONE_LIMIT];
    int index = open_model(reduced, number, c);
    if (desc->mode_count > 0) {
        assert_int_equal(
            sn_gpu_reduced_add_level(reduced, index, &c->model, desc->mode_count, desc->cluster_level, &index), SN_OK);
    }
    swing(&c->model, 0, 0, pose);
    add_couple(reduced, index, desc, pose, c);
}

/* Of the model without any. */
static void open_plain(sn_gpu_reduced *reduced, int number, const sn_solver_desc *desc, couple *c)
{
    double pose[12 * BONE_LIMIT];
    *c = (couple){.model = *fixtures[number].model};
    swing(&c->model, 0, 0, pose);
    add_couple(reduced, number, desc, pose, c);
}

static void close_couple(couple *c)
{
    sn_reduced_body_destroy(&c->twin);
    sn_reduced_solver_destroy(&c->solver);
    if (c->model.bone_collider_count > 0) {
        free((void *)(uintptr_t)c->model.sample_clearances);
    }
}

static void set(sn_gpu_reduced *reduced, couple *c, int frame, const sn_surroundings *around, double *pose)
{
    swing(&c->model, frame, 0, pose);
    sn_gpu_reduced_set_surroundings(reduced, c->body, around);
    sn_gpu_reduced_set_pose(reduced, c->body, pose);
}

static void compare(sn_gpu_reduced *reduced, couple *c, const sn_surroundings *around, const double *pose)
{
    static body_result result;
    double modes[12 * MODE_LIMIT];
    read_body(reduced, c->body, &result);
    const sn_reduced_report report = sn_reduced_body_step(c->twin, pose, around);
    sn_reduced_body_mode_transforms(c->twin, 1, modes);
    double still[12 * BONE_LIMIT]; /* flesh alone: floats hold no pose that is far away */
    for (int b = 0; b < c->model.counts.bone_count; ++b) {
        sn_affine_identity(still + 12 * b);
    }
    for (int i = 0; i < 12 * c->model.counts.bone_count; ++i) {
        assert_true(result.matrices[i] == (float)pose[i]);
        result.matrices[i] = (float)still[i];
    }
    c->worst = fmax(c->worst, distance_of(&c->model, result.matrices, still, modes));
    c->iterations += result.reading.iteration_count;
    c->twin_iterations += report.iteration_count;
    assert_int_equal(result.reading.recovery_count, 0);
    for (int i = 0; i < c->twin->contacts.count; ++i) {
        const sn_contact *contact = &c->twin->contacts.contacts[i];
        const bool is_pressing = contact->force[0] != 0 || contact->force[1] != 0 || contact->force[2] != 0;
        c->pressing_own += is_pressing && contact->collider < c->solver->own_count;
        c->pressing += is_pressing;
    }
}

static void expect_twins(sn_gpu_device *device, const couple *c, const char *name, bool is_own, bool is_around)
{
    const int allowed = sn_gpu_device_is_software(device) ? c->twin_iterations / 50 + 1 : c->twin_iterations / 10;
    print_message("%s: %d iterations, %d on the CPU; %.1e of the height; %d forces of bones', %d in all\n", name,
                  c->iterations, c->twin_iterations, c->worst, c->pressing_own, c->pressing);
    assert_in_range(c->iterations, c->twin_iterations - allowed, c->twin_iterations + allowed);
    assert_true(c->worst <= (sn_gpu_device_is_software(device) ? 1e-5 : 5e-5));
    assert_true((c->pressing_own > 0) == is_own && (c->pressing > c->pressing_own) == is_around);
}

/* Of all models, each beside its like that leaves them out and one that has none: all as their twins. Every second is
 * in a world with colliders. */
static void as_on_the_cpu(void **state)
{
    for (int number = 0; number < FIXTURE_COUNT; ++number) {
        const bool is_around = number % 2;
        sn_solver_desc desc = heavy_desc();
        sn_gpu_reduced *reduced = create(*state, NULL);
        couple with, without, plain;
        char name[64];
        open_couple(reduced, number, &desc, &with);
        desc.is_without_bone_colliders = true;
        open_couple(reduced, number, &desc, &without);
        open_plain(reduced, number, &desc, &plain);
        sn_collider colliders[4];
        place_colliders(&with.model, NULL, colliders);
        const sn_surroundings around = {.collider_count = is_around ? 4 : 0, .colliders = colliders};
        for (int frame = 0; frame < FRAMES; ++frame) {
            double pose[12 * BONE_LIMIT];
            set(reduced, &with, frame, &around, pose);
            set(reduced, &without, frame, &around, pose);
            set(reduced, &plain, frame, &around, pose);
            run(*state, reduced, true, 1);
            compare(reduced, &with, &around, pose);
            compare(reduced, &without, &around, pose);
            compare(reduced, &plain, &around, pose);
        }
        snprintf(name, sizeof name, "model %d, %d colliders", number, around.collider_count);
        expect_twins(*state, &with, name, true, is_around);
        expect_twins(*state, &without, "  left out", false, is_around);
        expect_twins(*state, &plain, "  of a model that has none", false, is_around);
        close_couple(&with);
        close_couple(&without);
        close_couple(&plain);
        sn_gpu_reduced_destroy(&reduced);
    }
}

static void at_a_level_of_detail(void **state)
{
    sn_solver_desc desc = heavy_desc();
    desc.mode_count = 6;
    sn_gpu_reduced *reduced = create(*state, NULL);
    couple c;
    open_couple(reduced, 3, &desc, &c);
    for (int frame = 0; frame < FRAMES; ++frame) {
        double pose[12 * BONE_LIMIT];
        set(reduced, &c, frame, NULL, pose);
        run(*state, reduced, true, 1);
        compare(reduced, &c, NULL, pose);
    }
    expect_twins(*state, &c, "six modes", true, false);
    close_couple(&c);
    sn_gpu_reduced_destroy(&reduced);
}

/* A thousand model units away, about as many times the body's size: places there are rounded to 6e-5. */
static void far_from_the_origin(void **state)
{
    const sn_solver_desc desc = heavy_desc();
    sn_gpu_reduced *reduced = create(*state, NULL);
    double pose[12 * BONE_LIMIT];
    couple c;
    const int index = open_model(reduced, 1, &c);
    for (int frame = 0; frame < FRAMES; ++frame) {
        swing(&c.model, frame, 0, pose);
        for (int b = 0; b < c.model.counts.bone_count; ++b) {
            pose[12 * b + 3] += 1000;
            pose[12 * b + 11] -= 1000;
        }
        if (frame == 0) {
            add_couple(reduced, index, &desc, pose, &c);
        }
        sn_gpu_reduced_set_pose(reduced, c.body, pose);
        run(*state, reduced, true, 1);
        compare(reduced, &c, NULL, pose);
    }
    expect_twins(*state, &c, "far away", true, false);
    close_couple(&c);
    sn_gpu_reduced_destroy(&reduced);
}

/* At rest every sample lies behind all of them: as many contacts as may be idle, and those of a floor. */
static void leave_room_for_a_floor(void **state)
{
    sn_solver_desc desc = heavy_desc();
    sn_gpu_reduced *reduced = create(*state, NULL);
    double pose[12 * BONE_LIMIT];
    int index = -1, most = 0;
    couple c = {.body = -1};
    for (int i = 0; i < OWN_COUNT; ++i) {
        c.own[i] = sn_test_wall_on_bone(0, 2 + 0.1 * i);
    }
    c.model = sn_test_with_bone_colliders(fixtures[0].model, c.own, OWN_COUNT, -1e9);
    assert_int_equal(sn_gpu_reduced_add_model(reduced, &c.model, &index), SN_OK);
    desc.gravity[1] = -0.3;
    sn_affine_identity(pose);
    add_couple(reduced, index, &desc, pose, &c);
    const sn_collider ground = collider_at(SN_COLLIDER_PLANE, 0, lowest(&c.model) - 0.0003, 0);
    const sn_surroundings around = {.collider_count = 1, .colliders = &ground};
    for (int frame = 0; frame < FRAMES; ++frame) {
        sn_gpu_reduced_set_surroundings(reduced, c.body, &around);
        sn_gpu_reduced_set_pose(reduced, c.body, pose);
        run(*state, reduced, true, 1);
        compare(reduced, &c, &around, pose);
        int own = 0;
        for (int i = 0; i < c.twin->contacts.count; ++i) {
            own += c.twin->contacts.contacts[i].collider < OWN_COUNT;
        }
        most = own > most ? own : most;
    }
    print_message("%d samples, %d contacts of bones' at most\n", c.model.counts.sample_count, most);
    assert_in_range(most, SN_CONTACT_LIMIT / 2, SN_CONTACT_LIMIT - 1);
    expect_twins(*state, &c, "behind three planes, on a floor", c.pressing_own > 0, true);
    close_couple(&c);
    sn_gpu_reduced_destroy(&reduced);
}

/* ---- changes ---- */

/* The twin's other parameters. */
static void replace_solver(couple *c, const sn_solver_desc *desc)
{
    const sn_reduced_desc twin = sn_reduced_desc_from_solver(desc);
    sn_reduced_solver *before = c->solver;
    assert_int_equal(sn_reduced_solver_create(&c->model, &twin, &c->solver), SN_OK);
    sn_reduced_body_set_solver(c->twin, c->solver);
    sn_reduced_solver_destroy(&before);
}

static void remove_and_add(sn_gpu_reduced *reduced, couple *c, int index, const sn_solver_desc *desc, int frame)
{
    double pose[12 * BONE_LIMIT];
    swing(&c->model, frame, 0, pose);
    sn_gpu_reduced_remove_body(reduced, c->body);
    sn_reduced_body_destroy(&c->twin);
    sn_reduced_solver_destroy(&c->solver);
    add_couple(reduced, index, desc, pose, c);
}

/* Turned with all it has, left out and back, coarse, gone and new: all beside a body of the same model that is not. */
static void through_changes(void **state)
{
    enum { TURNED = 5, OUT = 9, IN = 13, COARSE = 17, GONE = 21, END = 26 };
    static const double turned[12] = {0, 0, 1, 0.2, 0, 1, 0, 0, -1, 0, 0, 0.1};
    sn_gpu_reduced *reduced = create(*state, NULL);
    sn_solver_desc desc = heavy_desc();
    couple c, other;
    int coarse = -1;
    const int index = open_model(reduced, 1, &c);
    double pose[12 * BONE_LIMIT], moved[12 * BONE_LIMIT];
    sn_collider colliders[4];
    place_colliders(&c.model, NULL, colliders);
    swing(&c.model, 0, 0, pose);
    assert_int_equal(sn_gpu_reduced_add_level(reduced, index, &c.model, 3, 0, &coarse), SN_OK);
    desc.is_without_bone_colliders = true; /* the first to feel them does so in flight */
    add_couple(reduced, index, &desc, pose, &c);
    desc.is_without_bone_colliders = false;
    open_couple(reduced, 1, &desc, &other);
    for (int frame = 0; frame < END; ++frame) {
        const sn_surroundings around = {.collider_count = frame % 8 < 4 ? 1 : 0, .colliders = colliders};
        if (frame == TURNED) {
            sn_gpu_reduced_teleport(reduced, c.body, turned);
            sn_reduced_body_teleport(c.twin, turned);
        }
        if (frame == 2 || frame == OUT || frame == IN) {
            desc.is_without_bone_colliders = frame == OUT;
            assert_int_equal(sn_gpu_reduced_set_parameters(reduced, c.body, &desc), SN_OK);
            replace_solver(&c, &desc);
        } else if (frame == COARSE) {
            sn_solver_desc fewer = desc;
            fewer.mode_count = 3;
            sn_gpu_reduced_set_level(reduced, c.body, coarse);
            replace_solver(&c, &fewer);
        } else if (frame == GONE) {
            remove_and_add(reduced, &c, index, &desc, frame);
        }
        const int own_before = c.pressing_own;
        set(reduced, &other, frame, &around, pose);
        set(reduced, &c, frame, &around, moved);
        for (int b = 0; b < c.model.counts.bone_count && frame >= TURNED && frame < GONE; ++b) {
            sn_affine_multiply(turned, pose + 12 * b, moved + 12 * b);
        }
        sn_gpu_reduced_set_pose(reduced, c.body, moved);
        run(*state, reduced, true, 1);
        compare(reduced, &other, &around, pose);
        compare(reduced, &c, &around, moved);
        assert_true(frame < OUT || frame >= IN || c.pressing_own == own_before);
        assert_true(frame != OUT - 1 || own_before > 0);
    }
    expect_twins(*state, &c, "changed", true, true);
    expect_twins(*state, &other, "  beside it", true, true);
    close_couple(&c);
    close_couple(&other);
    sn_gpu_reduced_destroy(&reduced);
}

int test_gpu_bone_colliders(void)
{
    const struct CMUnitTest tests[] = {SN_TEST_SHARED_GPU(as_on_the_cpu), SN_TEST_SHARED_GPU(at_a_level_of_detail),
                                       SN_TEST_SHARED_GPU(far_from_the_origin),
                                       SN_TEST_SHARED_GPU(leave_room_for_a_floor), SN_TEST_SHARED_GPU(through_changes)};
    return cmocka_run_group_tests(tests, cook_all, release_all);
}

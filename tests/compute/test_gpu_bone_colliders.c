/* SPDX-License-Identifier: MIT */
/* Colliders on bones on the device against the CPU's, beside a world's and without, left out and at a level of detail;
 * and beside bodies that have none. */
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

static sn_solver_desc heavy_desc(void)
{
    sn_solver_desc desc = default_desc();
    desc.gravity[1] = -9.81;
    desc.damping = 2;
    desc.stiffness = 0.5;
    desc.tolerance = 1e-5;
    desc.iteration_limit = 200;
    return desc;
}

typedef struct couple {
    sn_reduced_solver *solver;
    sn_reduced_body *twin;
    sn_model model;
    sn_bone_collider own[OWN_COUNT];
    int body, iterations, twin_iterations, pressing_own, pressing;
    double worst;
} couple;

static void open_couple(sn_gpu_reduced *reduced, int number, const sn_solver_desc *desc, couple *c)
{
    double pose[12 * BONE_LIMIT];
    int index = -1;
    const sn_reduced_desc twin = sn_reduced_desc_of(desc);
    *c = (couple){.body = -1};
    place_own(fixtures[number].model, c->own);
    c->model = sn_test_with_bone_colliders(fixtures[number].model, c->own, OWN_COUNT, -0.4);
    swing(&c->model, 0, 0, pose);
    assert_int_equal(sn_gpu_reduced_add_model(reduced, &c->model, &index), SN_OK);
    if (desc->mode_count > 0) {
        assert_int_equal(
            sn_gpu_reduced_add_level(reduced, index, &c->model, desc->mode_count, desc->cluster_level, &index), SN_OK);
    }
    c->body = add(reduced, index, desc, pose);
    assert_int_equal(sn_reduced_solver_create(&c->model, &twin, &c->solver), SN_OK);
    assert_int_equal(sn_reduced_body_create(c->solver, pose, &c->twin), SN_OK);
}

static void close_couple(couple *c)
{
    sn_reduced_body_destroy(&c->twin);
    sn_reduced_solver_destroy(&c->solver);
    free((void *)(uintptr_t)c->model.sample_clearances);
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
    c->worst = fmax(c->worst, distance_of(&c->model, result.matrices, pose, modes));
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
    assert_true(c->worst <= 5e-5);
    assert_true((c->pressing_own > 0) == is_own && (c->pressing > c->pressing_own) == is_around);
}

/* Of all models, each beside its like without: both as their twins. Every second is in a world with colliders. */
static void as_on_the_cpu(void **state)
{
    for (int number = 0; number < FIXTURE_COUNT; ++number) {
        const bool is_around = number % 2;
        sn_solver_desc desc = heavy_desc();
        sn_gpu_reduced *reduced = create(*state, NULL);
        couple with, without;
        char name[64];
        open_couple(reduced, number, &desc, &with);
        desc.is_without_bone_colliders = true;
        open_couple(reduced, number, &desc, &without);
        sn_collider colliders[4];
        place_colliders(&with.model, NULL, colliders);
        const sn_surroundings around = {.collider_count = is_around ? 4 : 0, .colliders = colliders};
        for (int frame = 0; frame < FRAMES; ++frame) {
            double pose[12 * BONE_LIMIT];
            set(reduced, &with, frame, &around, pose);
            set(reduced, &without, frame, &around, pose);
            run(*state, reduced, true, 1);
            compare(reduced, &with, &around, pose);
            compare(reduced, &without, &around, pose);
        }
        snprintf(name, sizeof name, "model %d, %d colliders", number, around.collider_count);
        expect_twins(*state, &with, name, true, is_around);
        expect_twins(*state, &without, "  left out", false, is_around);
        close_couple(&with);
        close_couple(&without);
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

int main(void)
{
    const struct CMUnitTest tests[] = {SN_TEST_SHARED_GPU(as_on_the_cpu), SN_TEST_SHARED_GPU(at_a_level_of_detail)};
    return cmocka_run_group_tests(tests, cook_all, release_all);
}

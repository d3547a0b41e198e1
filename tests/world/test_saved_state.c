/* SPDX-License-Identifier: MIT */
/* States for rollback: the steps after restoring give the bits that they gave after saving, and what does not fit is
 * refused and changes nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/count_allocations.h"
#include "tests/world/sprung_chain.h"

enum { BODIES = 3, FRAMES = 45 };

/* A world of bodies with flesh and spring bones, in wind, on a moving floor. */
typedef struct scene {
    sn_world_id world;
    sn_body_id bodies[BODIES];
    sn_collider_id floor;
    int grab;
} scene;

static sn_mat3x4 moved(double x, double y)
{
    return (sn_mat3x4){{{1, 0, 0, (float)x}, {0, 1, 0, (float)y}, {0, 0, 1, 0}}};
}

static scene make_scene(int workers)
{
    scene s = {.grab = -1};
    sn_world_desc world_desc = sn_default_world_desc();
    sn_collider_desc floor = sn_default_collider_desc();
    world_desc.worker_count = workers;
    world_desc.time_step = 1.0 / 40;
    assert_int_equal(sn_world_create(&world_desc, &s.world), SN_OK);
    floor.shape = SN_COLLIDER_SPHERE;
    floor.radius = 0.2;
    floor.transform = moved(0.2, -0.33);
    assert_int_equal(sn_collider_create(s.world, &floor, &s.floor), SN_OK);
    for (int i = 0; i < BODIES; ++i) {
        sn_body_desc desc = sn_default_body_desc();
        desc.model = i == 1 ? model : &sprung;
        desc.stiffness = 0.3;
        desc.gravity[1] = -4;
        desc.has_gravity_at_rest = i != 2;
        desc.wind[2] = 3;
        desc.spring_wind_area = 1;
        assert_int_equal(sn_body_create(s.world, &desc, &s.bodies[i]), SN_OK);
    }
    return s;
}

/* A frame whose duration is not a multiple of the step. */
static void step_frame(scene *s, int frame)
{
    static const double point[3] = {-0.4, 0.118, 0}, impulse[3] = {0.02, 0.03, 0};
    const sn_mat3x4 floor = moved(0.2, -0.33 + 0.01 * (frame % 7));
    assert_int_equal(sn_collider_set_transform(s->floor, &floor), SN_OK);
    for (int i = 0; i < BODIES; ++i) {
        const sn_mat3x4 pose = moved(0.02 * (frame % (5 + i)), 0.03 * ((frame + i) % 4));
        sn_body_set_rigid_pose(s->bodies[i], &pose);
    }
    if (frame % 3 == 2) {
        sn_body_apply_impulse(s->bodies[1], point, impulse);
    }
    if (frame == 3) {
        const sn_grab_desc grab = sn_default_grab_desc();
        s->grab = sn_body_grab(s->bodies[1], point, &grab);
        assert_true(s->grab >= 0);
    }
    if (frame > 3) {
        const double target[3] = {-0.4 + 0.01 * (frame % 9), 0.2, 0.05};
        sn_body_drag(s->bodies[1], s->grab, target);
    }
    sn_world_step(s->world, 0.0123 + 0.001 * (frame % 5));
}

static void run(scene *s, int first, int last, float *output)
{
    for (int frame = first; frame < last; ++frame) {
        step_frame(s, frame);
        for (int i = 0; i < BODIES; ++i, output += SIZE) {
            const sn_body_matrices out = sn_body_output(s->bodies[i]);
            memcpy(output, out.matrices, SIZE * sizeof *output);
        }
    }
}

/* Saves before frame `first`, runs on, goes back and runs again. Leaves the state as it was saved. */
static void repeat(scene *s, int first, void *saved, size_t size)
{
    static float once[FRAMES * BODIES * SIZE], again[FRAMES * BODIES * SIZE];
    const int allocations = allocation_count, grab = s->grab;
    assert_int_equal(sn_world_save_state(s->world, saved, size), SN_OK);
    run(s, first, first + FRAMES, once);
    assert_int_equal(sn_world_restore_state(s->world, saved, size), SN_OK);
    assert_int_equal(allocation_count, allocations);
    s->grab = grab;
    run(s, first, first + FRAMES, again);
    assert_memory_equal(once, again, sizeof once);
    assert_int_equal(sn_world_restore_state(s->world, saved, size), SN_OK);
    s->grab = grab;
}

static void worlds_repeat_to_the_bit(void **state)
{
    (void)state;
    static float once[FRAMES * BODIES * SIZE], elsewhere[FRAMES * BODIES * SIZE];
    scene s = make_scene(1), other = make_scene(2);
    const size_t size = sn_world_state_size(s.world);
    assert_true(size > 0 && size == sn_world_state_size(other.world));
    void *saved = malloc(size);
    assert_non_null(saved);
    for (int frame = 0; frame < 20; ++frame) { /* frames with and without steps, and the first steps */
        repeat(&s, frame, saved, size);
        run(&s, frame, frame + 1, once);
    }
    /* a world that was made in the same way continues it, on other threads */
    assert_int_equal(sn_world_save_state(s.world, saved, size), SN_OK);
    run(&s, 20, 20 + FRAMES, once);
    other.grab = s.grab;
    run(&other, 0, 7, elsewhere);
    assert_int_equal(sn_world_restore_state(other.world, saved, size), SN_OK);
    run(&other, 20, 20 + FRAMES, elsewhere);
    assert_memory_equal(once, elsewhere, sizeof once);
    free(saved);
    sn_world_destroy(s.world);
    sn_world_destroy(other.world);
}

/* Steps of whole duration, so that the world's remaining time, which is not the body's, stays 0. */
static void step_body(scene *s, int frame)
{
    const sn_mat3x4 pose = moved(0.02 * (frame % 5), 0.03 * (frame % 4));
    sn_body_set_rigid_pose(s->bodies[0], &pose);
    sn_world_step(s->world, 1.0 / 40);
}

static void bodies_repeat_to_the_bit(void **state)
{
    (void)state;
    scene s = make_scene(1);
    float once[SIZE], again[SIZE];
    for (int frame = 0; frame < 20; ++frame) {
        step_body(&s, frame);
    }
    const size_t size = sn_body_state_size(s.bodies[0]);
    uint8_t *saved = malloc(size + 1);
    assert_true(saved != NULL);
    assert_int_equal(sn_body_save_state(s.bodies[0], saved + 1, size), SN_OK); /* not aligned */
    for (int frame = 20; frame < 40; ++frame) {
        step_body(&s, frame);
    }
    memcpy(once, sn_body_output(s.bodies[0]).matrices, sizeof once);
    assert_int_equal(sn_body_restore_state(s.bodies[0], saved + 1, size), SN_OK);
    for (int frame = 20; frame < 40; ++frame) {
        step_body(&s, frame);
    }
    memcpy(again, sn_body_output(s.bodies[0]).matrices, sizeof again);
    assert_memory_equal(once, again, sizeof once);
    free(saved);
    sn_world_destroy(s.world);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    scene s = make_scene(1);
    float before[SIZE], after[SIZE];
    for (int frame = 0; frame < 5; ++frame) {
        step_frame(&s, frame);
    }
    const size_t size = sn_body_state_size(s.bodies[0]), world_size = sn_world_state_size(s.world);
    uint8_t *saved = malloc(size), *world = malloc(world_size);
    assert_int_equal(sn_body_save_state(s.bodies[0], saved, size), SN_OK);
    assert_int_equal(sn_world_save_state(s.world, world, world_size), SN_OK);
    memcpy(before, sn_body_output(s.bodies[0]).matrices, sizeof before);
    begin_log();
    assert_int_equal(sn_body_save_state(s.bodies[0], saved, size - 1), SN_ERROR_ARGUMENT);
    assert_one_error("body 1: its state has ");
    assert_int_equal(sn_body_save_state(s.bodies[0], NULL, size), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_body_restore_state(s.bodies[0], NULL, size), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_body_restore_state(s.bodies[0], saved, size - 1), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_body_restore_state(s.bodies[0], saved, 10), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_body_restore_state(s.bodies[0], world, world_size), SN_ERROR_FORMAT);
    begin_log();
    assert_int_equal(sn_body_restore_state(s.bodies[1], saved, size), SN_ERROR_ARGUMENT);
    assert_one_error("body 2: the saved state belongs to another model");
    for (size_t at = 0; at < size; at += 97) {
        saved[at] ^= 0x40;
        const sn_result result = sn_body_restore_state(s.bodies[0], saved, size);
        assert_true(result == SN_ERROR_FORMAT || result == SN_ERROR_ARGUMENT);
        saved[at] ^= 0x40;
    }
    assert_int_equal(sn_body_set_detail(s.bodies[0], MODES - 1, 0), SN_OK);
    begin_log();
    assert_int_equal(sn_body_restore_state(s.bodies[0], saved, size), SN_ERROR_ARGUMENT);
    assert_one_error("modes, the body");
    assert_int_equal(sn_body_set_detail(s.bodies[0], 0, 0), SN_OK);
    assert_int_equal(sn_body_restore_state(s.bodies[0], saved, size), SN_OK);
    memcpy(after, sn_body_output(s.bodies[0]).matrices, sizeof after);
    assert_memory_equal(before, after, sizeof before);
    begin_log();
    sn_body_destroy(s.bodies[2]);
    assert_int_equal(sn_world_restore_state(s.world, world, world_size), SN_ERROR_ARGUMENT);
    assert_one_error("it has 2 bodies and 1 colliders, and had 3 and 1");
    sn_body_desc desc = sn_default_body_desc();
    desc.model = &sprung;
    assert_int_equal(sn_body_create(s.world, &desc, &s.bodies[2]), SN_OK);
    begin_log();
    assert_int_equal(sn_world_restore_state(s.world, world, world_size), SN_ERROR_ARGUMENT);
    assert_one_error("body 3: it was created after the world's state was saved");
    free(saved);
    free(world);
    sn_world_destroy(s.world);
}

static void other_solvers_are_refused(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    sn_body_desc desc = sn_default_body_desc();
    sn_body_id body;
    uint8_t bytes[64];
    desc.model = model;
    desc.solver = SN_SOLVER_COUPLED;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    assert_int_equal(sn_body_state_size(body), 0);
    assert_int_equal(sn_world_state_size(world), 0);
    begin_log();
    assert_int_equal(sn_body_save_state(body, bytes, sizeof bytes), SN_ERROR_UNSUPPORTED);
    assert_one_error("body 1: only states of reduced bodies");
    assert_int_equal(sn_world_restore_state(world, bytes, sizeof bytes), SN_ERROR_UNSUPPORTED);
    sn_world_destroy(world);
}

int test_saved_state(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_repeat_to_the_bit), cmocka_unit_test(bodies_repeat_to_the_bit),
        cmocka_unit_test(what_does_not_fit_is_refused), cmocka_unit_test(other_solvers_are_refused)};
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    return cmocka_run_group_tests(tests, load_chain, unload);
}

/* SPDX-License-Identifier: MIT */
/* Colliders on bones in worlds: switched on and off in flight, the same bits with any number of threads, no allocation
 * in a step. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/bone_colliders.h"
#include "tests/support/count_allocations.h"
#include "tests/world/posed_bar.h"

enum { BODIES = 5, FRAMES = 40 };

static sn_bone_collider ball;
static sn_model shielded; /* the bar, with a ball below its end */

static int load_shielded(void **state)
{
    const double place[3] = {0.3, -0.118 - 0.21, 0};
    const int result = load(state);
    ball = sn_test_ball_on_bone(2, 0.2, place);
    shielded = sn_test_with_bone_colliders(model, &ball, 1, -1);
    return result;
}

static int unload_shielded(void **state)
{
    free((void *)(uintptr_t)shielded.sample_clearances);
    return unload(state);
}

static sn_body_desc heavy(bool is_without)
{
    sn_body_desc desc = sn_default_body_desc();
    desc.model = &shielded;
    desc.stiffness = 0.3;
    desc.gravity[1] = -9.81;
    desc.has_gravity_at_rest = true;
    desc.is_without_bone_colliders = is_without;
    return desc;
}

static sn_body_id make_of(sn_world_id world, const sn_body_desc *desc)
{
    sn_body_id body;
    assert_int_equal(sn_body_create(world, desc, &body), SN_OK);
    return body;
}

static sn_body_id make(sn_world_id world, bool is_without)
{
    const sn_body_desc desc = heavy(is_without);
    return make_of(world, &desc);
}

/* Every second body with them; in the second half the others. */
static void run(int workers, float *output)
{
    const sn_world_id world = make_world(workers);
    sn_body_id bodies[BODIES];
    for (int i = 0; i < BODIES; ++i) {
        bodies[i] = make(world, i % 2);
    }
    for (int frame = 0; frame < FRAMES; ++frame) {
        for (int i = 0; i < BODIES; ++i) {
            sn_mat3x4 bones[BONES];
            pose_at((frame + 3 * i) / 60.0, bones);
            sn_body_set_pose(bodies[i], bones, BONES);
            const sn_body_desc desc = heavy(i % 2 == 0);
            if (frame == FRAMES / 2) {
                assert_int_equal(sn_body_set_desc(bodies[i], &desc), SN_OK);
            }
        }
        assert_int_equal(sn_world_step(world, 1.0 / 60).recovery_count, 0);
    }
    for (int i = 0; i < BODIES; ++i) {
        copy_output(bodies[i], output + (size_t)i * 12 * (BONES + MODES));
    }
    sn_world_destroy(world);
}

static void same_bits_on_threads(void **state)
{
    (void)state;
    static float one[BODIES * 12 * (BONES + MODES)], more[BODIES * 12 * (BONES + MODES)];
    run(1, one);
    for (int workers = 2; workers <= 4; ++workers) {
        run(workers, more);
        assert_memory_equal(one, more, sizeof one);
    }
}

static double apart_from(sn_body_id body, sn_body_id other)
{
    float expected[12 * (BONES + MODES)];
    const sn_body_matrices out = sn_body_output(body);
    copy_output(other, expected);
    return difference(expected, &out);
}

/* Sags onto the ball, not so far that it would come out on the other side, and comes to rest. */
static sn_body_desc calm(bool is_without)
{
    sn_body_desc desc = heavy(is_without);
    desc.stiffness = 0.8;
    desc.damping = 6;
    return desc;
}

/* Without, with, without: until they are switched on as a body that never has them, to the bit; then it comes to rest
 * where a body does that always has them, and, once they are switched off, where the other does. */
static void switched_in_flight(void **state)
{
    enum { PHASE = 6 * FRAMES };
    (void)state;
    const sn_world_id world = make_world(1);
    const float friction = ball.friction;
    ball.friction = 0; /* which would keep flesh where it was first */
    const sn_body_desc on = calm(false), off = calm(true);
    const sn_body_id with = make_of(world, &on), without = make_of(world, &off), changed = make_of(world, &off);
    for (int frame = 0; frame < 3 * PHASE; ++frame) {
        const bool is_without = frame / PHASE != 1, is_end = frame % PHASE == PHASE - 1;
        assert_int_equal(sn_body_set_desc(changed, is_without ? &off : &on), SN_OK);
        sn_world_step(world, 1.0 / 60);
        const double from_with = apart_from(changed, with), from_without = apart_from(changed, without);
        assert_true(frame >= PHASE || from_without == 0);
        if (is_end) {
            print_message("%s: %.1e from with, %.1e from without\n", is_without ? "off" : "on", from_with,
                          from_without);
            assert_true(is_without ? from_with > 1e-3 : from_without > 1e-3);
            assert_true((is_without ? from_without : from_with) < 1e-5);
        }
    }
    ball.friction = friction;
    sn_world_destroy(world);
}

static void allocates_nothing(void **state)
{
    (void)state;
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    const sn_world_id world = make_world(1);
    const sn_body_id body = make(world, false);
    const sn_body_desc descs[] = {heavy(false), heavy(true)};
    assert_int_equal(sn_world_prepare(world, &descs[0]), SN_OK);
    assert_int_equal(sn_world_prepare(world, &descs[1]), SN_OK);
    sn_world_step(world, 1.0 / 60);
    const int before = allocation_count;
    for (int frame = 0; frame < FRAMES; ++frame) {
        assert_int_equal(sn_body_set_desc(body, &descs[frame / 5 % 2]), SN_OK);
        sn_world_step(world, 1.0 / 60);
    }
    assert_int_equal(allocation_count, before);
    sn_world_destroy(world);
    sn_set_allocator(NULL, NULL, NULL);
}

int test_world_bone_colliders(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits_on_threads), cmocka_unit_test(switched_in_flight),
                                       cmocka_unit_test(allocates_nothing)};
    return cmocka_run_group_tests(tests, load_shielded, unload_shielded);
}

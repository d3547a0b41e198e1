/* SPDX-License-Identifier: MIT */
/* What holds chains of spring bones in worlds: where they are held, how many can be, and until when. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/world/sprung_chain.h"

static double length(const double *a)
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/* Skin of a chain is held by it: what was taken comes to the hand, in reach; let go it goes back to where it rested. */
static void grabs_end_at_the_hand(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id body = make(world, false), other = make(world, false);
    const sn_grab_desc desc = sn_default_grab_desc();
    const double turned[3] = {-0.12, 0.1, 0.15};
    double taken[3], target[3], at[3];
    let(world, 2);
    carried(body, end, taken);
    const int grab = sn_body_grab(body, taken, &desc);
    assert_int_equal(grab, SN_GRAB_LIMIT);
    let(world, 0.5);
    carried(body, end, at);
    for (int d = 0; d < 3; ++d) {
        assert_true(fabs(at[d] - taken[d]) < 2e-3); /* it stays until it is dragged */
        target[d] = taken[d] + turned[d];
    }
    sn_body_drag(body, grab, target);
    let(world, 2);
    carried(body, end, at);
    for (int d = 0; d < 3; ++d) {
        assert_true(fabs(at[d] - target[d]) < 2e-3);
    }
    sn_body_drag(body, grab, (double[3]){NAN, 0, 0});
    sn_body_drag(body, grab, (double[3]){0, 0, 1e6}); /* no more than it reaches */
    let(world, 2);
    carried(body, end, at);
    assert_true(at[2] > 0.2 && length(at) < 0.6);
    sn_body_release(body, grab);
    let(world, 6);
    assert_true(bones_apart(body, other) < 1e-3);
    sn_world_destroy(world);
}

/* A point of the bind pose as a joint carries it that is turned in the bar's plane, as are those above it. */
static void turned_point(const double *point, int joint, const double *angles, double *result)
{
    memcpy(result, point, 3 * sizeof *point);
    for (; joint >= 0; --joint) {
        const double turn = angles[joint] - (joint > 0 ? angles[joint - 1] : 0);
        const double x = result[0] - (double)joints[joint].head[0], y = result[1] - (double)joints[joint].head[1];
        result[0] = (double)joints[joint].head[0] + x * cos(turn) - y * sin(turn);
        result[1] = (double)joints[joint].head[1] + x * sin(turn) + y * cos(turn);
    }
}

/* Two points of one chain are at their hands, and it does not matter which was taken first. */
static void two_points_are_held(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_grab_desc desc = sn_default_grab_desc();
    const double middle[3] = {0.14, 0, 0};
    double targets[2][3], at[3];
    sn_body_id bodies[2];
    turned_point(middle, 0, (const double[2]){0.3, -0.4}, targets[0]);
    turned_point(end, 1, (const double[2]){0.3, -0.4}, targets[1]);
    for (int i = 0; i < 2; ++i) {
        bodies[i] = make(world, false);
        for (int k = 0; k < 2; ++k) {
            const bool is_middle = k == i;
            double taken[3];
            carried_by(bodies[i], is_middle ? BONES - 2 : BONES - 1, is_middle ? middle : end, taken);
            const int grab = sn_body_grab(bodies[i], taken, &desc);
            assert_int_equal(grab, SN_GRAB_LIMIT + k);
            sn_body_drag(bodies[i], grab, targets[is_middle ? 0 : 1]);
        }
    }
    let(world, 2);
    for (int k = 0; k < 2; ++k) {
        carried_by(bodies[0], BONES - 2 + k, k ? end : middle, at);
        assert_true(hypot(at[0] - targets[k][0], at[1] - targets[k][1]) + fabs(at[2] - targets[k][2]) < 2e-3);
    }
    assert_true(bones_apart(bodies[0], bodies[1]) == 0);
    sn_world_destroy(world);
}

static void grabs_are_counted(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id body = make(world, false), other = make(world, false);
    sn_grab_desc desc = sn_default_grab_desc();
    const double far[3] = {3, 0, 0}, root[3] = {-0.47, 0.1, 0};
    const sn_mat3x4 away = {{{1, 0, 0, 5}, {0, 1, 0, -3}, {0, 0, 1, 7}}};
    double taken[3], at[3];
    carried(body, end, taken);
    desc.max_distance = 0.2;
    assert_int_equal(sn_body_grab(body, far, &desc), -1);
    for (int i = 0; i < SN_GRAB_LIMIT; ++i) {
        assert_int_equal(sn_body_grab(body, taken, &desc), SN_GRAB_LIMIT + i);
    }
    assert_int_equal(sn_body_grab(body, taken, &desc), -1);
    const int flesh = sn_body_grab(body, root, &desc);
    assert_true(flesh >= 0 && flesh < SN_GRAB_LIMIT);
    sn_body_release(body, flesh);
    for (int i = 1; i < SN_GRAB_LIMIT; ++i) {
        sn_body_release(body, SN_GRAB_LIMIT + i);
    }
    sn_body_drag(body, SN_GRAB_LIMIT, (double[3]){taken[0] - 0.05, taken[1] + 0.2, taken[2]});
    let(world, 2);
    sn_body_teleport(body, &away);
    sn_body_set_rigid_pose(body, &away);
    let(world, 1);
    carried(body, end, at);
    assert_true(fabs(at[0] - 5 - taken[0] + 0.05) + fabs(at[1] + 3 - taken[1] - 0.2) + fabs(at[2] - 7) < 5e-3);
    sn_body_reset(body); /* releases it */
    sn_body_set_rigid_pose(other, &away);
    sn_body_reset(other);
    let(world, 1);
    assert_true(bones_apart(body, other) < 1e-6);
    sn_world_destroy(world);
}

/* A hand that goes on while a chain is off holds it as it comes on again: without a jump, and nobody else's grab. */
static void grabs_last_over_a_fade(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id body = make(world, false), off = make(world, true), other = make(world, false);
    const sn_grab_desc desc = sn_default_grab_desc();
    float shown[SIZE], last[SIZE];
    double target[3], at[3], largest = 0, way = 0;
    let(world, 1);
    carried(body, end, target);
    const int grab = sn_body_grab(body, target, &desc);
    turned_point(end, 1, (const double[2]){0.3, -0.4}, target);
    sn_body_drag(body, grab, target);
    let(world, 1);
    way = bones_apart(body, off);
    copy_output(body, last);
    for (int frame = 0; frame < 120; ++frame) {
        if (frame % 60 == 0) {
            turn(body, frame == 0);
        }
        if (frame == 30) {
            assert_true(bones_apart(body, off) == 0);
            turned_point(end, 1, (const double[2]){-0.3, 0.2}, target);
            sn_body_drag(body, grab, target);
        }
        let(world, 1.0 / 60);
        copy_output(body, shown);
        largest = fmax(largest, apart(shown, last));
        memcpy(last, shown, sizeof last);
    }
    carried(body, end, at);
    assert_true(hypot(at[0] - target[0], at[1] - target[1]) + fabs(at[2]) < 2e-3);
    way = fmax(way, bones_apart(body, off));
    assert_true(largest > 0 && largest < 0.15 * way);
    const int next = sn_body_grab(body, at, &desc);
    assert_int_equal(next, grab + 1);
    sn_body_release(body, next);
    sn_body_release(body, grab);
    let(world, 6);
    assert_true(bones_apart(body, other) < 1e-3);
    sn_world_destroy(world);
}

int test_world_chain_grabs(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grabs_end_at_the_hand),
        cmocka_unit_test(two_points_are_held),
        cmocka_unit_test(grabs_are_counted),
        cmocka_unit_test(grabs_last_over_a_fade),
    };
    return cmocka_run_group_tests(tests, load_chain, unload);
}

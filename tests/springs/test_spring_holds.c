/* SPDX-License-Identifier: MIT */
/* What holds chains, and hits them: it does not matter what is drawn meanwhile, and nothing but a release lets go. */
#include "tests/springs/spring_test.h"

#define JOINTS 8
#define SIZE (12 * (JOINTS + 2))

static const motion still = {0};
static const sn_spring_link link_values = {.stiffness = 0.4, .drag = 0.3, .gravity = {0, -0.5, 0}};

/* Eight joints of a tenth of a metre; with_branch: the last three hang from the third, beside the others. */
static void open_chain(chain *c, bool with_branch, double time_step)
{
    chain_build(c, JOINTS, (const double[3]){0.1, 0, 0}, &link_values, 1);
    if (with_branch) {
        for (int i = 5; i < JOINTS; ++i) {
            for (int d = 0; d < 3; ++d) {
                const double down = d == 1 ? -0.1 : 0;
                c->joints[i].head[d] = c->joints[2].tail[d] + (float)((i - 5) * down);
                c->joints[i].tail[d] = c->joints[i].head[d] + (float)down;
            }
        }
        c->joints[5].parent = 2;
    }
    chain_open(c, time_step);
}

static void step(chain *c, double *posed)
{
    chain_step(c, &still, 0, posed);
}

static void let(chain *c, int steps, double *posed)
{
    for (int i = 0; i < steps; ++i) {
        step(c, posed);
    }
}

/* Holds a joint by its tail, and drags it by a way. */
static int pull(chain *c, int joint, const double *posed, const double *way, double *target)
{
    double tail[3];
    chain_tail(c, joint, posed, tail);
    const int grab = sn_springs_grab(c->springs, joint, posed, tail);
    assert_true(grab >= 0);
    for (int d = 0; d < 3; ++d) {
        target[d] = tail[d] + way[d];
    }
    sn_springs_drag(c->springs, grab, target);
    return grab;
}

static double tail_to(const chain *c, int joint, const double *posed, const double *target)
{
    double tail[3];
    chain_tail(c, joint, posed, tail);
    return sn_distance3(tail, target);
}

/* Above and below on one chain, and on two that part: all are at their hands, whichever was taken first. */
static void several_are_held(void **state)
{
    (void)state;
    const double ways[3][3] = {{-0.02, 0.03, 0.05}, {-0.06, 0.09, 0.02}, {-0.1, 0.14, 0.05}};
    const int held[2][3] = {{2, 5, 7}, {1, 4, 7}};
    for (int i = 0; i < 4; ++i) {
        const int *joints = held[i / 2];
        double posed[SIZE], targets[3][3];
        chain c;
        open_chain(&c, i / 2 == 1, 1.0 / 60);
        let(&c, 120, posed);
        for (int k = 0; k < 3; ++k) {
            const int which = i % 2 == 0 ? k : 2 - k;
            pull(&c, joints[which], posed, ways[which], targets[which]);
        }
        let(&c, 120, posed);
        for (int k = 0; k < 3; ++k) {
            const double off = tail_to(&c, joints[k], posed, targets[k]);
            if (!(off < 2e-3)) {
                fail_msg("case %d: joint %d is %g off", i, joints[k], off);
            }
        }
        chain_close(&c);
    }
}

/* Two of one joint hold it in the middle. */
static void one_joint_is_held_twice(void **state)
{
    (void)state;
    double posed[SIZE], a[3], b[3], middle[3];
    chain c;
    open_chain(&c, false, 1.0 / 60);
    let(&c, 120, posed);
    pull(&c, 5, posed, (const double[3]){0, 0.1, 0.05}, a);
    pull(&c, 5, posed, (const double[3]){0, 0.05, -0.1}, b);
    let(&c, 120, posed);
    for (int d = 0; d < 3; ++d) {
        middle[d] = (a[d] + b[d]) / 2;
    }
    assert_true(tail_to(&c, 5, posed, middle) < 1e-3);
    chain_close(&c);
}

/* One is drawn between steps, and hit; one is switched off and on before it is off; one is left alone: held off its
 * axis, all three have the same bits once they are seen as they are. */
static void drawing_changes_nothing(void **state)
{
    (void)state;
    double posed[3][SIZE], pose[SIZE], shown[SIZE];
    chain c[3];
    for (int i = 0; i < 3; ++i) {
        double point[3];
        open_chain(&c[i], false, 1.0 / 60);
        let(&c[i], 30, posed[i]);
        chain_tail(&c[i], 4, posed[i], point);
        point[1] += 0.08;
        const int grab = sn_springs_grab(c[i].springs, 4, posed[i], point);
        sn_springs_drag(c[i].springs, grab, (const double[3]){point[0] - 0.1, point[1], point[2] + 0.1});
    }
    chain_pose(&c[0], &still, pose);
    for (int frame = 0; frame < 60; ++frame) {
        sn_springs_interpolate(c[0].springs, 0.1 * (frame % 10), pose, shown);
        if (frame == 10 || frame == 20) {
            sn_springs_set_enabled(c[1].springs, pose, frame == 20);
        }
        for (int i = 0; i < 3; ++i) {
            if (frame == 15) {
                sn_springs_apply_impulse(c[i].springs, 6, 0.5, (const double[3]){0, 0, 0.01});
            }
            step(&c[i], posed[i]);
        }
        assert_memory_equal(posed[0], posed[2], sizeof posed[0]);
    }
    assert_memory_equal(posed[1], posed[2], sizeof posed[0]);
    for (int i = 0; i < 3; ++i) {
        chain_close(&c[i]);
    }
}

/* Off and on, and over a pose that no float has; a reset lets go. */
static void what_is_held_stays_held(void **state)
{
    (void)state;
    double posed[SIZE], pose[SIZE], large[SIZE], target[3], tail[3];
    chain c;
    open_chain(&c, false, 1.0 / 60);
    chain_pose(&c, &still, pose);
    let(&c, 120, posed);
    chain_tail(&c, 7, posed, tail);
    const int grab = pull(&c, 7, posed, (const double[3]){-0.1, 0.2, 0.1}, target);
    sn_springs_set_enabled(c.springs, pose, false);
    let(&c, 30, posed);
    assert_memory_equal(posed, pose, sizeof pose);
    target[2] += 0.05;
    sn_springs_drag(c.springs, grab, target);
    sn_springs_set_enabled(c.springs, pose, true);
    let(&c, 120, posed);
    assert_true(tail_to(&c, 7, posed, target) < 2e-3);
    for (int k = 0; k < 3; ++k) {
        const double sizes[] = {1e21, 1e37, 1e200};
        for (int i = 0; i < SIZE; ++i) {
            large[i] = sizes[k] * pose[i];
        }
        assert_false(sn_springs_step(c.springs, large, NULL, posed));
        let(&c, 120, posed);
        assert_true(tail_to(&c, 7, posed, target) < 2e-3);
    }
    assert_true(sn_springs_grab(c.springs, 7, posed, target) == grab + 1);
    sn_springs_reset(c.springs, pose);
    let(&c, 1, posed);
    assert_true(tail_to(&c, 7, posed, tail) < 1e-3);
    assert_true(sn_springs_grab(c.springs, 7, posed, target) == 0);
    chain_close(&c);
}

int test_spring_holds(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_are_held),
        cmocka_unit_test(one_joint_is_held_twice),
        cmocka_unit_test(drawing_changes_nothing),
        cmocka_unit_test(what_is_held_stays_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

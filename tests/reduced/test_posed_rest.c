/* SPDX-License-Identifier: MIT */
/* Flesh that rests in the rig's pose, not in the bind pose. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/one_bar.h"

static sn_flesh make(bool is_posed, bool is_double)
{
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.is_double = is_double;
    desc.tolerance = 0;
    desc.iteration_limit = 200;
    bar->is_posed = is_posed ? 1 : 0;
    return sn_flesh_make(bar, &desc, NULL);
}

/* Turned about z and moved. */
static void turn(double angle, double x, double y, double *pose)
{
    sn_affine_identity(pose);
    pose[0] = pose[5] = cos(angle);
    pose[1] = -sin(angle);
    pose[4] = sin(angle);
    pose[3] = x;
    pose[7] = y;
}

/* The bar curled up: flesh in the bind pose strains against that. */
static void curl(sn_flesh *f, double angle)
{
    for (int b = 0; b < 3; ++b) {
        turn(angle * b, 0, -0.1 * angle * b, f->pose + 12 * b);
    }
}

static void step(sn_flesh *f, int count)
{
    for (int i = 0; i < count; ++i) {
        assert_false(sn_reduced_body_step(f->body, f->pose, NULL).is_recovered);
    }
}

/* However far the rig goes from the bind pose, flesh in it neither moves nor stores anything. */
static void test_any_pose_is_a_fixed_point(void **state)
{
    (void)state;
    for (int is_double = 0; is_double < 2; ++is_double) {
        sn_flesh f = make(true, is_double == 1), bind = make(false, is_double == 1);
        for (int i = 1; i <= 4; ++i) {
            curl(&f, 0.4 * i);
            curl(&bind, 0.4 * i);
            sn_reduced_body_reset(f.body, f.pose);
            sn_reduced_body_reset(bind.body, bind.pose);
            step(&f, 30);
            step(&bind, 30);
            assert_true(sn_flesh_displacement(&f) < 1e-6);
            assert_true(sn_flesh_displacement(&bind) > 1e-3 * i);
            assert_true(fabs(sn_flesh_energy(&f)) < 1e-9 * bar->total_stiffness);
        }
        sn_flesh_finish(&f);
        sn_flesh_finish(&bind);
    }
}

/* Where the rig does not strain the flesh, there is no difference. */
static void test_rigid_motion_is_the_same(void **state)
{
    (void)state;
    sn_flesh f = make(true, true), bind = make(false, true);
    double pose[12], most = 0;
    for (int frame = 0; frame < 40; ++frame) {
        turn(0.8 * sin(0.3 * frame), 0.1 * sin(0.4 * frame), 0, pose);
        sn_flesh_set_pose(&f, pose);
        sn_flesh_set_pose(&bind, pose);
        step(&f, 1);
        step(&bind, 1);
        for (int i = 0; i < 3 * bar->counts.coordinate_count; ++i) {
            most = fmax(most, fabs(f.body->coordinates[i] - bind.body->coordinates[i]));
        }
    }
    assert_true(sn_flesh_displacement(&f) > 1e-3);
    assert_true(most < 1e-6 * sqrt(bar->total_mass));
    sn_flesh_finish(&f);
    sn_flesh_finish(&bind);
}

/* What is pushed off a curled pose comes back to it, and no energy comes of it. */
static void test_it_settles_to_the_pose(void **state)
{
    (void)state;
    sn_flesh f = make(true, true);
    curl(&f, 1);
    sn_reduced_body_reset(f.body, f.pose);
    const double point[3] = {1, 0, 0}, impulse[3] = {0.2, 0.5, 0.1};
    sn_reduced_body_apply_impulse(f.body, point, impulse);
    step(&f, 1);
    double before = sn_flesh_energy(&f);
    const double pushed = before;
    assert_true(sn_flesh_displacement(&f) > 1e-4);
    for (int frame = 0; frame < 600; ++frame) {
        step(&f, 1);
        const double energy = sn_flesh_energy(&f);
        assert_true(energy <= before * (1 + 1e-9) + 1e-12);
        before = energy;
    }
    assert_true(before < 0.05 * pushed);
    assert_true(sn_flesh_displacement(&f) < 0.05);
    sn_flesh_finish(&f);
}

/* The gradient of what a step makes least is that of finite differences. */
static void test_gradient(void **state)
{
    (void)state;
    enum { LIMIT = 3 * 4 * 8 };
    sn_flesh f = make(true, true);
    const int size = 3 * bar->counts.coordinate_count;
    double z[LIMIT], gradient[LIMIT], unused[LIMIT];
    assert_in_range(size, 1, LIMIT);
    curl(&f, 0.7);
    for (int i = 0; i < size; ++i) {
        z[i] = 0.02 * sin(i);
    }
    sn_reduced_body_objective(f.body, f.pose, z, gradient);
    double scale = 0;
    for (int i = 0; i < size; ++i) {
        scale = fmax(scale, fabs(gradient[i]));
    }
    for (int i = 0; i < size; ++i) {
        const double kept = z[i], by = 1e-5;
        z[i] = kept + by;
        const double above = sn_reduced_body_objective(f.body, f.pose, z, unused);
        z[i] = kept - by;
        const double below = sn_reduced_body_objective(f.body, f.pose, z, unused);
        z[i] = kept;
        assert_true(fabs((above - below) / (2 * by) - gradient[i]) < 1e-5 * scale);
    }
    sn_flesh_finish(&f);
}

/* Turning all of it turns what comes out; float follows double; every level of detail rests in the pose, too. */
static void test_turning_and_levels(void **state)
{
    (void)state;
    sn_flesh f = make(true, true), g = make(true, false);
    double quarter[12], most = 0, size = 0;
    turn(1.1, 0, 0, quarter);
    for (int frame = 0; frame < 30; ++frame) {
        curl(&f, 0.5 * sin(0.5 * frame));
        for (int b = 0; b < 3; ++b) {
            sn_affine_multiply(quarter, f.pose + 12 * b, g.pose + 12 * b);
        }
        if (frame == 0) {
            sn_reduced_body_reset(f.body, f.pose);
            sn_reduced_body_reset(g.body, g.pose);
        }
        step(&f, 1);
        step(&g, 1);
        for (int i = 0; i < 3 * bar->counts.coordinate_count; i += 3) {
            const double *a = f.body->coordinates + i, *b = g.body->coordinates + i;
            const double x = cos(1.1) * a[0] - sin(1.1) * a[1], y = sin(1.1) * a[0] + cos(1.1) * a[1];
            most = fmax(most, fmax(fabs(x - b[0]), fmax(fabs(y - b[1]), fabs(a[2] - b[2]))));
            size = fmax(size, fabs(a[0]) + fabs(a[1]));
        }
    }
    assert_true(most < 1e-3 * size);
    sn_flesh_finish(&f);
    sn_flesh_finish(&g);
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.mode_count = 5;
    desc.cluster_level = 1;
    g = sn_flesh_make(bar, &desc, NULL);
    curl(&g, 1.2);
    sn_reduced_body_reset(g.body, g.pose);
    step(&g, 30);
    assert_true(sn_flesh_displacement(&g) < 1e-6);
    sn_flesh_finish(&g);
}

int test_posed_rest(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_pose_is_a_fixed_point), cmocka_unit_test(test_rigid_motion_is_the_same),
        cmocka_unit_test(test_it_settles_to_the_pose),    cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_turning_and_levels),
    };
    return cmocka_run_group_tests(tests, cook_three_bones, release_bar);
}

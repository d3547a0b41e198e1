/* SPDX-License-Identifier: MIT */
/* Properties of the reduced step (spec, "Properties to test"), on a bar that needs no data. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/reduced/reduced_test.h"
#include "tests/support/count_allocations.h"

static void test_rest_is_a_fixed_point(void **state)
{
    (void)state;
    for (int is_double = 0; is_double < 2; ++is_double) {
        fixture f;
        sn_reduced_desc desc = sn_default_reduced_desc();
        desc.is_double = is_double;
        start(&f, &desc);
        double pose[12];
        sn_affine_identity(pose);
        for (int frame = 0; frame < 60; ++frame) {
            sn_reduced_body_step(f.body, pose, NULL);
        }
        assert_true(largest(displacement(&f), 3 * f.model->counts.vertex_count) < (is_double ? 1e-12 : 1e-6));
        stop(&f);
    }
}

static void test_still_rig_elsewhere_stays_still(void **state)
{
    (void)state;
    fixture f;
    const sn_reduced_desc desc = sn_default_reduced_desc();
    start(&f, &desc);
    double pose[12];
    rotate_about_z(2.1, 500, pose);
    sn_reduced_body_destroy(&f.body);
    assert_int_equal(sn_reduced_body_create(f.solver, pose, &f.body), SN_OK);
    for (int frame = 0; frame < 60; ++frame) {
        sn_reduced_body_step(f.body, pose, NULL);
    }
    /* 500 diagonals from the origin, in float */
    assert_true(largest(displacement(&f), 3 * f.model->counts.vertex_count) < 2e-6);
    stop(&f);
}

/* Rotating the whole problem rotates the result. */
static void test_equivariance(void **state)
{
    (void)state;
    fixture f, g;
    const sn_reduced_desc desc = sn_default_reduced_desc();
    start(&f, &desc);
    start(&g, &desc);
    const double world[12] = {0.36, 0.48, -0.8, 3, -0.8, 0.6, 0, -2, 0.48, 0.64, 0.6, 7};
    double pose[12], turned[12];
    sn_affine_identity(pose);
    sn_reduced_body_destroy(&g.body);
    assert_int_equal(sn_reduced_body_create(g.solver, world, &g.body), SN_OK);
    double worst = 0, seen = 0;
    for (int frame = 0; frame < 90; ++frame) {
        shake(frame, pose);
        sn_affine_multiply(world, pose, turned);
        sn_reduced_body_step(f.body, pose, NULL);
        sn_reduced_body_step(g.body, turned, NULL);
        const double *u = displacement(&f), *v = displacement(&g);
        for (int i = 0; i < f.model->counts.vertex_count; ++i) {
            for (int d = 0; d < 3; ++d) {
                const double rotated =
                    world[4 * d] * u[3 * i] + world[4 * d + 1] * u[3 * i + 1] + world[4 * d + 2] * u[3 * i + 2];
                worst = fmax(worst, fabs(rotated - v[3 * i + d]));
                seen = fmax(seen, fabs(rotated));
            }
        }
    }
    assert_true(seen > 0.01);
    assert_true(worst < 1e-4);
    stop(&f);
    stop(&g);
}

/* J^T M D u = 0 along a run: the modes do not do what the rig can (for the momentum that does not leak). */
static void test_complementarity(void **state)
{
    (void)state;
    fixture f;
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.is_double = true;
    start(&f, &desc);
    double pose[12];
    for (int frame = 0; frame < 60; ++frame) {
        shake(frame, pose);
        sn_reduced_body_step(f.body, pose, NULL);
    }
    const double *u = displacement(&f);
    double sum[12] = {0}, size = 0;
    for (int v = 0; v < f.model->counts.vertex_count; ++v) {
        const double weight = f.cooking.mass[v] * f.cooking.leak[v];
        for (int k = 0; k < 4; ++k) {
            for (int d = 0; d < 3; ++d) {
                const double x = k < 3 ? f.cooking.mesh.positions[3 * v + k] : 1;
                sum[3 * k + d] += weight * x * u[3 * v + d];
                size += fabs(weight * x * u[3 * v + d]);
            }
        }
    }
    assert_true(size > 1e-6);
    assert_true(largest(sum, 12) < 1e-5 * size); /* the model keeps weights in float */
    stop(&f);
}

static void test_energy_never_grows_without_input(void **state)
{
    (void)state;
    for (int is_double = 0; is_double < 2; ++is_double) {
        fixture f;
        sn_reduced_desc desc = sn_default_reduced_desc();
        desc.is_double = is_double;
        desc.iteration_limit = 100;
        start(&f, &desc);
        double pose[12];
        for (int frame = 0; frame < 20; ++frame) {
            shake(frame, pose);
            sn_reduced_body_step(f.body, pose, NULL);
        }
        sn_reduced_body_step(f.body, pose, NULL); /* the rig stops: its own velocity leaves */
        sn_reduced_energy before = sn_reduced_body_energy(f.body);
        const double first = before.kinetic + before.elastic;
        assert_true(first > 0);
        for (int frame = 0; frame < 300; ++frame) {
            sn_reduced_body_step(f.body, pose, NULL);
            const sn_reduced_energy now = sn_reduced_body_energy(f.body);
            assert_true(now.kinetic + now.elastic <= before.kinetic + before.elastic + 1e-5 * first);
            before = now;
        }
        assert_true(before.kinetic + before.elastic < 0.2 * first);
        stop(&f);
    }
}

static void test_gradient_matches_finite_differences(void **state)
{
    (void)state;
    fixture f;
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.is_double = true;
    desc.gravity[1] = -9.81;
    desc.damping = 2;
    start(&f, &desc);
    double pose[12];
    for (int frame = 0; frame < 5; ++frame) {
        shake(frame, pose);
        sn_reduced_body_step(f.body, pose, NULL);
    }
    shake(6, pose);
    const int size = 3 * f.model->counts.coordinate_count;
    double z[3 * 32], gradient[3 * 32], unused[3 * 32];
    assert_true(size <= 3 * 32);
    for (int i = 0; i < size; ++i) {
        z[i] = sn_reduced_body_coordinates(f.body)[i] + 0.01 * sin(i);
    }
    sn_reduced_body_objective(f.body, pose, z, gradient);
    const double scale = largest(gradient, size);
    for (int i = 0; i < size; ++i) {
        const double h = 1e-5, at = z[i];
        z[i] = at + h;
        const double above = sn_reduced_body_objective(f.body, pose, z, unused);
        z[i] = at - h;
        const double below = sn_reduced_body_objective(f.body, pose, z, unused);
        z[i] = at;
        assert_true(fabs((above - below) / (2 * h) - gradient[i]) < 1e-5 * scale);
    }
    stop(&f);
}

/* Converged, the step's gradient vanishes: the iteration minimises what it says. */
static void test_step_reaches_the_minimum(void **state)
{
    (void)state;
    fixture f;
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.is_double = true;
    desc.iteration_limit = 5000;
    desc.tolerance = 1e-14;
    start(&f, &desc);
    double pose[12], gradient[3 * 32], start_gradient[3 * 32];
    shake(3, pose);
    const double zero[3 * 32] = {0};
    sn_reduced_body_objective(f.body, pose, zero, start_gradient);
    sn_reduced_body *twin = NULL;
    assert_int_equal(sn_reduced_body_create(f.solver, NULL, &twin), SN_OK);
    sn_reduced_body_step(f.body, pose, NULL);
    const int size = 3 * f.model->counts.coordinate_count;
    sn_reduced_body_objective(twin, pose, sn_reduced_body_coordinates(f.body), gradient);
    assert_true(largest(gradient, size) < 1e-9 * largest(start_gradient, size));
    sn_reduced_body_destroy(&twin);
    stop(&f);
}

static void test_gravity_sags_and_damping_stills(void **state)
{
    (void)state;
    fixture f;
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.gravity[1] = -9.81;
    desc.damping = 10;
    start(&f, &desc);
    double pose[12];
    sn_affine_identity(pose);
    for (int frame = 0; frame < 400; ++frame) {
        sn_reduced_body_step(f.body, pose, NULL);
    }
    const double *u = displacement(&f);
    double mean = 0;
    for (int v = 0; v < f.model->counts.vertex_count; ++v) {
        mean += f.cooking.mass[v] * u[3 * v + 1];
    }
    assert_true(mean < 0);
    assert_true(sn_reduced_body_energy(f.body).kinetic < 1e-6);
    stop(&f);
}

/* At a tiny time step the motion is the same in float as in double: velocities are not lost to rounding. */
static void test_tiny_steps_keep_their_velocity(void **state)
{
    (void)state;
    double moved[2];
    for (int is_double = 0; is_double < 2; ++is_double) {
        fixture f;
        sn_reduced_desc desc = sn_default_reduced_desc();
        desc.is_double = is_double;
        desc.time_step = 1e-5;
        desc.gravity[1] = -1;
        desc.iteration_limit = 2;
        start(&f, &desc);
        double pose[12];
        sn_affine_identity(pose);
        for (int frame = 0; frame < 5000; ++frame) {
            sn_reduced_body_step(f.body, pose, NULL);
        }
        moved[is_double] = largest(displacement(&f), 3 * f.model->counts.vertex_count);
        stop(&f);
    }
    assert_true(moved[1] > 1e-5);
    assert_true(fabs(moved[0] - moved[1]) < 0.02 * moved[1]);
}

static void test_bad_pose_is_recovered(void **state)
{
    (void)state;
    fixture f;
    const sn_reduced_desc desc = sn_default_reduced_desc();
    start(&f, &desc);
    double pose[12], bad[12];
    for (int frame = 0; frame < 10; ++frame) {
        shake(frame, pose);
        assert_false(sn_reduced_body_step(f.body, pose, NULL).is_recovered);
    }
    memcpy(bad, pose, sizeof bad);
    bad[7] = NAN;
    assert_true(sn_reduced_body_step(f.body, bad, NULL).is_recovered);
    assert_true(largest(displacement(&f), 3 * f.model->counts.vertex_count) == 0);
    assert_false(sn_reduced_body_step(f.body, pose, NULL).is_recovered);
    assert_true(largest(displacement(&f), 3 * f.model->counts.vertex_count) < 1e-5);
    stop(&f);
}

static void test_step_allocates_nothing(void **state)
{
    (void)state;
    fixture f;
    const sn_reduced_desc desc = sn_default_reduced_desc();
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    start(&f, &desc);
    double pose[12];
    assert_true(allocation_count > 0);
    const int before = allocation_count;
    for (int frame = 0; frame < 50; ++frame) {
        shake(frame, pose);
        sn_reduced_body_step(f.body, pose, NULL);
    }
    assert_int_equal(allocation_count, before);
    stop(&f);
    sn_set_allocator(NULL, NULL, NULL);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void test_bad_parameters_are_refused(void **state)
{
    (void)state;
    fixture f;
    sn_reduced_desc desc = sn_default_reduced_desc();
    start(&f, &desc);
    const double bad_steps[] = {0, -1, NAN, INFINITY};
    for (size_t i = 0; i < 4; ++i) {
        sn_reduced_solver *solver = NULL;
        desc.time_step = bad_steps[i];
        assert_int_equal(sn_reduced_solver_create(f.model, &desc, &solver), SN_ERROR_ARGUMENT);
        assert_null(solver);
        desc = sn_default_reduced_desc();
        desc.budget_seconds = bad_steps[i];
        assert_int_equal(sn_reduced_solver_create(f.model, &desc, &solver), i == 0 ? SN_OK : SN_ERROR_ARGUMENT);
        sn_reduced_solver_destroy(&solver);
    }
    stop(&f);
}

int test_reduced(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest_is_a_fixed_point),
        cmocka_unit_test(test_still_rig_elsewhere_stays_still),
        cmocka_unit_test(test_equivariance),
        cmocka_unit_test(test_complementarity),
        cmocka_unit_test(test_energy_never_grows_without_input),
        cmocka_unit_test(test_gradient_matches_finite_differences),
        cmocka_unit_test(test_step_reaches_the_minimum),
        cmocka_unit_test(test_gravity_sags_and_damping_stills),
        cmocka_unit_test(test_tiny_steps_keep_their_velocity),
        cmocka_unit_test(test_bad_pose_is_recovered),
        cmocka_unit_test(test_step_allocates_nothing),
        cmocka_unit_test(test_bad_parameters_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

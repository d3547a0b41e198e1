/* SPDX-License-Identifier: MIT */
/* Properties of the reduced step (spec, "Properties to test"), on a bar that needs no data. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "host/math/affine.h"
#include "host/reduced/solver.h"
#include "host/skin/skin.h"
#include "tests/support/bar.h"
#include "tests/support/count_allocations.h"

typedef struct fixture {
    sn_cooking cooking;
    sn_model *model;
    sn_reduced_solver *solver;
    sn_reduced_body *body;
    double *positions;
} fixture;

static void start(fixture *f, const sn_reduced_desc *desc)
{
    *f = (fixture){.model = NULL};
    f->cooking.mesh = sn_test_bar(&f->cooking.arena, 12, 4, 3, 0.25);
    sn_cook_desc cook = sn_default_cook_desc();
    cook.mode_count = 8;
    cook.cluster_count = 20;
    assert_int_equal(sn_cooking_run(&f->cooking, "bar", &cook), SN_OK);
    assert_int_equal(sn_model_load(f->cooking.bytes, f->cooking.size, &f->model), SN_OK);
    assert_int_equal(sn_reduced_solver_create(f->model, desc, &f->solver), SN_OK);
    assert_int_equal(sn_reduced_body_create(f->solver, NULL, &f->body), SN_OK);
    f->positions = SN_NEW(&f->cooking.arena, double, 3 * f->model->counts.vertex_count);
    assert_non_null(f->positions);
}

static void stop(fixture *f)
{
    sn_reduced_body_destroy(&f->body);
    sn_reduced_solver_destroy(&f->solver);
    sn_model_release(f->model);
    sn_cooking_finish(&f->cooking);
}

static void rotate_about_z(double angle, double x, double *pose)
{
    sn_affine_identity(pose);
    pose[0] = pose[5] = cos(angle);
    pose[1] = -sin(angle);
    pose[4] = sin(angle);
    pose[3] = x;
}

/* What the modes add to the rig, (vertex_count x 3). */
static const double *displacement(fixture *f)
{
    double transforms[12 * 8];
    memset(f->positions, 0, 3 * (size_t)f->model->counts.vertex_count * sizeof(double));
    sn_reduced_body_mode_transforms(f->body, 1, transforms);
    sn_skin_add(f->model->mode_weights, f->model->counts.mode_count, transforms, f->model->rest_positions,
                f->model->counts.vertex_count, f->positions);
    return f->positions;
}

static double largest(const double *values, int count)
{
    double most = 0;
    for (int i = 0; i < count; ++i) {
        most = fmax(most, fabs(values[i]));
    }
    return most;
}

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

static void shake(int frame, double *pose)
{
    rotate_about_z(0.5 * sin(0.35 * frame), 0.2 * sin(0.2 * frame), pose);
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

/* A rig that jumps: half a turn and its own length away, every few frames. */
static void jump(int frame, double *pose)
{
    rotate_about_z(frame / 3 % 2 ? 2.8 : 0, frame / 5 % 2 ? 0.5 : 0, pose);
}

/* The state of one body for another of the same model. */
static void copy_state(const sn_reduced_body *from, sn_reduced_body *to)
{
    const size_t z = (size_t)(3 * from->solver->coordinate_count) * sizeof(double);
    const size_t p = (size_t)(3 * from->solver->column_count) * sizeof(double);
    memcpy(to->coordinates, from->coordinates, z);
    memcpy(to->coordinates_before, from->coordinates_before, z);
    memcpy(to->rig, from->rig, p);
    memcpy(to->rig_before, from->rig_before, p);
}

/* A step with these parameters from the state of another body. */
static sn_reduced_report step_from(const sn_reduced_body *from, const sn_reduced_desc *desc, const double *pose,
                                   sn_reduced_body *twin)
{
    sn_reduced_solver *solver = NULL;
    assert_int_equal(sn_reduced_solver_create(sn_reduced_solver_model(from->solver), desc, &solver), SN_OK);
    sn_reduced_body_set_solver(twin, solver);
    copy_state(from, twin);
    const sn_reduced_report report = sn_reduced_body_step(twin, pose, NULL);
    sn_reduced_body_set_solver(twin, from->solver);
    sn_reduced_solver_destroy(&solver);
    return report;
}

/* How far two states of coordinates can be apart, as a fraction of the diagonal. */
static double apart(const sn_model *model, const double *a, const double *b)
{
    double square = 0;
    for (int i = 0; i < model->counts.coordinate_count; ++i, a += 3, b += 3) {
        square += sn_reduced_change(model, i, a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    }
    return sqrt(square) / model->diagonal;
}

/* Accelerated and plain steps from the same states: the same minimum, in fewer iterations, and at a given tolerance no
 * less near to it. */
static void test_acceleration_keeps_the_minimum(void **state)
{
    (void)state;
    fixture f;
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.time_step = 0.02;
    desc.stiffness = 4;
    desc.is_double = true;
    desc.iteration_limit = 5000;
    desc.tolerance = 1e-12;
    start(&f, &desc);
    sn_reduced_body *twin = NULL;
    assert_int_equal(sn_reduced_body_create(f.solver, NULL, &twin), SN_OK);
    desc.is_double = false;
    desc.tolerance = 1e-5;
    int iterations[2] = {0};
    double error[2] = {0}, pose[12];
    for (int frame = 0; frame < 60; ++frame) {
        double coordinates[2][3 * 32];
        shake(frame, pose);
        for (int is_plain = 0; is_plain < 2; ++is_plain) {
            desc.is_plain = is_plain;
            iterations[is_plain] += step_from(f.body, &desc, pose, twin).iteration_count;
            memcpy(coordinates[is_plain], twin->coordinates, (size_t)(3 * f.solver->coordinate_count) * sizeof(double));
        }
        sn_reduced_body_step(f.body, pose, NULL);
        for (int is_plain = 0; is_plain < 2; ++is_plain) {
            error[is_plain] += apart(f.model, coordinates[is_plain], f.body->coordinates);
        }
    }
    assert_true(iterations[0] < 0.7 * iterations[1]);
    assert_true(error[0] <= error[1] && error[0] < 60 * 1e-4);
    sn_reduced_body_destroy(&twin);
    stop(&f);
}

/* Under a violent rig the energies of the points that are kept never rise, however many iterations: seen by steps from
 * the same state with one iteration more each; and the guard is what it takes. */
static void test_guard_keeps_energy_from_rising(void **state)
{
    (void)state;
    fixture f;
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.tolerance = 0;
    start(&f, &desc);
    sn_reduced_body *twin = NULL;
    assert_int_equal(sn_reduced_body_create(f.solver, NULL, &twin), SN_OK);
    int refused_count = 0;
    for (int frame = 0; frame < 60; ++frame) {
        double pose[12], before = INFINITY;
        jump(frame, pose);
        for (desc.iteration_limit = 1; desc.iteration_limit <= 25; ++desc.iteration_limit) {
            const sn_reduced_report report = step_from(f.body, &desc, pose, twin);
            assert_false(report.is_recovered);
            assert_true(twin->f32.energy_kept <= before + twin->f32.energy_noise);
            before = twin->f32.energy_kept;
            refused_count += desc.iteration_limit == 25 ? report.refused_count : 0;
        }
        sn_reduced_body_step(f.body, pose, NULL);
    }
    print_message("%d iterations refused\n", refused_count);
    assert_true(refused_count > 0);
    sn_reduced_body_destroy(&twin);
    stop(&f);
}

static void test_budget_ends_a_step(void **state)
{
    (void)state;
    fixture f;
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.tolerance = 0;
    desc.iteration_limit = 50;
    start(&f, &desc);
    sn_reduced_body *twin = NULL;
    assert_int_equal(sn_reduced_body_create(f.solver, NULL, &twin), SN_OK);
    double pose[12];
    shake(3, pose);
    for (int is_double = 0; is_double < 2; ++is_double) {
        desc.is_double = is_double;
        desc.budget_seconds = 1e-9;
        const sn_reduced_report little = step_from(f.body, &desc, pose, twin);
        assert_int_equal(little.iteration_count, 1);
        assert_true(little.is_over_budget && little.change > 0);
        desc.budget_seconds = 100;
        const sn_reduced_report much = step_from(f.body, &desc, pose, twin);
        assert_int_equal(much.iteration_count, 50);
        assert_false(much.is_over_budget);
        assert_true(much.change < little.change);
    }
    sn_reduced_body_destroy(&twin);
    stop(&f);
}

/* Whole runs, so that acceleration and the rig's part are among what is compared. */
static void test_instruction_sets_give_the_same_bits(void **state)
{
    (void)state;
    fixture f;
    sn_reduced_desc desc = sn_default_reduced_desc();
    start(&f, &desc);
    double coordinates[2][3 * 32];
    const size_t bytes = (size_t)(3 * f.solver->coordinate_count) * sizeof(double);
    for (int set = 0; set <= SN_INSTRUCTIONS_BEST; ++set) {
        sn_reduced_body *body = NULL;
        sn_reduced_solver *solver = NULL;
        desc.instructions = (sn_instructions)set;
        assert_int_equal(sn_reduced_solver_create(f.model, &desc, &solver), SN_OK);
        assert_int_equal(sn_reduced_body_create(solver, NULL, &body), SN_OK);
        for (int frame = 0; frame < 60; ++frame) {
            double pose[12];
            (frame < 30 ? shake : jump)(frame, pose);
            sn_reduced_body_step(body, pose, NULL);
        }
        memcpy(coordinates[set > 0], body->coordinates, bytes);
        assert_true(set == 0 || memcmp(coordinates[0], coordinates[1], bytes) == 0);
        sn_reduced_body_destroy(&body);
        sn_reduced_solver_destroy(&solver);
    }
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest_is_a_fixed_point),
        cmocka_unit_test(test_still_rig_elsewhere_stays_still),
        cmocka_unit_test(test_equivariance),
        cmocka_unit_test(test_complementarity),
        cmocka_unit_test(test_energy_never_grows_without_input),
        cmocka_unit_test(test_gradient_matches_finite_differences),
        cmocka_unit_test(test_step_reaches_the_minimum),
        cmocka_unit_test(test_acceleration_keeps_the_minimum),
        cmocka_unit_test(test_guard_keeps_energy_from_rising),
        cmocka_unit_test(test_budget_ends_a_step),
        cmocka_unit_test(test_instruction_sets_give_the_same_bits),
        cmocka_unit_test(test_gravity_sags_and_damping_stills),
        cmocka_unit_test(test_tiny_steps_keep_their_velocity),
        cmocka_unit_test(test_bad_pose_is_recovered),
        cmocka_unit_test(test_step_allocates_nothing),
        cmocka_unit_test(test_bad_parameters_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

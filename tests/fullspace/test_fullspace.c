/* SPDX-License-Identifier: MIT */
/* The unreduced step: what it minimises and keeps, on a bar with two bones. test_fullspace_modes.c has the reduced step
 * against it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "author/fullspace/fullspace.h"
#include "author/modes/modes.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "tests/support/bar.h"
#include "tests/support/poses.h"

#define BONES 2
#define ROWS (4 * BONES)

typedef enum leak_kind { LEAK_AUTO, LEAK_NONE } leak_kind;

/* A bar whose two bones share it along x. */
typedef struct fixture {
    sn_arena arena;
    sn_fullspace_input input;
    sn_fullspace_solver *solver;
    sn_fullspace_body *body;
    double *u, *gradient; /* (vertex_count x 3) */
} fixture;

static double *fill_leak(fixture *f, leak_kind kind, const double *mass)
{
    const sn_tet_mesh *mesh = &f->input.mesh;
    double *leak = SN_NEW(&f->arena, double, mesh->vertex_count);
    double *gradients = SN_NEW(&f->arena, double, 12 * mesh->tet_count);
    double *volumes = SN_NEW(&f->arena, double, mesh->tet_count);
    sn_tet_gradients(mesh, gradients, volumes);
    assert_int_equal(sn_momentum_leak(mesh, gradients, volumes, mass, &f->arena, leak), SN_OK);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        leak[v] = kind == LEAK_AUTO ? leak[v] : 1;
    }
    return leak;
}

static double poisson; /* of the next fixtures */

static double *fill_lame(fixture *f, const double *mu)
{
    double *lame = SN_NEW(&f->arena, double, f->input.mesh.tet_count);
    for (int t = 0; t < f->input.mesh.tet_count; ++t) {
        lame[t] = t % 3 == 0 ? 0 : mu[t] * poisson / (1 - 2 * poisson);
    }
    return lame;
}

static void start(fixture *f, const sn_fullspace_desc *desc, leak_kind kind, const double *pose)
{
    *f = (fixture){.input = {.name = "bar", .bone_count = BONES}};
    sn_tet_mesh *mesh = &f->input.mesh;
    *mesh = sn_test_bar(&f->arena, 8, 4, 4, 0.25);
    const size_t n = (size_t)mesh->vertex_count, tets = (size_t)mesh->tet_count;
    double *mu = SN_NEW(&f->arena, double, tets), *mass = SN_NEW(&f->arena, double, n);
    double *weights = SN_NEW(&f->arena, double, BONES *n);
    for (size_t t = 0; t < tets; ++t) {
        mu[t] = t < tets / 2 ? 1e4 : 3e4;
        for (size_t corner = 0; corner < 4; ++corner) {
            mass[mesh->tets[4 * t + corner]] += 250 * sn_tet_volume(mesh, (int)t);
        }
    }
    for (size_t v = 0; v < n; ++v) {
        const double share = mesh->positions[3 * v] / 2;
        weights[BONES * v + 1] = share * share * (3 - 2 * share);
        weights[BONES * v] = 1 - weights[BONES * v + 1];
    }
    f->input.tet_mu = mu;
    f->input.tet_lame = poisson > 0 ? fill_lame(f, mu) : NULL;
    f->input.mass = mass;
    f->input.rig_weights = weights;
    f->input.leak = fill_leak(f, kind, mass);
    f->u = SN_NEW(&f->arena, double, 3 * n);
    f->gradient = SN_NEW(&f->arena, double, 3 * n);
    assert_int_equal(sn_fullspace_solver_create(&f->input, desc, &f->solver), SN_OK);
    assert_int_equal(sn_fullspace_body_create(f->solver, pose, &f->body), SN_OK);
}

static void stop(fixture *f)
{
    sn_fullspace_body_destroy(&f->body);
    sn_fullspace_solver_destroy(&f->solver);
    sn_arena_finish(&f->arena);
}

static const double *displacement(fixture *f)
{
    sn_fullspace_body_displacements(f->body, f->u);
    return f->u;
}

static int size_of(const fixture *f)
{
    return 3 * f->input.mesh.vertex_count;
}

static double largest(const double *values, int count)
{
    double most = 0;
    for (int i = 0; i < count; ++i) {
        most = fmax(most, fabs(values[i]));
    }
    return most;
}

/* Both bones in one rigid motion. */
static void carry(int frame, double *pose)
{
    sn_test_turn_and_move(0.5 * sin(0.35 * frame), 0.2 * sin(0.2 * frame), pose);
    memcpy(pose + 12, pose, 12 * sizeof *pose);
}

/* The second bone bends against the first. */
static void shake(int frame, double *pose)
{
    sn_test_turn_and_move(0.2 * sin(0.35 * frame), 0.2 * sin(0.2 * frame), pose);
    sn_test_turn_and_move(-0.2 * sin(0.3 * frame), 0, pose + 12);
}

static sn_fullspace_desc converged(void)
{
    sn_fullspace_desc desc = sn_default_fullspace_desc();
    desc.iteration_limit = 3000;
    desc.tolerance = 1e-15;
    return desc;
}

/* ---- what a step keeps ---- */

static void test_rest_is_a_fixed_point(void **state)
{
    (void)state;
    for (int far = 0; far < 2; ++far) {
        fixture f;
        const sn_fullspace_desc desc = sn_default_fullspace_desc();
        double pose[12 * BONES];
        sn_test_turn_and_move(far ? 2.1 : 0, far ? 500 : 0, pose);
        memcpy(pose + 12, pose, 12 * sizeof *pose);
        start(&f, &desc, LEAK_AUTO, pose);
        for (int frame = 0; frame < 60; ++frame) {
            sn_fullspace_body_step(f.body, pose);
        }
        assert_true(largest(displacement(&f), size_of(&f)) < (far ? 1e-9 : 1e-12));
        stop(&f);
    }
}

/* One axis of a row of J^T M D. */
static double row_entry(const fixture *f, int row, int v)
{
    const double weight = f->input.mass[v] * f->input.leak[v] * f->input.rig_weights[BONES * v + row / 4];
    return weight * (row % 4 < 3 ? f->input.mesh.positions[3 * v + row % 4] : 1);
}

static void test_constraint_holds_along_a_run(void **state)
{
    (void)state;
    fixture f;
    const sn_fullspace_desc desc = sn_default_fullspace_desc();
    double pose[12 * BONES];
    shake(0, pose);
    start(&f, &desc, LEAK_AUTO, pose);
    assert_int_equal(sn_fullspace_constraint_rank(f.solver), ROWS);
    for (int frame = 1; frame < 40; ++frame) {
        shake(frame, pose);
        sn_fullspace_body_step(f.body, pose);
        const double *u = displacement(&f);
        for (int row = 0; row < ROWS; ++row) {
            double sum[3] = {0}, size = 0;
            for (int v = 0; v < f.input.mesh.vertex_count; ++v) {
                for (int d = 0; d < 3; ++d) {
                    sum[d] += row_entry(&f, row, v) * u[3 * v + d];
                    size += fabs(row_entry(&f, row, v) * u[3 * v + d]);
                }
            }
            assert_true(size > 1e-6);
            assert_true(largest(sum, 3) <= 1e-9 * size);
        }
    }
    stop(&f);
}

/* Bones that move the same flesh count once. */
static void test_equal_bones_are_one(void **state)
{
    (void)state;
    fixture f;
    const sn_fullspace_desc desc = sn_default_fullspace_desc();
    start(&f, &desc, LEAK_AUTO, NULL);
    double *weights = SN_NEW(&f.arena, double, BONES *f.input.mesh.vertex_count);
    for (int i = 0; i < BONES * f.input.mesh.vertex_count; ++i) {
        weights[i] = 0.5;
    }
    f.input.rig_weights = weights;
    sn_fullspace_solver *solver = NULL;
    assert_int_equal(sn_fullspace_solver_create(&f.input, &desc, &solver), SN_OK);
    assert_int_equal(sn_fullspace_constraint_rank(solver), 4);
    sn_fullspace_solver_destroy(&solver);
    stop(&f);
}

/* ---- what a step minimises ---- */

static void test_gradient_matches_finite_differences(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        const bool is_clustered = i % 2;
        fixture f;
        poisson = i > 1 ? 0.4 : 0;
        sn_fullspace_desc desc = sn_default_fullspace_desc();
        desc.gravity[1] = -9.81;
        desc.damping = 2;
        double pose[12 * BONES];
        start(&f, &desc, LEAK_AUTO, NULL);
        int32_t *clusters = SN_NEW(&f.arena, int32_t, f.input.mesh.tet_count);
        for (int t = 0; t < f.input.mesh.tet_count; ++t) {
            clusters[t] = t / 30;
        }
        f.input.clusters = clusters;
        f.input.cluster_count = (f.input.mesh.tet_count + 29) / 30;
        desc.is_clustered = is_clustered;
        sn_fullspace_solver *solver = NULL;
        sn_fullspace_body *body = NULL;
        assert_int_equal(sn_fullspace_solver_create(&f.input, &desc, &solver), SN_OK);
        assert_int_equal(sn_fullspace_body_create(solver, NULL, &body), SN_OK);
        for (int frame = 0; frame < 5; ++frame) {
            shake(frame, pose);
            sn_fullspace_body_step(body, pose);
        }
        shake(6, pose);
        double *unused = SN_NEW(&f.arena, double, size_of(&f));
        sn_fullspace_body_displacements(body, f.u);
        for (int k = 0; k < size_of(&f); ++k) {
            f.u[k] += 0.01 * sin(k);
        }
        sn_fullspace_body_objective(body, pose, f.u, f.gradient);
        for (int k = 0; k < size_of(&f); k += 17) {
            const double h = 1e-5, at = f.u[k];
            f.u[k] = at + h;
            const double above = sn_fullspace_body_objective(body, pose, f.u, unused);
            f.u[k] = at - h;
            const double below = sn_fullspace_body_objective(body, pose, f.u, unused);
            f.u[k] = at;
            assert_true(fabs((above - below) / (2 * h) - f.gradient[k]) < 1e-6 * largest(f.gradient, size_of(&f)));
        }
        sn_fullspace_body_destroy(&body);
        sn_fullspace_solver_destroy(&solver);
        stop(&f);
    }
    poisson = 0;
}

/* Takes the constraint's rows out of each axis of values (vertex_count x 3): Gram and Schmidt, twice. */
static void project(const fixture *f, double *basis, double *values)
{
    const int n = f->input.mesh.vertex_count;
    for (int row = 0; row < ROWS; ++row) {
        double *q = basis + row * n, norm = 0;
        for (int v = 0; v < n; ++v) {
            q[v] = row_entry(f, row, v);
        }
        for (int pass = 0; pass < 2; ++pass) {
            for (int other = 0; other < row; ++other) {
                double dot = 0;
                for (int v = 0; v < n; ++v) {
                    dot += q[v] * basis[other * n + v];
                }
                for (int v = 0; v < n; ++v) {
                    q[v] -= dot * basis[other * n + v];
                }
            }
        }
        for (int v = 0; v < n; ++v) {
            norm += q[v] * q[v];
        }
        for (int v = 0; v < n; ++v) {
            q[v] /= sqrt(norm);
        }
        for (int d = 0; d < 3; ++d) {
            double dot = 0;
            for (int v = 0; v < n; ++v) {
                dot += q[v] * values[3 * v + d];
            }
            for (int v = 0; v < n; ++v) {
                values[3 * v + d] -= dot * q[v];
            }
        }
    }
}

/* Converged, the objective does not change to first order along anything that the constraint allows. */
static void test_step_reaches_the_constrained_minimum(void **state)
{
    (void)state;
    fixture f;
    const sn_fullspace_desc desc = converged();
    double pose[12 * BONES];
    start(&f, &desc, LEAK_AUTO, NULL);
    shake(3, pose);
    double *basis = SN_NEW(&f.arena, double, ROWS *f.input.mesh.vertex_count);
    double *before = SN_NEW(&f.arena, double, size_of(&f)), *along = SN_NEW(&f.arena, double, size_of(&f));
    sn_fullspace_body_objective(f.body, pose, f.u, before);
    project(&f, basis, before);
    sn_fullspace_body *twin = NULL;
    assert_int_equal(sn_fullspace_body_create(f.solver, NULL, &twin), SN_OK);
    assert_true(sn_fullspace_body_step(f.body, pose).iteration_count < desc.iteration_limit);
    displacement(&f);
    sn_fullspace_body_objective(twin, pose, f.u, f.gradient);
    const double whole = largest(f.gradient, size_of(&f));
    project(&f, basis, f.gradient);
    assert_true(largest(f.gradient, size_of(&f)) < 1e-9 * largest(before, size_of(&f)));
    assert_true(whole > 1e-3 * largest(before, size_of(&f))); /* the constraint pushes */
    for (int i = 0; i < size_of(&f); ++i) {
        along[i] = sin(1.7 * i);
    }
    project(&f, basis, along);
    double values[2], slope = 0;
    for (int i = 0; i < size_of(&f); ++i) {
        slope += before[i] * along[i];
    }
    for (int side = 0; side < 2; ++side) {
        for (int i = 0; i < size_of(&f); ++i) {
            before[i] = f.u[i] + (side ? 1e-5 : -1e-5) * along[i];
        }
        values[side] = sn_fullspace_body_objective(twin, pose, before, f.gradient);
    }
    assert_true(fabs(values[1] - values[0]) / 2e-5 < 1e-6 * fabs(slope));
    sn_fullspace_body_destroy(&twin);
    stop(&f);
}

/* ---- motions whose answer is known ---- */

/* Without leak the inertia M J P'' of any motion of the rig lies in the constraint's rows, and a rigid one strains
 * nothing: flesh follows exactly. */
static void test_rigid_motion_without_leak_carries_flesh_along(void **state)
{
    (void)state;
    fixture f;
    sn_fullspace_desc desc = sn_default_fullspace_desc();
    desc.gravity[1] = -9.81;
    double pose[12 * BONES], worst[2] = {0};
    for (int kind = LEAK_AUTO; kind <= LEAK_NONE; ++kind) {
        start(&f, &desc, (leak_kind)kind, NULL);
        for (int frame = 0; frame < 30; ++frame) {
            carry(frame, pose);
            sn_fullspace_body_step(f.body, pose);
            worst[kind] = fmax(worst[kind], largest(displacement(&f), size_of(&f)));
        }
        stop(&f);
    }
    assert_true(worst[LEAK_NONE] < 1e-11);
    assert_true(worst[LEAK_AUTO] > 1e-3);
}

/* Unconstrained flesh stays where it is while a rig glides away, and falls as backward Euler falls. */
static void test_unconstrained_flesh_is_free(void **state)
{
    (void)state;
    fixture f;
    sn_fullspace_desc desc = sn_default_fullspace_desc();
    desc.is_unconstrained = true;
    desc.gravity[1] = -9.81;
    start(&f, &desc, LEAK_AUTO, NULL);
    assert_int_equal(sn_fullspace_constraint_rank(f.solver), 0);
    double pose[12 * BONES];
    for (int frame = 1; frame <= 30; ++frame) {
        sn_test_turn_and_move(0, 0.3 * sin(0.2 * frame), pose);
        memcpy(pose + 12, pose, 12 * sizeof *pose);
        sn_fullspace_body_step(f.body, pose);
        const double fall = -9.81 * desc.time_step * desc.time_step * frame * (frame + 1) / 2;
        const double *u = displacement(&f), expected[3] = {-pose[3], fall, 0};
        for (int i = 0; i < size_of(&f); ++i) {
            assert_true(fabs(u[i] - expected[i % 3]) < 1e-11);
        }
    }
    stop(&f);
}

static void test_energy_never_grows_without_input(void **state)
{
    (void)state;
    fixture f;
    sn_fullspace_desc desc = sn_default_fullspace_desc();
    double pose[12 * BONES];
    start(&f, &desc, LEAK_AUTO, NULL);
    for (int frame = 0; frame < 20; ++frame) {
        shake(frame, pose);
        sn_fullspace_body_step(f.body, pose);
    }
    sn_fullspace_body_step(f.body, pose); /* the rig stops: its own velocity leaves */
    sn_fullspace_energy energy = sn_fullspace_body_energy(f.body);
    const double first = energy.kinetic + energy.elastic;
    double before = first;
    for (int frame = 0; frame < 120; ++frame) {
        sn_fullspace_body_step(f.body, pose);
        energy = sn_fullspace_body_energy(f.body);
        assert_true(energy.kinetic + energy.elastic <= before + 1e-6 * first);
        before = energy.kinetic + energy.elastic;
    }
    assert_true(energy.kinetic < 0.01 * first);
    stop(&f);
}

/* Rotating the whole problem rotates the result. */
static void test_equivariance(void **state)
{
    (void)state;
    fixture f, g;
    const sn_fullspace_desc desc = sn_default_fullspace_desc();
    const double world[12] = {0.36, 0.48, -0.8, 3, -0.8, 0.6, 0, -2, 0.48, 0.64, 0.6, 7};
    double pose[12 * BONES], turned[12 * BONES], worst = 0, seen = 0;
    memcpy(turned, world, sizeof world);
    memcpy(turned + 12, world, sizeof world);
    start(&f, &desc, LEAK_AUTO, NULL);
    start(&g, &desc, LEAK_AUTO, turned);
    for (int frame = 0; frame < 30; ++frame) {
        shake(frame, pose);
        sn_affine_multiply(world, pose, turned);
        sn_affine_multiply(world, pose + 12, turned + 12);
        sn_fullspace_body_step(f.body, pose);
        sn_fullspace_body_step(g.body, turned);
        const double *u = displacement(&f), *v = displacement(&g);
        for (int i = 0; i < size_of(&f); ++i) {
            const double rotated = sn_dot3(world + i % 3 * 4, u + i / 3 * 3);
            worst = fmax(worst, fabs(rotated - v[i]));
            seen = fmax(seen, fabs(rotated));
        }
    }
    assert_true(seen > 0.01);
    assert_true(worst < 1e-9);
    stop(&f);
    stop(&g);
}

static void test_bad_numbers(void **state)
{
    (void)state;
    fixture f;
    sn_fullspace_desc desc = sn_default_fullspace_desc();
    double pose[12 * BONES];
    start(&f, &desc, LEAK_AUTO, NULL);
    for (int frame = 0; frame < 5; ++frame) {
        shake(frame, pose);
        assert_false(sn_fullspace_body_step(f.body, pose).is_recovered);
    }
    pose[7] = NAN;
    assert_true(sn_fullspace_body_step(f.body, pose).is_recovered);
    assert_true(largest(displacement(&f), size_of(&f)) == 0);
    shake(4, pose);
    assert_false(sn_fullspace_body_step(f.body, pose).is_recovered);
    sn_fullspace_solver *solver = NULL;
    desc.time_step = NAN;
    assert_int_equal(sn_fullspace_solver_create(&f.input, &desc, &solver), SN_ERROR_ARGUMENT);
    assert_null(solver);
    stop(&f);
}

int test_fullspace(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest_is_a_fixed_point),
        cmocka_unit_test(test_constraint_holds_along_a_run),
        cmocka_unit_test(test_equal_bones_are_one),
        cmocka_unit_test(test_gradient_matches_finite_differences),
        cmocka_unit_test(test_step_reaches_the_constrained_minimum),
        cmocka_unit_test(test_rigid_motion_without_leak_carries_flesh_along),
        cmocka_unit_test(test_unconstrained_flesh_is_free),
        cmocka_unit_test(test_energy_never_grows_without_input),
        cmocka_unit_test(test_equivariance),
        cmocka_unit_test(test_bad_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

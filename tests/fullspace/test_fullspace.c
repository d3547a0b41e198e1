/* SPDX-License-Identifier: MIT */
/* The unreduced step: what it minimises and keeps, on a bar with two bones; then the reduced step against it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "author/cook/stages.h"
#include "author/fullspace/fullspace.h"
#include "author/modes/modes.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "host/reduced/reduced.h"
#include "tests/support/bar.h"

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

static void turn_and_move(double angle, double x, double *pose)
{
    sn_affine_identity(pose);
    pose[0] = pose[5] = cos(angle);
    pose[1] = -sin(angle);
    pose[4] = sin(angle);
    pose[3] = x;
}

/* Both bones in one rigid motion. */
static void carry(int frame, double *pose)
{
    turn_and_move(0.5 * sin(0.35 * frame), 0.2 * sin(0.2 * frame), pose);
    memcpy(pose + 12, pose, 12 * sizeof *pose);
}

/* The second bone bends against the first. */
static void shake(int frame, double *pose)
{
    turn_and_move(0.2 * sin(0.35 * frame), 0.2 * sin(0.2 * frame), pose);
    turn_and_move(-0.2 * sin(0.3 * frame), 0, pose + 12);
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
        turn_and_move(far ? 2.1 : 0, far ? 500 : 0, pose);
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
    for (int is_clustered = 0; is_clustered < 2; ++is_clustered) {
        fixture f;
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
        for (int i = 0; i < size_of(&f); ++i) {
            f.u[i] += 0.01 * sin(i);
        }
        sn_fullspace_body_objective(body, pose, f.u, f.gradient);
        for (int i = 0; i < size_of(&f); i += 17) {
            const double h = 1e-5, at = f.u[i];
            f.u[i] = at + h;
            const double above = sn_fullspace_body_objective(body, pose, f.u, unused);
            f.u[i] = at - h;
            const double below = sn_fullspace_body_objective(body, pose, f.u, unused);
            f.u[i] = at;
            assert_true(fabs((above - below) / (2 * h) - f.gradient[i]) < 1e-6 * largest(f.gradient, size_of(&f)));
        }
        sn_fullspace_body_destroy(&body);
        sn_fullspace_solver_destroy(&solver);
        stop(&f);
    }
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
        turn_and_move(0, 0.3 * sin(0.2 * frame), pose);
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

/* ---- against the reduced step ---- */

/* A cooked bar of one handle, stepped by both solvers in double. */
typedef struct comparison {
    sn_cooking cooking;
    sn_model *model;
    sn_fullspace_input input;
    double *u, *reduced; /* (vertex_count x 3) */
} comparison;

typedef struct recipe {
    int size[3];
    int modes;    /* 0: all that the constraint leaves */
    int clusters; /* 0: one a tet */
    sn_cook_leak leak;
} recipe;

static int inner_count(const int *size)
{
    return (size[0] - 1) * (size[1] - 1) * (size[2] - 1);
}

static void fill_input(comparison *c)
{
    sn_cooking *k = &c->cooking;
    double *mu = SN_NEW(&k->arena, double, k->mesh.tet_count), *mass = SN_NEW(&k->arena, double, k->mesh.vertex_count);
    for (int t = 0; t < k->mesh.tet_count; ++t) {
        mu[t] = k->report.young * k->tet_stiffness[t];
    }
    for (int v = 0; v < k->mesh.vertex_count; ++v) {
        mass[v] = k->desc->density * k->mass[v];
    }
    c->input = (sn_fullspace_input){.name = "bar",
                                    .mesh = k->mesh,
                                    .tet_mu = mu,
                                    .mass = mass,
                                    .leak = k->leak,
                                    .is_pinned = k->is_pinned,
                                    .rig_weights = k->rig_weights,
                                    .bone_count = k->bone_count,
                                    .clusters = k->clusters,
                                    .cluster_count = k->report.cluster_count};
    c->u = SN_NEW(&k->arena, double, 3 * k->mesh.vertex_count);
    c->reduced = SN_NEW(&k->arena, double, 3 * k->mesh.vertex_count);
}

/* leak (vertex_count) is for SN_LEAK_VALUES. */
static void describe(comparison *c, const recipe *r, const double *leak, sn_cook_desc *desc)
{
    *c = (comparison){.model = NULL};
    sn_cooking *k = &c->cooking;
    k->mesh = sn_test_bar(&k->arena, r->size[0], r->size[1], r->size[2], 0.25);
    int32_t *labels = SN_NEW(&k->arena, int32_t, k->mesh.tet_count);
    for (int t = 0; t < k->mesh.tet_count; ++t) {
        labels[t] = t;
    }
    *desc = sn_default_cook_desc();
    desc->leak = r->leak;
    desc->leak_values = leak;
    desc->leak_count = (size_t)k->mesh.vertex_count;
    desc->young = 3e3;
    desc->labels = r->clusters ? NULL : labels;
    desc->label_count = (size_t)k->mesh.tet_count;
    desc->cluster_count = r->clusters;
    const int rows = r->leak == SN_LEAK_NONE || inner_count(r->size) > 10 ? 10 : inner_count(r->size);
    desc->mode_count = r->modes ? r->modes : k->mesh.vertex_count - rows;
}

static void cook_described(comparison *c, const sn_cook_desc *desc)
{
    assert_int_equal(sn_cooking_run(&c->cooking, "bar", desc), SN_OK);
    assert_int_equal(sn_model_load(c->cooking.bytes, c->cooking.size, &c->model), SN_OK);
    fill_input(c);
}

static void cook(comparison *c, const recipe *r, const double *leak, sn_cook_desc *desc)
{
    describe(c, r, leak, desc);
    cook_described(c, desc);
}

static void finish(comparison *c)
{
    sn_model_release(c->model);
    sn_cooking_finish(&c->cooking);
}

/* B T in double: the model's own modes are floats. */
static void expand(comparison *c, const double *coordinates)
{
    const sn_cooking *k = &c->cooking;
    const int modes = k->modes.mode_count, count = k->reduced.coordinate_count;
    memset(c->reduced, 0, 3 * (size_t)k->mesh.vertex_count * sizeof(double));
    for (int column = 0; column < 4 * modes; ++column) {
        const double *map = k->reduced.mode_from_coordinate + (size_t)column * (size_t)count;
        double transform[3] = {0};
        for (int i = 0; i < 3 * count; ++i) {
            transform[i % 3] += map[i / 3] * coordinates[i];
        }
        for (int v = 0; v < k->mesh.vertex_count; ++v) {
            const double x = column % 4 < 3 ? k->mesh.positions[3 * v + column % 4] : 1;
            for (int d = 0; d < 3; ++d) {
                c->reduced[3 * v + d] +=
                    k->modes.weights[(size_t)v * (size_t)modes + (size_t)(column / 4)] * x * transform[d];
            }
        }
    }
}

typedef struct difference {
    double most; /* of a coordinate */
    double l2;   /* of the last frame, relative */
    double seen; /* the largest displacement */
} difference;

static void compare_frame(const comparison *c, difference *result)
{
    double sum = 0, size = 0;
    for (int i = 0; i < 3 * c->cooking.mesh.vertex_count; ++i) {
        const double apart = c->reduced[i] - c->u[i];
        result->most = fmax(result->most, fabs(apart));
        result->seen = fmax(result->seen, fabs(c->u[i]));
        sum += apart * apart;
        size += c->u[i] * c->u[i];
    }
    result->l2 = sqrt(sum / size);
}

static difference compare(comparison *c, bool is_clustered, int frames, int iterations)
{
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.is_double = true;
    desc.gravity[1] = c->input.pair_count > 0 ? 0 : -2;
    desc.damping = 1;
    desc.iteration_limit = iterations;
    desc.tolerance = 0;
    sn_fullspace_desc full_desc = sn_default_fullspace_desc();
    memcpy(full_desc.gravity, desc.gravity, sizeof desc.gravity);
    full_desc.damping = desc.damping;
    full_desc.iteration_limit = iterations;
    full_desc.tolerance = 0;
    full_desc.is_clustered = is_clustered;
    sn_reduced_solver *solver = NULL;
    sn_reduced_body *body = NULL;
    sn_fullspace_solver *full_solver = NULL;
    sn_fullspace_body *full_body = NULL;
    assert_int_equal(sn_reduced_solver_create(c->model, &desc, &solver), SN_OK);
    assert_int_equal(sn_reduced_body_create(solver, NULL, &body), SN_OK);
    assert_int_equal(sn_fullspace_solver_create(&c->input, &full_desc, &full_solver), SN_OK);
    assert_int_equal(sn_fullspace_body_create(full_solver, NULL, &full_body), SN_OK);
    difference result = {0};
    double pose[12];
    for (int frame = 1; frame <= frames; ++frame) {
        turn_and_move(0.5 * sin(0.35 * frame), 0.2 * sin(0.2 * frame), pose);
        pose[1] += 0.1 * sin(0.25 * frame); /* it shears, too */
        if (c->input.pair_count > 0) {      /* a morph target alone moves */
            sn_affine_identity(pose);
            const double come = fmin(frame / 4.0, 1);
            const float weight = (float)come;
            sn_reduced_body_set_morphs(body, &weight);
            sn_fullspace_body_set_fields(full_body, &come);
        }
        sn_reduced_body_step(body, pose, NULL);
        sn_fullspace_body_step(full_body, pose);
        expand(c, sn_reduced_body_coordinates(body));
        sn_fullspace_body_displacements(full_body, c->u);
        compare_frame(c, &result);
    }
    sn_reduced_body_destroy(&body);
    sn_reduced_solver_destroy(&solver);
    sn_fullspace_body_destroy(&full_body);
    sn_fullspace_solver_destroy(&full_solver);
    return result;
}

/* All w with M D q . w = 0 for monomials q up to the second degree span, times x, y, z and 1, what is orthogonal to
 * { r in span M D q : x r, y r, z r in span M D q }. That is the span of M D x, M D y, M D z and M D, the full space's
 * own constraint, as long as monomials of the third degree are independent where D > 0. The two solvers then have one
 * space and one energy, and not only their minima but their iterates are the same. */
static void test_all_modes_are_the_full_space(void **state)
{
    (void)state;
    const recipe recipes[] = {
        {{4, 4, 4}, 0, 0, SN_LEAK_AUTO}, {{3, 3, 3}, 0, 0, SN_LEAK_NONE}, {{4, 4, 4}, 0, 20, SN_LEAK_AUTO}};
    for (int i = 0; i < 3; ++i) {
        comparison c;
        sn_cook_desc desc;
        cook(&c, &recipes[i], NULL, &desc);
        assert_int_equal(c.cooking.reduced.coordinate_count, c.cooking.mesh.vertex_count - 4);
        const difference found = compare(&c, recipes[i].clusters > 0, 12, 15);
        assert_true(found.seen > 0.003);
        assert_true(found.most < 1e-8 * found.seen);
        finish(&c);
    }
}

/* One end of a bar held, and nothing asked for by its handle. */
static void test_all_modes_of_a_pinned_bar(void **state)
{
    (void)state;
    int32_t pins[25];
    for (int i = 0; i < 25; ++i) {
        pins[i] = 7 * i;
    }
    for (int clusters = 0; clusters <= 20; clusters += 20) {
        comparison c;
        sn_cook_desc desc;
        describe(&c, &(recipe){{6, 4, 4}, 150, clusters, SN_LEAK_ALL}, NULL, &desc);
        desc.pins = pins;
        desc.pin_count = 25;
        cook_described(&c, &desc);
        assert_int_equal(c.cooking.reduced.coordinate_count, 150);
        const difference found = compare(&c, clusters > 0, 12, 15);
        assert_true(found.seen > 0.01);
        assert_true(found.most < 1e-8 * found.seen);
        for (int i = 0; i < 25; ++i) {
            assert_true(c.u[3 * pins[i]] == 0 && c.u[3 * pins[i] + 1] == 0 && c.u[3 * pins[i] + 2] == 0);
        }
        sn_fullspace_input input;
        assert_int_equal(sn_fullspace_input_from_model(c.model, "bar", &c.cooking.arena, &input), SN_OK);
        assert_memory_equal(input.is_pinned, c.cooking.is_pinned, (size_t)input.mesh.vertex_count);
        finish(&c);
    }
}

/* A morph target of a bar, before it is cooked: a displacement of each axis, about a tenth of the bar's size. */
static void add_target(comparison *c)
{
    sn_cooking *k = &c->cooking;
    k->morph_pair_count = 1;
    k->morph_columns = SN_NEW(&k->arena, double, 3 * k->mesh.vertex_count);
    for (int v = 0; v < k->mesh.vertex_count; ++v) {
        const double *x = k->mesh.positions + 3 * v;
        k->morph_columns[3 * v] = 0.1 * sin(4 * x[0] + 3 * x[1] - x[2]);
        k->morph_columns[3 * v + 1] = 0.1 * exp(-2 * x[0] * x[0] - x[1] * x[1] - 3 * x[2]);
        k->morph_columns[3 * v + 2] = 0.1 * cos(3 * x[0] - 2 * x[1] + 4 * x[2]);
    }
}

/* What it adds to the cooked model. */
static void feel_target(comparison *c)
{
    static const float rest = 0;
    static const double share = 1;
    static const sn_morph_pair pair = {0, 0};
    const sn_cooking *k = &c->cooking;
    c->model->counts.morph_count = c->model->counts.morph_field_count = c->model->counts.morph_pair_count = 1;
    c->model->morph_rest = &rest;
    c->model->morph_shares = &share;
    c->model->morph_pairs = &pair;
    c->model->morph_cross = k->reduced.morph_cross;
    c->model->morph_mass = k->reduced.morph_mass;
    c->input.morph_columns = k->morph_columns;
    c->input.morph_pairs = &pair;
    c->input.pair_count = c->input.field_count = 1;
}

/* The morph target's rows { M D e q } leave of the modes what is orthogonal to M D e besides: again the full space. */
static void test_all_modes_feel_a_morph_target(void **state)
{
    (void)state;
    comparison c;
    sn_cook_desc desc;
    describe(&c, &(recipe){{4, 4, 4}, 0, 0, SN_LEAK_AUTO}, NULL, &desc);
    add_target(&c);
    desc.mode_count = c.cooking.mesh.vertex_count - 10 - 12;
    cook_described(&c, &desc);
    assert_int_equal(c.cooking.constraint.row_count, 10 + 12);
    assert_int_equal(c.cooking.reduced.coordinate_count, c.cooking.mesh.vertex_count - 4 - 3);
    feel_target(&c);
    const difference found = compare(&c, false, 12, 15);
    assert_true(found.seen > 0.003);
    assert_true(found.most < 1e-8 * found.seen);
    finish(&c);
}

/* With the constraint on coordinates all modes are all displacements, of which it leaves the full space whatever the
 * mesh: a thin bar and one that is pinned, too. */
static void test_all_modes_complementary_by_coordinates(void **state)
{
    (void)state;
    const recipe recipes[] = {{{4, 4, 4}, 0, 0, SN_LEAK_AUTO},
                              {{3, 3, 3}, 0, 20, SN_LEAK_NONE},
                              {{4, 2, 2}, 0, 0, SN_LEAK_AUTO},
                              {{6, 4, 4}, 0, 20, SN_LEAK_AUTO}};
    const int ranks[] = {4, 4, 2, 4};
    int32_t pins[25];
    for (int i = 0; i < 25; ++i) {
        pins[i] = 7 * i;
    }
    for (int i = 0; i < 4; ++i) {
        comparison c;
        sn_cook_desc desc;
        describe(&c, &recipes[i], NULL, &desc);
        desc.complementary = SN_COMPLEMENTARY_COORDINATES;
        desc.pins = pins;
        desc.pin_count = i == 3 ? 25 : 0;
        desc.mode_count = c.cooking.mesh.vertex_count - (int)desc.pin_count;
        cook_described(&c, &desc);
        assert_int_equal(c.cooking.constraint.row_count, 0);
        assert_int_equal(c.cooking.report.barred_count, ranks[i]);
        assert_int_equal(c.cooking.report.coordinate_count, desc.mode_count - ranks[i]);
        const difference found = compare(&c, recipes[i].clusters > 0, 12, 15);
        assert_true(found.seen > 0.003);
        assert_true(found.most < 1e-8 * found.seen);
        finish(&c);
    }
}

static void test_all_modes_feel_a_morph_target_by_coordinates(void **state)
{
    (void)state;
    comparison c;
    sn_cook_desc desc;
    describe(&c, &(recipe){{4, 4, 4}, 0, 0, SN_LEAK_AUTO}, NULL, &desc);
    add_target(&c);
    desc.complementary = SN_COMPLEMENTARY_COORDINATES;
    desc.mode_count = c.cooking.mesh.vertex_count;
    cook_described(&c, &desc);
    assert_int_equal(c.cooking.report.coordinate_count, c.cooking.mesh.vertex_count - 4 - 3);
    feel_target(&c);
    const difference found = compare(&c, false, 12, 15);
    assert_true(found.seen > 0.003);
    assert_true(found.most < 1e-8 * found.seen);
    finish(&c);
}

/* Three vertices with D > 0 on a line: x^2 is independent there, x^3 is not, and the modes lose what the full space
 * keeps. */
static void test_all_modes_of_a_thin_bar_are_less(void **state)
{
    (void)state;
    comparison c;
    sn_cook_desc desc;
    cook(&c, &(recipe){{4, 2, 2}, 0, 0, SN_LEAK_AUTO}, NULL, &desc);
    sn_fullspace_solver *solver = NULL;
    const sn_fullspace_desc full_desc = sn_default_fullspace_desc();
    assert_int_equal(sn_fullspace_solver_create(&c.input, &full_desc, &solver), SN_OK);
    assert_int_equal(sn_fullspace_constraint_rank(solver), 2);
    assert_int_equal(c.cooking.reduced.coordinate_count, c.cooking.mesh.vertex_count - 3);
    sn_fullspace_solver_destroy(&solver);
    finish(&c);
}

/* The paper's section 9.10: the L2 error against the full space with a rotation a tet, over modes and over clusters.
 * After four steps instead of one, since from rest a step turns little. */
static void test_ablation(void **state)
{
    (void)state;
    const recipe recipes[2][4] = {{{{6, 4, 4}, 2, 0, SN_LEAK_AUTO},
                                   {{6, 4, 4}, 8, 0, SN_LEAK_AUTO},
                                   {{6, 4, 4}, 32, 0, SN_LEAK_AUTO},
                                   {{6, 4, 4}, 0, 0, SN_LEAK_AUTO}},
                                  {{{6, 4, 4}, 0, 2, SN_LEAK_AUTO},
                                   {{6, 4, 4}, 0, 12, SN_LEAK_AUTO},
                                   {{6, 4, 4}, 0, 72, SN_LEAK_AUTO},
                                   {{6, 4, 4}, 0, 0, SN_LEAK_AUTO}}};
    for (int series = 0; series < 2; ++series) {
        double before = INFINITY;
        for (int i = 0; i < 4; ++i) {
            comparison c;
            sn_cook_desc desc;
            cook(&c, &recipes[series][i], NULL, &desc);
            const double error = compare(&c, false, 4, 60).l2;
            assert_true(error < 0.85 * before);
            before = error;
            finish(&c);
        }
        assert_true(before < 1e-8);
    }
}

/* What was cooked is what the model says, whatever was painted: filled shares that differ, a leak of the user's own. */
static void test_input_from_a_model(void **state)
{
    (void)state;
    double values[7 * 5 * 5];
    comparison c;
    sn_cook_desc desc;
    sn_fullspace_input input;
    for (int i = 0; i < 7 * 5 * 5; ++i) {
        values[i] = 0.5 + 0.5 * sin(i);
    }
    cook(&c, &(recipe){{6, 4, 4}, 12, 10, SN_LEAK_VALUES}, values, &desc);
    sn_cooking *k = &c.cooking;
    for (int t = 0; t < k->mesh.tet_count; ++t) {
        k->tet_stiffness[t] = 1 + 0.3 * (t % 7);
        k->tet_density[t] = 1 + 0.1 * (t % 5);
    }
    sn_tet_lumped_mass(&k->mesh, k->volumes, k->tet_density, k->mass);
    assert_int_equal(sn_cooking_reduce(k), SN_OK);
    assert_int_equal(sn_cooking_assemble(k), SN_OK);
    fill_input(&c);
    sn_model_release(c.model);
    assert_int_equal(sn_model_load(k->bytes, k->size, &c.model), SN_OK);
    assert_int_equal(sn_fullspace_input_from_model(c.model, "bar", &k->arena, &input), SN_OK);
    for (int t = 0; t < input.mesh.tet_count; ++t) {
        assert_true(fabs(input.tet_mu[t] / c.input.tet_mu[t] - 1) < 1e-6);
    }
    for (int v = 0; v < input.mesh.vertex_count; ++v) {
        assert_true(fabs(input.mass[v] / c.input.mass[v] - 1) < 1e-6);
        assert_true(fabs(input.leak[v] - c.input.leak[v]) < 1e-6);
    }
    finish(&c);
}

int main(void)
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
        cmocka_unit_test(test_all_modes_are_the_full_space),
        cmocka_unit_test(test_all_modes_of_a_pinned_bar),
        cmocka_unit_test(test_all_modes_feel_a_morph_target),
        cmocka_unit_test(test_all_modes_complementary_by_coordinates),
        cmocka_unit_test(test_all_modes_feel_a_morph_target_by_coordinates),
        cmocka_unit_test(test_all_modes_of_a_thin_bar_are_less),
        cmocka_unit_test(test_ablation),
        cmocka_unit_test(test_input_from_a_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Levels of detail: fewer modes and coarser clusters than the model has, and changes of them while a body moves. */
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

#define MODES 8
#define FEW 3 /* 12 coordinates: not a multiple of what kernels take at once */
#define MOST_COORDINATES (4 * 16)

typedef struct character {
    sn_cook_context cooking;
    sn_model *model;
} character;

/* labels (of the tets) or null. */
static character cook_as(const int *cells, int modes, double poisson, const int32_t *labels,
                         sn_cook_complementary complementary)
{
    character c = {.model = NULL};
    c.cooking.mesh = sn_test_bar(&c.cooking.arena, cells[0], cells[1], cells[2], 0.25);
    sn_cook_desc desc = sn_default_cook_desc();
    desc.mode_count = modes;
    desc.cluster_count = 40;
    desc.coarse_cluster_counts[0] = 15;
    desc.coarse_cluster_counts[1] = 5;
    desc.poisson = poisson;
    desc.complementary = complementary;
    desc.labels = labels;
    desc.label_count = labels ? (size_t)c.cooking.mesh.tet_count : 0;
    assert_int_equal(sn_cook_context_run(&c.cooking, "bar", &desc), SN_OK);
    assert_int_equal(sn_model_load(c.cooking.bytes, c.cooking.size, &c.model), SN_OK);
    return c;
}

static character cook(const int *cells, int modes, double poisson, const int32_t *labels)
{
    return cook_as(cells, modes, poisson, labels, SN_COMPLEMENTARY_WEIGHTS);
}

static const int bar[3] = {12, 4, 3};

static void finish(character *c)
{
    sn_model_release(c->model);
    sn_cook_context_finish(&c->cooking);
}

typedef struct actor {
    const sn_model *model;
    sn_reduced_solver *solver;
    sn_reduced_body *body;
} actor;

static sn_reduced_desc level_of(int modes, int level, bool is_double)
{
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.mode_count = modes;
    desc.cluster_level = level;
    desc.is_double = is_double;
    desc.gravity[1] = -3;
    desc.damping = 1;
    desc.tolerance = 1e-9;
    desc.iteration_limit = 200;
    return desc;
}

static actor make(const sn_model *model, const sn_reduced_desc *desc)
{
    actor a = {.model = model};
    assert_int_equal(sn_reduced_solver_create(model, desc, &a.solver), SN_OK);
    assert_int_equal(sn_reduced_body_create(a.solver, NULL, &a.body), SN_OK);
    return a;
}

static void stop(actor *a)
{
    sn_reduced_body_destroy(&a->body);
    sn_reduced_solver_destroy(&a->solver);
}

static void shake(int frame, double *pose)
{
    const double angle = 0.5 * sin(0.35 * frame);
    sn_affine_identity(pose);
    pose[0] = pose[5] = cos(angle);
    pose[1] = -sin(angle);
    pose[4] = sin(angle);
    pose[3] = 0.2 * sin(0.2 * frame);
}

static void step(actor *a, int frame)
{
    double pose[12];
    shake(frame, pose);
    assert_false(sn_reduced_body_step(a->body, pose, NULL).is_recovered);
}

/* What the modes add to the rig; null where memory is out. Free it. */
static double *displacement(const actor *a)
{
    const sn_model *m = a->model;
    double transforms[12 * 16] = {0};
    double *moved = calloc((size_t)m->counts.vertex_count, 3 * sizeof *moved);
    assert_true(moved && m->counts.mode_count <= 16);
    sn_reduced_body_mode_transforms(a->body, 1, transforms);
    sn_skin_add(m->mode_weights, m->counts.mode_count, transforms, m->rest_positions, m->counts.vertex_count, moved);
    return moved;
}

/* The largest difference of two displacements, of which `size` gets the largest. */
static double compare(const actor *a, const actor *b, double *size)
{
    double *x = displacement(a), *y = displacement(b), worst = 0;
    *size = 0;
    for (int i = 0; i < 3 * a->model->counts.vertex_count; ++i) {
        worst = fmax(worst, fabs(x[i] - y[i]));
        *size = fmax(*size, fabs(x[i]));
    }
    free(x);
    free(y);
    return worst;
}

/* Both through the same motion: they stay together within `allowed` of the diagonal, and move. */
static void expect_same_motion(const sn_model *a, const sn_reduced_desc *a_desc, const sn_model *b,
                               const sn_reduced_desc *b_desc, double allowed)
{
    actor x = make(a, a_desc), y = make(b, b_desc);
    double worst = 0, most = 0;
    for (int frame = 0; frame < 60; ++frame) {
        double size = 0;
        step(&x, frame);
        step(&y, frame);
        worst = fmax(worst, compare(&x, &y, &size));
        most = fmax(most, size);
    }
    print_message("worst %.2e of %.3f\n", worst, most);
    assert_true(worst <= allowed);
    assert_true(most > 0.02);
    stop(&x);
    stop(&y);
}

/* The first modes of a model are a model that was cooked with so many, wherever the rig's constraint is. */
static void test_truncated_is_cooked_with_fewer_modes(void **state)
{
    (void)state;
    static const double ratios[] = {0, 0.4, 0, 0.4};
    for (int i = 0; i < 4; ++i) {
        const sn_cook_complementary by = i < 2 ? SN_COMPLEMENTARY_WEIGHTS : SN_COMPLEMENTARY_COORDINATES;
        character many = cook_as(bar, MODES, ratios[i], NULL, by);
        character few = cook_as(bar, FEW, ratios[i], many.cooking.clusters, by);
        assert_int_equal(few.model->counts.coordinate_count, i < 2 ? 4 * FEW : 4 * FEW - 4);
        for (int is_double = 0; is_double < 2; ++is_double) {
            const sn_reduced_desc all = level_of(0, 0, is_double), some = level_of(FEW, 0, is_double);
            expect_same_motion(few.model, &all, many.model, &some, is_double ? 1e-7 : 1e-5);
        }
        const sn_reduced_desc some = level_of(FEW, 0, true);
        actor a = make(many.model, &some);
        assert_int_equal(a.solver->coordinate_count, few.model->counts.coordinate_count);
        for (int k = 0; k < a.solver->coordinate_count; ++k) {
            assert_true(fabs(a.solver->model->coordinate_stiffness[k] / few.model->coordinate_stiffness[k] - 1) < 1e-6);
            assert_true(fabs(a.solver->model->coordinate_bounds[k] / few.model->coordinate_bounds[k] - 1) < 1e-3);
        }
        assert_true(fabs(a.solver->model->volume_bound - few.model->volume_bound) <= 1e-6 * few.model->volume_bound);
        stop(&a);
        finish(&many);
        finish(&few);
    }
}

/* A level of clusters is a model that was cooked with those clusters. */
static void test_coarse_clusters_are_cooked_ones(void **state)
{
    (void)state;
    const double ratios[] = {0, 0.4};
    for (int i = 0; i < 2; ++i) {
        character fine = cook(bar, MODES, ratios[i], NULL);
        const sn_model_counts *c = &fine.model->counts;
        assert_int_equal(c->coarse_level_count, 2);
        assert_int_equal(sn_model_cluster_level_count(fine.model), 3);
        for (int level = 1; level <= 2; ++level) {
            int32_t *labels = malloc((size_t)c->tet_count * sizeof *labels);
            assert_non_null(labels);
            for (int t = 0; t < c->tet_count; ++t) {
                labels[t] = fine.model->coarse_clusters[(level - 1) * c->cluster_count + fine.model->tet_clusters[t]];
            }
            character coarse = cook(bar, MODES, ratios[i], labels);
            assert_int_equal(coarse.model->counts.cluster_count, sn_model_level_cluster_count(fine.model, level));
            const sn_reduced_desc all = level_of(0, 0, true), low = level_of(0, level, true);
            expect_same_motion(coarse.model, &all, fine.model, &low, 1e-8);
            finish(&coarse);
            free(labels);
        }
        finish(&fine);
    }
}

/* More columns than the mesh has vertices: the smaller space is as large as a cook's. */
static void test_dependent_columns(void **state)
{
    (void)state;
    const int cells[3] = {3, 1, 1};
    sn_cook_desc desc = sn_default_cook_desc();
    desc.leak = SN_LEAK_ALL;
    for (int modes = 1; modes < 6; ++modes) {
        character c[2];
        for (int i = 0; i < 2; ++i) {
            c[i] = (character){.model = NULL};
            c[i].cooking.mesh = sn_test_bar(&c[i].cooking.arena, cells[0], cells[1], cells[2], 0.25);
            desc.mode_count = i == 0 ? modes : 6;
            assert_int_equal(sn_cook_context_run(&c[i].cooking, "bar", &desc), SN_OK);
            assert_int_equal(sn_model_load(c[i].cooking.bytes, c[i].cooking.size, &c[i].model), SN_OK);
        }
        const sn_reduced_desc few = level_of(modes, 0, true);
        actor a = make(c[1].model, &few);
        assert_int_equal(a.solver->coordinate_count, c[0].model->counts.coordinate_count);
        for (int frame = 0; frame < 20; ++frame) {
            step(&a, frame);
        }
        stop(&a);
        finish(&c[0]);
        finish(&c[1]);
    }
}

/* The truncated objective is the whole one on the subspace, and its gradient that of finite differences along it. */
static void test_objective_is_restricted(void **state)
{
    (void)state;
    character c = cook(bar, MODES, 0.3, NULL);
    const sn_reduced_desc all = level_of(0, 0, true), few = level_of(FEW, 0, true);
    actor whole = make(c.model, &all), part = make(c.model, &few);
    const int q = part.solver->coordinate_count, n = whole.solver->coordinate_count;
    const double *basis = part.solver->view.basis;
    double z[3 * MOST_COORDINATES], wide[3 * MOST_COORDINATES], gradient[3 * MOST_COORDINATES];
    double unused[3 * MOST_COORDINATES], pose[12];
    assert_int_equal(q, 4 * FEW);
    for (int frame = 0; frame < 5; ++frame) {
        step(&part, frame);
    }
    /* the same state in both */
    memset(whole.body->coordinates, 0, (size_t)(3 * n) * sizeof(double));
    memset(whole.body->coordinates_before, 0, (size_t)(3 * n) * sizeof(double));
    sn_reduced_add_product(basis, n, q, 1, part.body->coordinates, whole.body->coordinates);
    sn_reduced_add_product(basis, n, q, 1, part.body->coordinates_before, whole.body->coordinates_before);
    shake(4, pose);
    sn_reduced_rig_from_pose(pose, 1, whole.body->rig);
    shake(3, pose);
    sn_reduced_rig_from_pose(pose, 1, whole.body->rig_before);
    shake(6, pose);
    for (int i = 0; i < 3 * q; ++i) {
        z[i] = part.body->coordinates[i] + 0.01 * sin(i);
    }
    const double value = sn_reduced_body_objective(part.body, pose, z, gradient);
    double scale = 0;
    for (int i = 0; i < 3 * q; ++i) {
        scale = fmax(scale, fabs(gradient[i]));
    }
    memset(wide, 0, sizeof wide);
    sn_reduced_add_product(basis, n, q, 1, z, wide);
    assert_true(fabs(sn_reduced_body_objective(whole.body, pose, wide, unused) - value) < 1e-10 * fabs(value));
    for (int i = 0; i < 3 * q; ++i) {
        const double h = 1e-5;
        double values[2];
        for (int side = 0; side < 2; ++side) {
            memset(wide, 0, sizeof wide);
            sn_reduced_add_product(basis, n, q, 1, z, wide);
            for (int k = 0; k < n; ++k) {
                wide[3 * k + i % 3] += (side == 0 ? h : -h) * basis[k * q + i / 3];
            }
            values[side] = sn_reduced_body_objective(whole.body, pose, wide, unused);
        }
        assert_true(fabs((values[0] - values[1]) / (2 * h) - gradient[i]) < 1e-5 * scale);
    }
    stop(&whole);
    stop(&part);
    finish(&c);
}

/* All modes, asked for by number, and clusters beyond the coarsest level. */
static void test_everything_is_the_model(void **state)
{
    (void)state;
    character c = cook(bar, MODES, 0, NULL);
    const int asked[][4] = {{0, 0, MODES, 0}, {0, 0, MODES + 5, 0}, {0, 2, 0, 7}};
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; ++i) {
        const sn_reduced_desc left = level_of(asked[i][0], asked[i][1], false);
        const sn_reduced_desc right = level_of(asked[i][2], asked[i][3], false);
        actor a = make(c.model, &left), b = make(c.model, &right);
        for (int frame = 0; frame < 20; ++frame) {
            step(&a, frame);
            step(&b, frame);
        }
        assert_memory_equal(a.body->coordinates, b.body->coordinates,
                            (size_t)(3 * c.model->counts.coordinate_count) * sizeof(double));
        stop(&a);
        stop(&b);
    }
    finish(&c);
}

/* Modes that are not used have no transforms, in contact too. */
static void test_unused_modes_rest(void **state)
{
    (void)state;
    character c = cook(bar, MODES, 0, NULL);
    const sn_reduced_desc few = level_of(FEW, 1, false);
    actor a = make(c.model, &few);
    double transforms[12 * MODES], used = 0;
    for (int frame = 0; frame < 10; ++frame) {
        step(&a, frame);
    }
    sn_reduced_body_mode_transforms(a.body, 1, transforms);
    for (int i = 0; i < 12 * MODES; ++i) {
        used = i < 12 * FEW ? fmax(used, fabs(transforms[i])) : used;
        assert_true(i < 12 * FEW || transforms[i] == 0);
    }
    assert_true(used > 1e-3 && sn_reduced_solver_mode_count(a.solver) == FEW);
    stop(&a);
    finish(&c);
}

static double square(const double *z, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += z[i] * z[i];
    }
    return sum;
}

/* Down loses what the modes that go held, and no more; up loses nothing, velocity included. */
static void test_change_keeps_the_state(void **state)
{
    (void)state;
    character c = cook(bar, MODES, 0, NULL);
    const sn_reduced_desc all = level_of(0, 0, true), few = level_of(FEW, 1, true), some = level_of(5, 2, true);
    actor a = make(c.model, &all), low = make(c.model, &few), middle = make(c.model, &some);
    const int n = a.solver->coordinate_count, q = low.solver->coordinate_count;
    double before[2][3 * MOST_COORDINATES], lost[3 * MOST_COORDINATES], kept[3 * MOST_COORDINATES];
    for (int frame = 0; frame < 25; ++frame) {
        step(&a, frame);
    }
    memcpy(before[0], a.body->coordinates, (size_t)(3 * n) * sizeof(double));
    memcpy(before[1], a.body->coordinates_before, (size_t)(3 * n) * sizeof(double));
    sn_reduced_body_set_solver(a.body, low.solver);
    const double *states[2] = {a.body->coordinates, a.body->coordinates_before};
    for (int s = 0; s < 2; ++s) {
        /* the rest is orthogonal to the space: nothing in it is nearer */
        memset(kept, 0, sizeof kept);
        sn_reduced_add_product(low.solver->view.basis, n, q, 1, states[s], kept);
        for (int i = 0; i < 3 * n; ++i) {
            lost[i] = before[s][i] - kept[i];
        }
        for (int k = 0; k < 3 * q; ++k) {
            double sum = 0;
            for (int i = 0; i < n; ++i) {
                sum += low.solver->view.basis[i * q + k / 3] * lost[3 * i + k % 3];
            }
            assert_true(fabs(sum) < 1e-12 * sqrt(square(before[s], 3 * n)));
        }
        assert_true(square(lost, 3 * n) > 0 && square(states[s], 3 * q) > 0);
    }
    memcpy(lost, a.body->coordinates, (size_t)(3 * q) * sizeof(double));
    memcpy(kept, a.body->coordinates_before, (size_t)(3 * q) * sizeof(double));
    double *drawn = displacement(&a);
    sn_reduced_body_set_solver(a.body, middle.solver);
    sn_reduced_body_set_solver(a.body, a.solver);
    double *again = displacement(&a);
    for (int i = 0; i < 3 * c.model->counts.vertex_count; ++i) {
        assert_true(fabs(drawn[i] - again[i]) < 1e-12);
    }
    sn_reduced_body_set_solver(a.body, low.solver);
    for (int i = 0; i < 3 * q; ++i) {
        assert_true(fabs(a.body->coordinates[i] - lost[i]) < 1e-12);
        assert_true(fabs(a.body->coordinates_before[i] - kept[i]) < 1e-12);
    }
    free(drawn);
    free(again);
    sn_reduced_body_set_solver(a.body, a.solver);
    stop(&a);
    stop(&low);
    stop(&middle);
    finish(&c);
}

/* Levels that alternate while a body moves: what is drawn jumps no further than by what the modes that go held, and a
 * body that has come down steps with the same bits as one that was always there. */
static void test_change_does_not_pop(void **state)
{
    (void)state;
    character c = cook(bar, MODES, 0, NULL);
    const sn_reduced_desc all = level_of(0, 0, false), few = level_of(FEW, 1, false);
    actor a = make(c.model, &all), b = make(c.model, &few);
    const size_t bytes = (size_t)(3 * b.solver->coordinate_count) * sizeof(double);
    for (int frame = 0; frame < 60; ++frame) {
        step(&a, frame);
        double *drawn = displacement(&a), transforms[12 * MODES], lost = 0, moved = 0;
        sn_reduced_body_mode_transforms(a.body, 1, transforms);
        double *fine = calloc((size_t)c.model->counts.vertex_count, 3 * sizeof *fine);
        assert_non_null(fine);
        memset(transforms, 0, 12 * FEW * sizeof *transforms);
        sn_skin_add(c.model->mode_weights, MODES, transforms, c.model->rest_positions, c.model->counts.vertex_count,
                    fine);
        sn_reduced_body_set_solver(a.body, frame % 2 == 0 ? b.solver : a.solver);
        double *jumped = displacement(&a);
        for (int i = 0; i < 3 * c.model->counts.vertex_count; ++i) {
            lost = fmax(lost, fabs(fine[i]));
            moved = fmax(moved, fabs(drawn[i] - jumped[i]));
        }
        assert_true(frame % 2 == 0 ? moved <= 1.5 * lost + 1e-9 : moved < 1e-9);
        free(drawn);
        free(fine);
        free(jumped);
    }
    sn_reduced_body_set_solver(a.body, b.solver);
    memcpy(b.body->coordinates, a.body->coordinates, bytes);
    memcpy(b.body->coordinates_before, a.body->coordinates_before, bytes);
    memcpy(b.body->rig, a.body->rig, 12 * sizeof(double));
    memcpy(b.body->rig_before, a.body->rig_before, 12 * sizeof(double));
    for (int frame = 60; frame < 70; ++frame) {
        step(&a, frame);
        step(&b, frame);
    }
    assert_memory_equal(a.body->coordinates, b.body->coordinates, bytes);
    sn_reduced_body_set_solver(a.body, a.solver);
    stop(&a);
    stop(&b);
    finish(&c);
}

static void test_change_allocates_nothing(void **state)
{
    (void)state;
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    character c = cook(bar, MODES, 0, NULL);
    const sn_reduced_desc all = level_of(0, 0, false), few = level_of(FEW, 2, false);
    actor a = make(c.model, &all), b = make(c.model, &few); /* a body made at a low level has room for all of it */
    const int before = allocation_count;
    for (int frame = 0; frame < 40; ++frame) {
        const sn_reduced_solver *solver = frame % 3 == 0 ? a.solver : b.solver;
        sn_reduced_body_set_solver(a.body, solver);
        sn_reduced_body_set_solver(b.body, solver);
        step(&a, frame);
        step(&b, frame);
    }
    assert_int_equal(allocation_count, before);
    stop(&a);
    stop(&b);
    finish(&c);
    sn_set_allocator(NULL, NULL, NULL);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void test_bad_levels_are_refused(void **state)
{
    (void)state;
    character c = cook(bar, MODES, 0, NULL);
    sn_reduced_solver *solver = NULL;
    sn_reduced_desc desc = level_of(-1, 0, false);
    assert_int_equal(sn_reduced_solver_create(c.model, &desc, &solver), SN_ERROR_ARGUMENT);
    desc = level_of(0, -1, false);
    assert_int_equal(sn_reduced_solver_create(c.model, &desc, &solver), SN_ERROR_ARGUMENT);
    assert_null(solver);
    finish(&c);
}

int test_levels(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truncated_is_cooked_with_fewer_modes),
        cmocka_unit_test(test_coarse_clusters_are_cooked_ones),
        cmocka_unit_test(test_dependent_columns),
        cmocka_unit_test(test_objective_is_restricted),
        cmocka_unit_test(test_everything_is_the_model),
        cmocka_unit_test(test_unused_modes_rest),
        cmocka_unit_test(test_change_keeps_the_state),
        cmocka_unit_test(test_change_does_not_pop),
        cmocka_unit_test(test_change_allocates_nothing),
        cmocka_unit_test(test_bad_levels_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

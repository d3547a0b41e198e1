/* SPDX-License-Identifier: MIT */
/* Meshes as curves and series: parts, curves, least squares, and modes of every vertex, on clean and on dirty meshes.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "author/fourier/fourier.h"
#include "author/fourier/fourier_fit.h"
#include "research/figures/bending_arm.h"
#include "tests/fourier/fourier_test.h"
#include "tests/support/log.h"

#define SHEET 24

static bending_arm arm;

typedef struct fitted {
    sn_arena arena;
    sn_tri_mesh mesh;
    sn_fourier_curves curves;
    double *field, *series, *modes, error;
} fitted;

static sn_tri_mesh arm_mesh(sn_arena *arena)
{
    make_bending_arm(1, &arm);
    double *positions = SN_NEW(arena, double, 3 * ARM_VERTICES);
    for (int i = 0; i < 3 * ARM_VERTICES; ++i) {
        positions[i] = (double)arm.positions[i];
    }
    return (sn_tri_mesh){ARM_VERTICES, ARM_TRIANGLES, positions, arm.triangles};
}

/* Something smooth that turns around the tube once, and grows along it. */
static void fill_field(const sn_tri_mesh *mesh, double *field)
{
    for (int v = 0; v < mesh->vertex_count; ++v) {
        const double *x = mesh->positions + 3 * v;
        field[3 * v] = 0.1 * x[1] * x[0];
        field[3 * v + 1] = 0.2 * sin(2 * x[0]) + x[2] * x[2];
        field[3 * v + 2] = 0.3 * x[1];
    }
}

static void fit(const sn_fourier_fit_desc *desc, fitted *f)
{
    sn_fourier_spread *spread = NULL;
    const size_t n = 3 * (size_t)f->mesh.vertex_count, modes = (size_t)desc->harmonic_count + 1;
    assert_int_equal(sn_fourier_curves_build(&f->mesh, desc, &f->arena, &f->curves), SN_OK);
    f->field = SN_NEW(&f->arena, double, n);
    f->series =
        SN_NEW(&f->arena, double, 3 * (size_t)f->curves.curve_count * SN_FOURIER_TERMS((size_t)desc->harmonic_count));
    f->modes = SN_NEW(&f->arena, double, n *modes);
    fill_field(&f->mesh, f->field);
    assert_int_equal(sn_fourier_curves_fit(&f->curves, f->field, f->series, &f->error), SN_OK);
    assert_int_equal(sn_fourier_spread_create(&f->curves, &spread), SN_OK);
    assert_int_equal(sn_fourier_spread_modes(spread, f->series, f->field, f->modes), SN_OK);
    sn_fourier_spread_destroy(&spread);
    for (size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (size_t m = 0; m < modes; ++m) {
            assert_true(isfinite(f->modes[m * n + i]));
            sum += f->modes[m * n + i];
        }
        assert_near(sum, f->field[i], 1e-13 * (1 + fabs(f->field[i])));
    }
}

/* Points lie on their edges, parameters ascend from 0, parts are numbered. */
static void check_curves(const sn_fourier_curves *c)
{
    for (int i = 0; i < c->mesh.triangle_count; ++i) {
        assert_true(c->parts[i] >= 0 && c->parts[i] < c->part_count);
    }
    for (int i = 0; i < c->curve_count; ++i) {
        const sn_fourier_curve *curve = &c->curves[i];
        const sn_fourier_point *points = c->points + curve->first_point;
        assert_true(curve->harmonic_count <= c->harmonic_count && curve->part < c->part_count);
        assert_true(points[0].parameter == 0);
        for (int k = 1; k < curve->point_count; ++k) {
            assert_true(points[k].parameter >= points[k - 1].parameter && points[k].parameter <= 1 + 1e-12);
        }
        assert_true(curve->is_closed || fabs(points[curve->point_count - 1].parameter - 1) < 1e-12);
    }
}

static void test_sections_of_a_tube(void **state)
{
    (void)state;
    fitted f = {.mesh = arm_mesh(&f.arena)};
    const sn_fourier_fit_desc desc = sn_default_fourier_fit_desc();
    fit(&desc, &f);
    check_curves(&f.curves);
    int closed = 0;
    for (int i = 0; i < f.curves.curve_count; ++i) {
        closed += f.curves.curves[i].is_closed;
    }
    assert_true(closed >= 12);
    assert_true(f.error < 1e-3); /* two harmonics are in the field */
    sn_arena_finish(&f.arena);
}

static void test_more_harmonics_fit_better(void **state)
{
    (void)state;
    double errors[3];
    static const int harmonics[3] = {0, 1, 7};
    for (int i = 0; i < 3; ++i) {
        fitted f = {.mesh = arm_mesh(&f.arena)};
        sn_fourier_fit_desc desc = sn_default_fourier_fit_desc();
        desc.harmonic_count = harmonics[i];
        fit(&desc, &f);
        errors[i] = f.error;
        sn_arena_finish(&f.arena);
    }
    print_message("largest errors at curves' points, N = 0, 1, 7: %.3g %.3g %.3g\n", errors[0], errors[1], errors[2]);
    assert_true(errors[1] < errors[0] / 2 && errors[2] < errors[1] / 4);
}

/* Vertices that lie on one curve have its modes, and D(vertex, t) = sum gamma_n(t) modes[n] is the curve's. */
static void test_targets_are_the_curves(void **state)
{
    (void)state;
    fitted f = {.mesh = arm_mesh(&f.arena)};
    const sn_fourier_fit_desc desc = sn_default_fourier_fit_desc();
    fit(&desc, &f);
    const size_t n = 3 * (size_t)f.mesh.vertex_count;
    const sn_fourier_material material = sn_default_fourier_material();
    int *counts = SN_NEW(&f.arena, int, f.mesh.vertex_count);
    float *fields[10], weights[10];
    double gammas[10];
    for (int m = 0; m < 10; ++m) {
        const sn_fourier_mode mode = sn_fourier_mode_of(&material, m, 0.7);
        sn_fourier_solution solution;
        assert_int_equal(sn_fourier_solution_init(&mode, &solution), SN_OK);
        gammas[m] = sn_fourier_solution_at(&solution, 0.43).gamma;
        weights[m] = (float)gammas[m];
        fields[m] = SN_NEW(&f.arena, float, n);
        for (size_t i = 0; i < n; ++i) {
            fields[m][i] = (float)f.modes[n * (size_t)m + i];
        }
    }
    sn_fourier_targets targets;
    assert_int_equal(
        sn_fourier_targets_build(f.mesh.vertex_count, 10, (const float *const *)fields, &f.arena, &targets), SN_OK);
    float *moved = SN_NEW(&f.arena, float, (size_t)targets.block_count *SN_FOURIER_BLOCK_FLOATS);
    sn_fourier_targets_evaluate(&targets, weights, SN_FOURIER_BEST, NULL, moved);
    for (int i = 0; i < f.curves.point_count; ++i) {
        ++counts[f.curves.points[i].vertices[0]];
    }
    int compared = 0;
    for (int i = 0; i < f.curves.curve_count; ++i) {
        const sn_fourier_curve *curve = &f.curves.curves[i];
        for (int k = 0; k < curve->point_count; ++k) {
            const sn_fourier_point *p = &f.curves.points[curve->first_point + k];
            const size_t vertex = (size_t)p->vertices[0];
            double modes[30];
            if (p->vertices[0] != p->vertices[1] || counts[vertex] != 1) {
                continue;
            }
            ++compared;
            sn_fourier_curve_modes(&f.curves, i, f.series + (size_t)i * 3 * SN_FOURIER_TERMS(9), p->parameter, modes);
            for (size_t d = 0; d < 3; ++d) {
                double own = 0, all = 0;
                for (int m = 0; m < 10; ++m) {
                    own += gammas[m] * modes[3 * m + (int)d];
                    all += modes[3 * m + (int)d];
                }
                own += gammas[0] * (f.field[3 * vertex + d] - all);
                assert_near((double)moved[3 * vertex + d], own, 1e-6);
            }
        }
    }
    assert_true(compared > 50);
    sn_arena_finish(&f.arena);
}

/* A sheet with a border: one seam around it, or sections from border to border, which are open. */
static sn_tri_mesh make_sheet(sn_arena *arena, int extra_vertices, int extra_triangles)
{
    const int n = SHEET + 1, vertices = n * n, triangles = 2 * SHEET * SHEET;
    double *x = SN_NEW(arena, double, 3 * (size_t)(vertices + extra_vertices));
    int32_t *t = SN_NEW(arena, int32_t, 3 * (size_t)(triangles + extra_triangles));
    for (int v = 0; v < vertices; ++v) {
        x[3 * v] = v % n / (double)SHEET;
        x[3 * v + 1] = 0.1 * sin(5.0 * (v % n) / SHEET);
        x[3 * v + 2] = 3 * (v / n) / (double)SHEET;
    }
    for (int i = 0; i < SHEET * SHEET; ++i) {
        const int32_t a = i / SHEET * n + i % SHEET;
        const int32_t corners[6] = {a, a + n, a + 1, a + 1, a + n, a + n + 1};
        memcpy(t + 6 * i, corners, sizeof corners);
    }
    return (sn_tri_mesh){vertices + extra_vertices, triangles + extra_triangles, x, t};
}

static void test_open_curves_keep_their_ends(void **state)
{
    (void)state;
    fitted f = {.mesh = make_sheet(&f.arena, 0, 0)};
    const sn_fourier_fit_desc desc = sn_default_fourier_fit_desc();
    fit(&desc, &f);
    check_curves(&f.curves);
    int open = 0;
    for (int i = 0; i < f.curves.curve_count; ++i) {
        const sn_fourier_curve *curve = &f.curves.curves[i];
        for (int end = 0; end < 2 && !curve->is_closed; ++end) {
            const sn_fourier_point *p = &f.curves.points[curve->first_point + end * (curve->point_count - 1)];
            double modes[30];
            sn_fourier_curve_modes(&f.curves, i, f.series + (size_t)i * 3 * SN_FOURIER_TERMS(9), end, modes);
            for (size_t d = 0; d < 3; ++d) {
                double sum = 0;
                for (size_t m = 0; m < 10; ++m) {
                    sum += modes[3 * m + d];
                }
                assert_near(sum,
                            (1 - p->ratio) * f.field[3 * (size_t)p->vertices[0] + d] +
                                p->ratio * f.field[3 * (size_t)p->vertices[1] + d],
                            1e-12);
            }
        }
        open += !curve->is_closed;
    }
    assert_true(open >= 3);
    sn_arena_finish(&f.arena);
}

/* A sheet with a fin on an inner edge (three faces there), a face without area, one that names a vertex twice, a
 * triangle for itself, and a vertex without faces. */
static void test_dirty_meshes_are_fitted(void **state)
{
    (void)state;
    fitted f = {.mesh = make_sheet(&f.arena, 5, 4)};
    double *x = (double *)(uintptr_t)f.mesh.positions;
    int32_t *t = (int32_t *)(uintptr_t)f.mesh.triangles;
    const int n = SHEET + 1, v = f.mesh.vertex_count - 5, last = f.mesh.triangle_count - 4, inner = 5 * n + 5;
    for (int k = 0; k < 5; ++k) {
        x[3 * (v + k)] = 4 + k;
        x[3 * (v + k) + 1] = 0.5 * (k % 2);
        x[3 * (v + k) + 2] = 0.25 * k * k;
    }
    const int32_t corners[12] = {inner, inner + 1, v,     inner, inner + 1, inner,
                                 inner, inner,     inner, v + 1, v + 2,     v + 3};
    memcpy(t + 3 * last, corners, sizeof corners);
    const sn_fourier_fit_desc desc = sn_default_fourier_fit_desc();
    fit(&desc, &f);
    check_curves(&f.curves);
    assert_true(f.curves.curve_count > 0 && f.curves.part_count >= 2);
    sn_arena_finish(&f.arena);
}

static void test_parts_are_as_many_as_asked_for(void **state)
{
    (void)state;
    for (int parts = 1; parts <= 6; ++parts) {
        fitted f = {.mesh = arm_mesh(&f.arena)};
        sn_fourier_fit_desc desc = sn_default_fourier_fit_desc();
        desc.part_count = parts;
        fit(&desc, &f);
        check_curves(&f.curves);
        assert_int_equal(f.curves.part_count, parts);
        int seams = 0;
        for (int i = 0; i < f.curves.curve_count; ++i) {
            seams += f.curves.curves[i].is_seam;
        }
        assert_true(parts == 1 ? seams == 0 : seams >= 1);
        sn_arena_finish(&f.arena);
    }
}

static void test_same_mesh_same_curves(void **state)
{
    (void)state;
    fitted a = {.mesh = arm_mesh(&a.arena)}, b = {.mesh = arm_mesh(&b.arena)};
    const sn_fourier_fit_desc desc = sn_default_fourier_fit_desc();
    fit(&desc, &a);
    fit(&desc, &b);
    assert_int_equal(a.curves.point_count, b.curves.point_count);
    assert_memory_equal(a.curves.parts, b.curves.parts, ARM_TRIANGLES * sizeof(int32_t));
    assert_memory_equal(a.modes, b.modes, 30 * ARM_VERTICES * sizeof(double));
    sn_arena_finish(&a.arena);
    sn_arena_finish(&b.arena);
}

static void test_too_many_components_are_refused(void **state)
{
    (void)state;
    sn_arena arena = {0};
    const int count = 1001;
    double *x = SN_NEW(&arena, double, 9 * count);
    int32_t *t = SN_NEW(&arena, int32_t, 3 * count);
    for (int i = 0; i < 3 * count; ++i) {
        x[3 * i] = i;
        x[3 * i + 1] = i % 3 == 1;
        t[i] = i;
    }
    const sn_tri_mesh mesh = {3 * count, count, x, t};
    const sn_fourier_fit_desc desc = sn_default_fourier_fit_desc();
    sn_fourier_curves curves;
    begin_log();
    assert_int_equal(sn_fourier_curves_build(&mesh, &desc, &arena, &curves), SN_ERROR_UNSUPPORTED);
    sn_set_log(NULL, NULL);
    assert_one_error("more than 1000 components");
    sn_arena_finish(&arena);
}

int test_fourier_fit(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sections_of_a_tube),      cmocka_unit_test(test_more_harmonics_fit_better),
        cmocka_unit_test(test_targets_are_the_curves),  cmocka_unit_test(test_open_curves_keep_their_ends),
        cmocka_unit_test(test_dirty_meshes_are_fitted), cmocka_unit_test(test_parts_are_as_many_as_asked_for),
        cmocka_unit_test(test_same_mesh_same_curves),   cmocka_unit_test(test_too_many_components_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Samples of the surface: of its soft part, spread, with its area, and with the rows that skinning has. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "author/cook/stages/stages.h"
#include "tests/support/flesh.h"
#include "tests/support/torus.h"

#define COORDINATES 13
#define MODES 3

/* A torus of more vertices than samples, of which modes do not move those at x < -.2. */
typedef struct fixture {
    sn_cook_context cooking;
    sn_torus torus;
    sn_model model;
    double map[4 * MODES * COORDINATES];
} fixture;

static bool is_soft(const sn_model *model, int vertex)
{
    return model->surface_positions[3 * vertex] >= -0.2F;
}

static void start(fixture *f)
{
    *f = (fixture){.cooking = {.path = NULL}};
    sn_arena *a = &f->cooking.arena;
    f->torus = sn_torus_make(a, 40, 20, 2, MODES);
    f->model = f->torus.model;
    const int n = f->model.counts.surface_vertex_count;
    sn_mode_weight *weights = SN_NEW(a, sn_mode_weight, MODES * n);
    assert_non_null(weights);
    memcpy(weights, f->model.surface_modes, (size_t)(MODES * n) * sizeof *weights);
    for (int i = 0; i < MODES * n; ++i) {
        weights[i].weight = is_soft(&f->model, i / MODES) ? weights[i].weight : 0;
    }
    for (int i = 0; i < 4 * MODES * COORDINATES; ++i) {
        f->map[i] = sin(1 + 7.3 * i);
    }
    f->model.surface_modes = weights;
    f->model.mode_from_coordinate = f->map;
    f->model.counts.coordinate_count = COORDINATES;
    assert_int_equal(sn_cook_context_add_samples(&f->cooking, &f->model), SN_OK);
}

static void stop(fixture *f)
{
    sn_cook_context_finish(&f->cooking);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static double distance(const sn_model *model, int a, int b)
{
    double x[2][3];
    for (int d = 0; d < 3; ++d) {
        x[0][d] = (double)model->surface_positions[3 * a + d];
        x[1][d] = (double)model->surface_positions[3 * b + d];
    }
    return sn_distance3(x[0], x[1]);
}

static void test_they_are_soft_and_apart(void **state)
{
    (void)state;
    fixture f;
    start(&f);
    const sn_model *m = &f.model;
    assert_int_equal(m->counts.sample_count, SN_SAMPLE_LIMIT);
    for (int i = 0; i < m->counts.sample_count; ++i) {
        assert_in_range(m->sample_vertices[i], 0, m->counts.surface_vertex_count - 1);
        assert_true(is_soft(m, m->sample_vertices[i]));
        for (int j = 0; j < i; ++j) {
            assert_true(distance(m, m->sample_vertices[i], m->sample_vertices[j]) > 1e-3);
        }
    }
    stop(&f);
}

/* Each of the first half is as far from those before as any soft vertex is: so the distances never grow, and a leading
 * part covers all. */
static void test_coarse_to_fine(void **state)
{
    (void)state;
    fixture f;
    start(&f);
    const sn_model *m = &f.model;
    double before = INFINITY, first = 0;
    for (int i = 1; i < SN_SAMPLE_LIMIT / 2; ++i) {
        double nearest = INFINITY, farthest = 0;
        for (int j = 0; j < i; ++j) {
            nearest = fmin(nearest, distance(m, m->sample_vertices[i], m->sample_vertices[j]));
        }
        for (int v = 0; v < m->counts.surface_vertex_count && i % 16 == 1; ++v) {
            double gap = is_soft(m, v) ? INFINITY : 0;
            for (int j = 0; j < i; ++j) {
                gap = fmin(gap, distance(m, v, m->sample_vertices[j]));
            }
            farthest = fmax(farthest, gap);
        }
        assert_true(nearest <= before);
        assert_true(i % 16 != 1 || fabs(farthest - nearest) < 1e-7);
        before = nearest;
        first = i == 1 ? nearest : first;
    }
    assert_true(first > 0.5 && before < 0.15 && before > 0.01);
    stop(&f);
}

static double area_of(const sn_model *m, int triangle)
{
    const int32_t *corners = m->surface_triangles + 3 * (size_t)triangle;
    const double a = distance(m, corners[0], corners[1]), b = distance(m, corners[1], corners[2]);
    const double c = distance(m, corners[2], corners[0]), s = (a + b + c) / 2; /* Heron */
    return sqrt(fmax(s * (s - a) * (s - b) * (s - c), 0));
}

static void check_areas(const sn_model *m, double expected)
{
    double sum = 0, largest = 0;
    for (int i = 0; i < m->counts.sample_count; ++i) {
        assert_true(m->sample_areas[i] > 0);
        sum += (double)m->sample_areas[i];
        largest = fmax(largest, (double)m->sample_areas[i]);
    }
    assert_true(fabs(sum - expected) < 1e-5 * expected);
    assert_true(largest < 8 * expected / m->counts.sample_count);
}

static void test_areas_sum_to_the_soft_surface(void **state)
{
    (void)state;
    fixture f;
    start(&f);
    double soft = 0, all = 0;
    for (int t = 0; t < f.model.counts.surface_triangle_count; ++t) {
        all += area_of(&f.model, t);
        for (int k = 0; k < 3; ++k) {
            soft += is_soft(&f.model, f.model.surface_triangles[3 * t + k]) ? area_of(&f.model, t) / 3 : 0;
        }
    }
    assert_true(soft > 0.5 * all && soft < 0.9 * all);
    check_areas(&f.model, soft);
    stop(&f);
}

/* Rows times coordinates are what the modes of host/skin do to the vertex. */
static void check_rows(const sn_model *m, const double *coordinates)
{
    enum { MODE_LIMIT = 16, BONE_LIMIT = 4 };
    sn_arena scratch = {0};
    const size_t n = (size_t)m->counts.surface_vertex_count;
    double modes[12 * MODE_LIMIT], bones[12 * BONE_LIMIT], largest = 0;
    double *moved = SN_NEW(&scratch, double, 3 * n), *still = SN_NEW(&scratch, double, 3 * n);
    assert_true(moved && still && m->counts.mode_count <= MODE_LIMIT && m->counts.bone_count <= BONE_LIMIT);
    for (int b = 0; b < m->counts.bone_count; ++b) {
        sn_affine_identity(bones + 12 * b);
    }
    for (int i = 0; i < 12 * m->counts.mode_count; ++i) {
        const double *row = m->mode_from_coordinate + (4 * (i / 12) + i % 4) * m->counts.coordinate_count;
        modes[i] = 0;
        for (int k = 0; k < m->counts.coordinate_count; ++k) {
            modes[i] += row[k] * coordinates[3 * k + i % 12 / 4];
        }
    }
    sn_surface surface = sn_model_surface(m);
    sn_skin_surface(&surface, bones, modes, NULL, moved, NULL, NULL);
    surface.mode_count = 0;
    sn_skin_surface(&surface, bones, NULL, NULL, still, NULL, NULL);
    for (int i = 0; i < m->counts.sample_count; ++i) {
        double expected[3], flesh[3];
        const size_t v = 3 * (size_t)m->sample_vertices[i];
        sn_subtract3(moved + v, still + v, expected);
        sn_sample_flesh_offset(m, i, coordinates, flesh);
        assert_true(sn_distance3(expected, flesh) < 1e-5 * (1 + sn_length3(expected)));
        largest = fmax(largest, sn_length3(flesh));
    }
    assert_true(largest > 0.01);
    sn_arena_finish(&scratch);
}

static void test_rows_are_those_of_the_skin(void **state)
{
    (void)state;
    fixture f;
    double coordinates[3 * COORDINATES];
    start(&f);
    for (int i = 0; i < 3 * COORDINATES; ++i) {
        coordinates[i] = 0.1 * cos(3.1 * i);
    }
    check_rows(&f.model, coordinates);
    stop(&f);
}

/* A surface that no mode moves has none. */
static void test_rigid_surfaces_have_none(void **state)
{
    (void)state;
    fixture f;
    start(&f);
    sn_mode_weight *weights =
        SN_NEW(&f.cooking.arena, sn_mode_weight, MODES * f.model.counts.surface_vertex_count); /* zeros */
    f.model.surface_modes = weights;
    assert_int_equal(sn_cook_context_add_samples(&f.cooking, &f.model), SN_OK);
    assert_int_equal(f.model.counts.sample_count, 0);
    stop(&f);
}

/* Through a whole cook, and back from its file: all vertices of a small surface, and their rows on real modes. */
static void test_a_cooked_bar(void **state)
{
    (void)state;
    sn_cook_context cooking;
    const int cells[3] = {6, 3, 2};
    sn_model *m = sn_test_cook_bar(&cooking, cells, 2, 6);
    double coordinates[3 * 64], area = 0;
    assert_int_equal(m->counts.sample_count, 7 * 4 * 3 - 5 * 2 * 1);
    for (int t = 0; t < m->counts.surface_triangle_count; ++t) {
        area += area_of(m, t);
    }
    check_areas(m, area);
    for (int i = 0; i < 3 * m->counts.coordinate_count; ++i) {
        coordinates[i] = 0.2 * cos(3.1 * i);
    }
    check_rows(m, coordinates);
    assert_true(m->has_floor == 0); /* no scene file */
    sn_model_release(m);
    sn_cook_context_finish(&cooking);
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_samples(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_they_are_soft_and_apart),       cmocka_unit_test(test_coarse_to_fine),
        cmocka_unit_test(test_areas_sum_to_the_soft_surface), cmocka_unit_test(test_rows_are_those_of_the_skin),
        cmocka_unit_test(test_rigid_surfaces_have_none),      cmocka_unit_test(test_a_cooked_bar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

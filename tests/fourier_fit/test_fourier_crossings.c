/* SPDX-License-Identifier: MIT */
/* Bodies of which parts have many seams: the planes that cut these do not cross each other inside of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "author/characters/shape.h"
#include "author/fourier/fourier_fit.h"

/* A chord of a curve within a face: where it enters and leaves, along the face's edges, 0 .. 3. */
typedef struct chord {
    int face, curve;
    double ends[2];
} chord;

static int corner_of(const int32_t *face, int32_t vertex)
{
    for (int k = 0; k < 3; ++k) {
        if (face[k] == vertex) {
            return k;
        }
    }
    return -1;
}

/* Where a point is along the face's edges; -1: not there. */
static double place_of(const int32_t *face, const sn_fourier_point *p)
{
    const int a = corner_of(face, p->vertices[0]), b = corner_of(face, p->vertices[1]);
    if (a < 0 || b < 0) {
        return -1;
    }
    return a == b ? a : (a + 1) % 3 == b ? a + p->ratio : b + 1 - p->ratio;
}

static bool is_between(double at, double low, double high)
{
    return at > low + 1e-9 && at < high - 1e-9;
}

static bool is_beyond(double at, double low, double high)
{
    return at < low - 1e-9 || at > high + 1e-9;
}

static bool do_cross(const chord *a, const chord *b)
{
    const double low = fmin(a->ends[0], a->ends[1]), high = fmax(a->ends[0], a->ends[1]);
    return (is_between(b->ends[0], low, high) && is_beyond(b->ends[1], low, high)) ||
           (is_between(b->ends[1], low, high) && is_beyond(b->ends[0], low, high));
}

static int by_face(const void *left, const void *right)
{
    const chord *a = left, *b = right;
    return (a->face > b->face) - (a->face < b->face);
}

static int list_chords(const sn_fourier_curves *c, chord *chords)
{
    int count = 0;
    for (int i = 0; i < c->curve_count; ++i) {
        const sn_fourier_curve *curve = &c->curves[i];
        const sn_fourier_point *points = c->points + curve->first_point;
        for (int k = 0; k + !curve->is_closed < curve->point_count && !curve->is_seam; ++k) {
            for (int f = 0; f < c->mesh.triangle_count; ++f) {
                const double from = place_of(c->mesh.triangles + 3 * f, &points[k]);
                const double to =
                    from < 0 ? -1 : place_of(c->mesh.triangles + 3 * f, &points[(k + 1) % curve->point_count]);
                if (to >= 0) {
                    chords[count++] = (chord){f, i, {from, to}};
                }
            }
        }
    }
    qsort(chords, (size_t)count, sizeof *chords, by_face);
    return count;
}

static int count_crossings(const sn_fourier_curves *c)
{
    chord *chords = calloc((size_t)c->point_count * 8 + 8, sizeof *chords);
    assert_non_null(chords);
    const int count = list_chords(c, chords);
    int crossings = 0;
    for (int a = 0; a < count; ++a) {
        for (int b = a + 1; b < count && chords[b].face == chords[a].face; ++b) {
            crossings += chords[a].curve != chords[b].curve && do_cross(&chords[a], &chords[b]);
        }
    }
    free(chords);
    return crossings;
}

/* A trunk on four legs with a neck and a head, bent to one side by `bend`. */
static sn_tri_mesh make_beast(double bend, sn_arena *arena)
{
    static sn_shape shape;
    static const double hips[4][3] = {{-0.5, -0.1, 0.16}, {-0.45, -0.1, -0.16}, {0.5, -0.1, 0.16}, {0.42, -0.1, -0.16}};
    sn_shape_surface surface;
    memset(&shape, 0, sizeof shape);
    sn_shape_add_limb(&shape, (const double[3]){-0.55, 0, 0}, (const double[3]){0, 0, bend}, 0.22, 0.2, 0.05);
    sn_shape_add_limb(&shape, (const double[3]){0, 0, bend}, (const double[3]){0.55, 0, 0}, 0.2, 0.24, 0.1);
    for (int i = 0; i < 4; ++i) {
        const double foot[3] = {hips[i][0] + 0.05 * (i % 2), -0.75, hips[i][2]};
        sn_shape_add_limb(&shape, hips[i], foot, 0.1, 0.06, 0.04);
    }
    sn_shape_add_limb(&shape, (const double[3]){0.6, 0.1, 0}, (const double[3]){0.95, 0.55, 0}, 0.12, 0.09, 0.04);
    assert_int_equal(sn_shape_polygonise(&shape, 0.035, arena, &surface), SN_OK);
    return (sn_tri_mesh){surface.vertex_count, surface.triangle_count, surface.positions, surface.triangles};
}

/* Parts that share an edge with the part: one seam each. */
static int count_neighbours(const sn_fourier_curves *c, int part)
{
    bool *is_near = calloc((size_t)c->part_count, sizeof *is_near);
    bool *is_own = calloc((size_t)c->mesh.vertex_count, sizeof *is_own);
    int count = 0;
    assert_true(is_near && is_own);
    for (int i = 0; i < 3 * c->mesh.triangle_count; ++i) {
        is_own[c->mesh.triangles[i]] |= c->parts[i / 3] == part;
    }
    for (int i = 0; i < 3 * c->mesh.triangle_count; ++i) {
        is_near[c->parts[i / 3]] |= is_own[c->mesh.triangles[i]] && c->parts[i / 3] != part;
    }
    for (int p = 0; p < c->part_count; ++p) {
        count += is_near[p];
    }
    free(is_near);
    free(is_own);
    return count;
}

static void test_planes_of_many_seams_do_not_cross(void **state)
{
    (void)state;
    static const double bends[3] = {0, 0.25, 0.45};
    for (int i = 0; i < 3; ++i) {
        sn_arena arena = {0};
        const sn_tri_mesh mesh = make_beast(bends[i], &arena);
        sn_fourier_fit_desc desc = sn_default_fourier_fit_desc();
        sn_fourier_curves curves;
        desc.part_count = 6;
        assert_int_equal(sn_fourier_curves_build(&mesh, &desc, &arena, &curves), SN_OK);
        int most = 0, on_trunk = 0, trunk = 0;
        for (int p = 0; p < curves.part_count; ++p) {
            const int seams = count_neighbours(&curves, p);
            trunk = seams > most ? p : trunk;
            most = seams > most ? seams : most;
        }
        for (int k = 0; k < curves.curve_count; ++k) {
            on_trunk += curves.curves[k].part == trunk && !curves.curves[k].is_seam;
        }
        assert_int_equal(most, 5);
        assert_true(on_trunk >= 16);
        assert_int_equal(count_crossings(&curves), 0);
        sn_arena_finish(&arena);
    }
}

int test_fourier_crossings(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_planes_of_many_seams_do_not_cross)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

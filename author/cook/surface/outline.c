/* SPDX-License-Identifier: MIT */
/* Finds edges that belong to one triangle only, after merging coincident vertices. */
#include "author/cook/surface/outline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/math/vec3.h"
#include "host/mesh/tri_mesh.h"

typedef struct side {
    int32_t low, high; /* merged vertices */
    int32_t corner;    /* the opposite corner, an index into the triangles */
} side;

static int compare_edges(const void *left, const void *right)
{
    const side *a = left, *b = right;
    const int low = (a->low > b->low) - (a->low < b->low), high = (a->high > b->high) - (a->high < b->high);
    return low ? low : high ? high : (a->corner > b->corner) - (a->corner < b->corner);
}

static bool is_one_edge(const side *a, const side *b)
{
    return a->low == b->low && a->high == b->high;
}

/* Adds half of the edge's length to either end; its normal points away from the opposite corner. */
static void add_edge(const sn_tri_mesh *surface, const int32_t *first, const side *s, const sn_outline *outline)
{
    const double *a = surface->positions + 3 * (size_t)first[s->low];
    const double *b = surface->positions + 3 * (size_t)first[s->high];
    const double *c = surface->positions + 3 * (size_t)surface->triangles[s->corner];
    const double along[2] = {b[0] - a[0], b[1] - a[1]};
    const double side_of = along[0] * (c[1] - a[1]) - along[1] * (c[0] - a[0]), sign = side_of > 0 ? 1 : -1;
    const int32_t ends[2] = {first[s->low], first[s->high]};
    for (int end = 0; end < 2; ++end) {
        outline->lengths[ends[end]] += 0.5 * sqrt(along[0] * along[0] + along[1] * along[1]);
        outline->normals[3 * (size_t)ends[end]] += sign * along[1];
        outline->normals[3 * (size_t)ends[end] + 1] -= sign * along[0];
    }
}

/* merged (vertex_count): merged vertex; first: the first vertex of a merged one. */
static void add_edges(const sn_tri_mesh *surface, const int32_t *merged, const int32_t *first, side *sides,
                      const sn_outline *outline)
{
    const size_t count = 3 * (size_t)surface->triangle_count;
    for (size_t i = 0; i < count; ++i) {
        const int32_t *v = surface->triangles + i / 3 * 3;
        const int32_t a = merged[v[(i + 1) % 3]], b = merged[v[(i + 2) % 3]];
        sides[i] = (side){a < b ? a : b, a < b ? b : a, (int32_t)i};
    }
    qsort(sides, count, sizeof *sides, compare_edges);
    for (size_t i = 0; i < count; ++i) {
        const bool is_shared = (i > 0 && is_one_edge(&sides[i], &sides[i - 1])) ||
                               (i + 1 < count && is_one_edge(&sides[i], &sides[i + 1]));
        if (!is_shared) {
            add_edge(surface, first, &sides[i], outline);
        }
    }
}

sn_result sn_outline_build(const sn_model *model, sn_arena *arena, sn_outline *outline)
{
    const size_t n = (size_t)model->counts.surface_vertex_count;
    const size_t sides_count = 3 * (size_t)model->counts.surface_triangle_count;
    double *positions = SN_NEW(arena, double, 3 * n);
    int32_t *merged = SN_NEW(arena, int32_t, n), *first = SN_NEW(arena, int32_t, n);
    side *sides = SN_NEW(arena, side, sides_count);
    *outline = (sn_outline){SN_NEW(arena, double, 3 * n), SN_NEW(arena, double, n)};
    if (!positions || !merged || !first || !sides || !outline->normals || !outline->lengths) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 3 * n; ++i) {
        positions[i] = (double)model->surface_positions[i];
    }
    const sn_tri_mesh surface = {(int)n, model->counts.surface_triangle_count, positions, model->surface_triangles};
    int merged_count = 0;
    const sn_result result = sn_tri_groups(&surface, NULL, merged, &merged_count);
    if (result != SN_OK) {
        return result;
    }
    for (size_t v = n; v-- > 0;) {
        first[merged[v]] = (int32_t)v;
    }
    add_edges(&surface, merged, first, sides, outline);
    for (size_t v = 0; v < n; ++v) {
        static const double none[3] = {0, 0, 0};
        sn_normalize3(outline->normals + 3 * v, none);
    }
    return SN_OK;
}

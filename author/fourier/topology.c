/* SPDX-License-Identifier: MIT */
#include "author/fourier/topology.h"

#include <stdlib.h>

#include "host/math/vec3.h"

/* A side of a face. */
typedef struct side {
    int32_t low, high, face, corner;
} side;

static int compare_sides(const void *a, const void *b)
{
    const side *x = a, *y = b;
    const int32_t first[4] = {x->low, x->high, x->face, x->corner}, second[4] = {y->low, y->high, y->face, y->corner};
    for (int k = 0; k < 4; ++k) {
        if (first[k] != second[k]) {
            return first[k] < second[k] ? -1 : 1;
        }
    }
    return 0;
}

static void collect_sides(const sn_tri_mesh *mesh, side *sides)
{
    for (int i = 0; i < 3 * mesh->triangle_count; ++i) {
        const int32_t a = mesh->triangles[i], b = mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
        sides[i] = (side){a < b ? a : b, a < b ? b : a, i / 3, i % 3};
    }
    qsort(sides, 3 * (size_t)mesh->triangle_count, sizeof *sides, compare_sides);
}

static void number_edges(const side *sides, sn_fit_topology *t)
{
    const int count = 3 * t->mesh->triangle_count;
    t->edge_count = 0;
    for (int i = 0; i < count; ++i) {
        if (i == 0 || sides[i].low != sides[i - 1].low || sides[i].high != sides[i - 1].high) {
            t->face_starts[t->edge_count] = i;
            t->edges[2 * t->edge_count] = sides[i].low;
            t->edges[2 * t->edge_count++ + 1] = sides[i].high;
        }
        t->faces[i] = sides[i].face;
        t->face_edges[3 * sides[i].face + sides[i].corner] = t->edge_count - 1;
    }
    t->face_starts[t->edge_count] = count;
}

static void measure_faces(sn_fit_topology *t)
{
    static const double nothing[3] = {0};
    for (int f = 0; f < t->mesh->triangle_count; ++f) {
        const double *x[3];
        double u[3], v[3];
        for (int k = 0; k < 3; ++k) {
            x[k] = t->mesh->positions + 3 * (size_t)t->mesh->triangles[3 * f + k];
        }
        sn_subtract3(x[1], x[0], u);
        sn_subtract3(x[2], x[0], v);
        sn_cross3(u, v, t->normals + 3 * f);
        t->areas[f] = sn_length3(t->normals + 3 * f) / 2;
        sn_normalize3(t->normals + 3 * f, nothing);
        for (int d = 0; d < 3; ++d) {
            t->centers[3 * f + d] = (x[0][d] + x[1][d] + x[2][d]) / 3;
        }
    }
    for (int e = 0; e < t->edge_count; ++e) {
        t->mean_edge += sn_fit_edge_length(t, e) / t->edge_count;
    }
}

double sn_fit_edge_length(const sn_fit_topology *t, int edge)
{
    const int32_t *v = t->edges + 2 * edge;
    return sn_distance3(t->mesh->positions + 3 * (size_t)v[0], t->mesh->positions + 3 * (size_t)v[1]);
}

sn_result sn_fit_topology_build(const sn_tri_mesh *mesh, sn_arena *arena, sn_fit_topology *t)
{
    const size_t sides_count = 3 * (size_t)mesh->triangle_count;
    sn_arena scratch = {0};
    side *sides = SN_NEW(&scratch, side, sides_count);
    *t = (sn_fit_topology){.mesh = mesh,
                           .edges = SN_NEW(arena, int32_t, 2 * sides_count),
                           .face_starts = SN_NEW(arena, int32_t, sides_count + 1),
                           .faces = SN_NEW(arena, int32_t, sides_count),
                           .face_edges = SN_NEW(arena, int32_t, sides_count),
                           .normals = SN_NEW(arena, double, sides_count),
                           .centers = SN_NEW(arena, double, sides_count),
                           .areas = SN_NEW(arena, double, mesh->triangle_count)};
    const bool is_ok =
        sides && t->edges && t->face_starts && t->faces && t->face_edges && t->normals && t->centers && t->areas;
    if (is_ok) {
        collect_sides(mesh, sides);
        number_edges(sides, t);
        measure_faces(t);
    }
    sn_arena_finish(&scratch);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

/* SPDX-License-Identifier: MIT */
#include "host/mesh/flat_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_OFFSET 1e-6      /* max distance from the plane, fraction of the diagonal */
#define FLAT_TOLERANCE 1e-12 /* |area| / (longest edge)^2 of a degenerate triangle */

/* ---- operators ---- */

static const double *corner(const sn_tet_mesh *mesh, int triangle, int k)
{
    return mesh->positions + 3 * (size_t)mesh->tets[4 * (size_t)triangle + (size_t)k];
}

double sn_flat_area(const sn_tet_mesh *mesh, int triangle)
{
    const double *a = corner(mesh, triangle, 0), *b = corner(mesh, triangle, 1), *c = corner(mesh, triangle, 2);
    return 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
}

void sn_flat_gradients(const sn_tet_mesh *mesh, double *gradients, double *areas)
{
    memset(gradients, 0, 12 * sizeof *gradients * (size_t)mesh->tet_count);
    for (int t = 0; t < mesh->tet_count; ++t) {
        areas[t] = sn_flat_area(mesh, t);
        for (int k = 0; k < 3; ++k) {
            /* the edge opposite the corner, turned inwards, over twice the area */
            const double *from = corner(mesh, t, (k + 1) % 3), *to = corner(mesh, t, (k + 2) % 3);
            double *g = gradients + 12 * (size_t)t + 3 * (size_t)k;
            g[0] = -(to[1] - from[1]) / (2 * areas[t]);
            g[1] = (to[0] - from[0]) / (2 * areas[t]);
        }
    }
}

sn_result sn_flat_triangles(const sn_tet_mesh *mesh, sn_arena *arena, int32_t **triangles, int *triangle_count)
{
    *triangle_count = mesh->tet_count;
    *triangles = SN_NEW(arena, int32_t, 3 * (size_t)mesh->tet_count);
    for (size_t t = 0; *triangles && t < (size_t)mesh->tet_count; ++t) {
        memcpy(*triangles + 3 * t, mesh->tets + 4 * t, 3 * sizeof(int32_t));
    }
    return *triangles ? SN_OK : SN_ERROR_MEMORY;
}

/* ---- validation ---- */

static sn_result check_corners(const sn_tet_mesh *mesh, const char *name)
{
    for (int t = 0; t < mesh->tet_count; ++t) {
        const int32_t *v = mesh->tets + 4 * (size_t)t;
        for (int k = 0; k < 3; ++k) {
            if (v[k] < 0 || v[k] >= mesh->vertex_count) {
                return sn_fail(SN_ERROR_FORMAT, "%s: triangle %d uses vertex %d of %d", name, t, v[k],
                               mesh->vertex_count);
            }
        }
        if (v[0] == v[1] || v[0] == v[2] || v[1] == v[2]) {
            return sn_fail(SN_ERROR_FORMAT, "%s: triangle %d repeats a vertex (%d %d %d)", name, t, v[0], v[1], v[2]);
        }
    }
    return SN_OK;
}

static sn_result flatten(sn_tet_mesh *mesh, const char *name, double *plane)
{
    double low[3], high[3];
    const double diagonal = sn_tet_mesh_box(mesh, low, high);
    *plane = mesh->positions[2];
    for (int v = 0; v < mesh->vertex_count; ++v) {
        double *z = mesh->positions + 3 * (size_t)v + 2;
        if (!(fabs(*z - *plane) <= MAX_OFFSET * diagonal)) {
            return sn_fail(SN_ERROR_FORMAT,
                           "%s: vertex %d: z is %g, but vertex 0's is %g: a flat body lies in one plane z = const",
                           name, v, *z, *plane);
        }
        *z = 0;
    }
    return SN_OK;
}

static double longest_edge_squared(const sn_tet_mesh *mesh, int triangle)
{
    double max_edge2 = 0;
    for (int k = 0; k < 3; ++k) {
        const double *a = corner(mesh, triangle, k), *b = corner(mesh, triangle, (k + 1) % 3);
        max_edge2 = fmax(max_edge2, (b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]));
    }
    return max_edge2;
}

static sn_result orient(sn_tet_mesh *mesh, const char *name)
{
    int flipped_count = 0;
    for (int t = 0; t < mesh->tet_count; ++t) {
        const double area = sn_flat_area(mesh, t);
        int32_t *v = mesh->tets + 4 * (size_t)t;
        if (!(fabs(area) > FLAT_TOLERANCE * longest_edge_squared(mesh, t))) {
            const double *at = corner(mesh, t, 0);
            return sn_fail(SN_ERROR_FORMAT, "%s: triangle %d (vertices %d %d %d, at %g %g) has no area", name, t, v[0],
                           v[1], v[2], at[0], at[1]);
        }
        if (area < 0) {
            const int32_t second = v[1];
            v[1] = v[2];
            v[2] = second;
            ++flipped_count;
        }
        v[3] = v[2];
    }
    if (flipped_count > 0 && flipped_count < mesh->tet_count) {
        sn_log(SN_LOG_WARNING, "%s: %d of %d triangles are clockwise; flipped", name, flipped_count, mesh->tet_count);
    }
    return SN_OK;
}

/* An edge with ascending vertices, and the corner opposite in one of its triangles. */
typedef struct side {
    int32_t low, high, opposite, triangle;
} side;

static int by_corners(const void *left, const void *right)
{
    const side *a = left, *b = right;
    const int low = (a->low > b->low) - (a->low < b->low), high = (a->high > b->high) - (a->high < b->high);
    const int opposite = (a->opposite > b->opposite) - (a->opposite < b->opposite);
    const int triangle = (a->triangle > b->triangle) - (a->triangle < b->triangle);
    return low ? low : high ? high : opposite ? opposite : triangle;
}

static bool is_one_edge(const side *a, const side *b)
{
    return a->low == b->low && a->high == b->high;
}

static sn_result check_edges(const side *sides, size_t count, const char *name)
{
    for (size_t i = 1; i < count; ++i) {
        const side *a = &sides[i - 1], *b = &sides[i];
        if (is_one_edge(a, b) && a->opposite == b->opposite) {
            return sn_fail(SN_ERROR_FORMAT, "%s: triangles %d and %d are the same", name, a->triangle, b->triangle);
        }
    }
    for (size_t i = 2; i < count; ++i) {
        const side *a = &sides[i - 2], *b = &sides[i - 1], *c = &sides[i];
        if (is_one_edge(a, c)) {
            return sn_fail(SN_ERROR_FORMAT, "%s: triangles %d, %d and %d share the edge from vertex %d to %d", name,
                           a->triangle, b->triangle, c->triangle, a->low, a->high);
        }
    }
    return SN_OK;
}

static sn_result check_use(const sn_tet_mesh *mesh, const char *name, sn_arena *scratch)
{
    bool *is_used = SN_NEW(scratch, bool, mesh->vertex_count);
    for (size_t i = 0; is_used && i < 4 * (size_t)mesh->tet_count; ++i) {
        is_used[mesh->tets[i]] = true;
    }
    for (int v = 0; is_used && v < mesh->vertex_count; ++v) {
        if (!is_used[v]) {
            return sn_fail(SN_ERROR_FORMAT, "%s: vertex %d belongs to no triangle", name, v);
        }
    }
    return is_used ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result check_topology(const sn_tet_mesh *mesh, const char *name)
{
    sn_arena scratch = {0};
    const size_t count = 3 * (size_t)mesh->tet_count;
    side *sides = SN_NEW(&scratch, side, count);
    for (size_t i = 0; sides && i < count; ++i) {
        const int32_t *v = mesh->tets + i / 3 * 4, a = v[(i + 1) % 3], b = v[(i + 2) % 3];
        sides[i] = (side){a < b ? a : b, a < b ? b : a, v[i % 3], (int32_t)(i / 3)};
    }
    sn_result result = sides ? SN_OK : SN_ERROR_MEMORY;
    if (sides) {
        qsort(sides, count, sizeof *sides, by_corners);
        result = check_edges(sides, count, name);
    }
    if (result == SN_OK) {
        result = check_use(mesh, name, &scratch);
    }
    sn_arena_finish(&scratch);
    return result;
}

sn_result sn_flat_mesh_validate(sn_tet_mesh *mesh, const char *name, double *plane)
{
    mesh->is_flat = true;
    if (mesh->tet_count <= 0) {
        return sn_fail(SN_ERROR_FORMAT, "%s: no triangle", name);
    }
    SN_TRY(check_corners(mesh, name));
    SN_TRY(flatten(mesh, name, plane));
    SN_TRY(orient(mesh, name));
    return check_topology(mesh, name);
}

/* SPDX-License-Identifier: MIT */
#include "author/weights/cage.h"

#include <math.h>
#include <string.h>

#include "author/mesher/mesher.h"
#include "host/math/vec3.h"
#include "host/mesh/embedding.h"

#define MAX_OUTSIDE                                                                                                    \
    0.02 /* max. distance of vertices outside, as a fraction of the cages' diagonal; the mesher's tets exceed a cage   \
            that fits tightly */
#define TOUCH_TOLERANCE 1e-9 /* relative to an edge; a segment whose end is this near a face only touches it */

#define MIN_MESH_VERTICES 4000 /* min. vertex count of the cage's tet mesh */

static const double *corner_at(const sn_tri_mesh *s, int triangle, int corner)
{
    return s->positions + 3 * (size_t)s->triangles[3 * (size_t)triangle + (size_t)corner];
}

/* ---- crossings ---- */

typedef struct box {
    double low[3], high[3];
} box;

static box box_of(const sn_tri_mesh *s, int triangle)
{
    box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int k = 0; k < 3; ++k) {
        for (int d = 0; d < 3; ++d) {
            b.low[d] = fmin(b.low[d], corner_at(s, triangle, k)[d]);
            b.high[d] = fmax(b.high[d], corner_at(s, triangle, k)[d]);
        }
    }
    return b;
}

static bool do_overlap(const box *a, const box *b)
{
    bool is_overlapping = true;
    for (int d = 0; d < 3; ++d) {
        is_overlapping = is_overlapping && a->low[d] <= b->high[d] && b->low[d] <= a->high[d];
    }
    return is_overlapping;
}

/* Returns whether a segment passes through a triangle or its border (Moeller, Trumbore 1997). */
static bool is_crossed(const sn_tri_mesh *s, int triangle, const double *from, const double *to)
{
    double along[3], a[3], b[3], offset[3], p[3], q[3];
    sn_subtract3(to, from, along);
    sn_subtract3(corner_at(s, triangle, 1), corner_at(s, triangle, 0), a);
    sn_subtract3(corner_at(s, triangle, 2), corner_at(s, triangle, 0), b);
    sn_subtract3(from, corner_at(s, triangle, 0), offset);
    sn_cross3(along, b, p);
    sn_cross3(offset, a, q);
    const double determinant = sn_dot3(a, p); /* nearly zero if they are parallel */
    const double size = sn_length3(along) * sn_length3(a) * sn_length3(b);
    const double u = sn_dot3(offset, p) / determinant, v = sn_dot3(along, q) / determinant;
    const double t = sn_dot3(b, q) / determinant;
    return fabs(determinant) > TOUCH_TOLERANCE * size && u > -TOUCH_TOLERANCE && v > -TOUCH_TOLERANCE &&
           u + v < 1 + TOUCH_TOLERANCE && t > TOUCH_TOLERANCE && t < 1 - TOUCH_TOLERANCE;
}

static bool has_corner(const int32_t *triangle, int32_t vertex)
{
    return triangle[0] == vertex || triangle[1] == vertex || triangle[2] == vertex;
}

/* Skips edges that share a corner with the triangle. */
static bool do_edges_cross(const sn_tri_mesh *s, int a, int b)
{
    const int32_t *edges = s->triangles + 3 * (size_t)a, *face = s->triangles + 3 * (size_t)b;
    for (int k = 0; k < 3; ++k) {
        const int next = (k + 1) % 3;
        if (!has_corner(face, edges[k]) && !has_corner(face, edges[next]) &&
            is_crossed(s, b, corner_at(s, a, k), corner_at(s, a, next))) {
            return true;
        }
    }
    return false;
}

static sn_result check_crossings(const sn_cages *cages)
{
    const sn_tri_mesh *s = &cages->surface;
    sn_result result = SN_OK;
    box *boxes = sn_alloc((size_t)s->triangle_count, sizeof *boxes);
    if (!boxes) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < s->triangle_count; ++i) {
        boxes[i] = box_of(s, i);
    }
    for (int i = 0; i < s->triangle_count && result == SN_OK; ++i) {
        for (int j = i + 1; j < s->triangle_count && result == SN_OK; ++j) {
            if (do_overlap(&boxes[i], &boxes[j]) && (do_edges_cross(s, i, j) || do_edges_cross(s, j, i))) {
                result =
                    sn_fail(SN_ERROR_ARGUMENT, "%s: the cage's faces at %s and %s cross each other", cages->name,
                            cages->labels[s->triangles[3 * (size_t)i]], cages->labels[s->triangles[3 * (size_t)j]]);
            }
        }
    }
    sn_free(boxes, (size_t)s->triangle_count, sizeof *boxes);
    return result;
}

/* ---- inside and outside ---- */

/* Returns the solid angle of a triangle (Van Oosterom, Strackee 1983) divided by 2 pi. */
static double half_winding(const sn_tri_mesh *s, int triangle, const double *x)
{
    double r[3][3], lengths[3], normal[3];
    for (int k = 0; k < 3; ++k) {
        sn_subtract3(corner_at(s, triangle, k), x, r[k]);
        lengths[k] = sn_length3(r[k]);
    }
    sn_cross3(r[1], r[2], normal);
    const double below = lengths[0] * lengths[1] * lengths[2] + sn_dot3(r[0], r[1]) * lengths[2] +
                         sn_dot3(r[1], r[2]) * lengths[0] + sn_dot3(r[2], r[0]) * lengths[1];
    return atan2(sn_dot3(r[0], normal), below) / 3.14159265358979323846;
}

static bool is_inside(const sn_tri_mesh *s, const double *x)
{
    double sum = 0;
    for (int i = 0; i < s->triangle_count; ++i) {
        sum += half_winding(s, i, x) / 2;
    }
    return fabs(sum) > 0.5;
}

static double diagonal_of(const sn_tri_mesh *s)
{
    double low[3], high[3];
    const sn_tet_mesh points = {.vertex_count = s->vertex_count, .positions = (double *)(uintptr_t)s->positions};
    return sn_tet_mesh_box(&points, low, high);
}

/* Collects the body's vertices outside the cages. Returns their number. */
static int list_outside(const sn_cages *cages, const sn_tet_mesh *body, double *points)
{
    int count = 0;
    for (int v = 0; v < body->vertex_count; ++v) {
        const double *x = body->positions + 3 * (size_t)v;
        if (!is_inside(&cages->surface, x)) {
            memcpy(points + 3 * (size_t)count++, x, 3 * sizeof *x);
        }
    }
    return count;
}

static sn_result check_body(const sn_cages *cages, const sn_tet_mesh *body, sn_arena *scratch)
{
    const size_t n = (size_t)body->vertex_count;
    double *points = SN_NEW(scratch, double, 3 * n), *barycentric = SN_NEW(scratch, double, 3 * n);
    int32_t *faces = SN_NEW(scratch, int32_t, n);
    if (!points || !barycentric || !faces) {
        return SN_ERROR_MEMORY;
    }
    const int count = list_outside(cages, body, points);
    SN_TRY(count > 0 ? sn_tri_locate(&cages->surface, points, count, faces, barycentric) : SN_OK);
    double max_distance = 0;
    for (size_t i = 0; i < (size_t)count; ++i) {
        double nearest[3] = {0, 0, 0};
        for (int k = 0; k < 3; ++k) {
            for (int d = 0; d < 3; ++d) {
                nearest[d] += barycentric[3 * i + (size_t)k] * corner_at(&cages->surface, faces[i], k)[d];
            }
        }
        max_distance = fmax(max_distance, sn_distance3(nearest, points + 3 * i));
    }
    const double diagonal = diagonal_of(&cages->surface);
    if (max_distance > MAX_OUTSIDE * diagonal) {
        return sn_fail(SN_ERROR_ARGUMENT,
                       "%s: %s: %d of the body's %d vertices lie outside the cage, the farthest %.3g of its diagonal",
                       cages->name, cages->labels[0], count, body->vertex_count, max_distance / diagonal);
    }
    return SN_OK;
}

/* ---- the cage's interior as tets ---- */

static void add_vertex(const sn_cages *cages, int32_t vertex, double fraction, double *row)
{
    const int32_t first = cages->handle_starts[vertex], end = cages->handle_starts[vertex + 1];
    for (int32_t i = first; i < end; ++i) {
        row[cages->handles[i]] += fraction / (end - first);
    }
}

/* Fixes the weights of vertices outside the cage. Vertices just inside a face stay free. */
static sn_result fix_outer_weights(const sn_cages *cages, const sn_mesher_output *meshed, size_t columns,
                                   sn_arena *arena, sn_cage_inside *inside)
{
    const size_t n = (size_t)meshed->mesh.vertex_count;
    *inside = (sn_cage_inside){meshed->mesh, SN_NEW(arena, bool, n), SN_NEW(arena, double, n *columns)};
    if (!inside->is_fixed || !inside->weights) {
        return SN_ERROR_MEMORY;
    }
    for (size_t v = 0; v < n; ++v) {
        const int32_t face = meshed->node_triangles[v];
        inside->is_fixed[v] = face >= 0 && !is_inside(&cages->surface, meshed->mesh.positions + 3 * v);
        for (size_t k = 0; inside->is_fixed[v] && k < 3; ++k) {
            add_vertex(cages, cages->surface.triangles[3 * (size_t)face + k], meshed->node_barycentric[3 * v + k],
                       inside->weights + v * columns);
        }
    }
    return SN_OK;
}

sn_result sn_cage_inside_build(const sn_cages *cages, const sn_tet_mesh *body, bool (*is_cancelled)(void *user),
                               void *cancel_user, int column_count, sn_arena *arena, sn_cage_inside *inside)
{
    sn_arena scratch = {0};
    sn_mesher_output meshed;
    const sn_mesher_input input = {.name = cages->name,
                                   .vertex_count = cages->surface.vertex_count,
                                   .triangle_count = cages->surface.triangle_count,
                                   .positions = cages->surface.positions,
                                   .triangles = cages->surface.triangles,
                                   /* weights need no finer mesh than the body's own */
                                   .target_vertex_count =
                                       body->vertex_count > MIN_MESH_VERTICES ? body->vertex_count : MIN_MESH_VERTICES,
                                   .is_cancelled = is_cancelled,
                                   .cancel_user = cancel_user};
    sn_result result = check_crossings(cages);
    if (result == SN_OK) {
        result = check_body(cages, body, &scratch);
    }
    sn_arena_finish(&scratch);
    if (result == SN_OK) {
        result = sn_mesher_run(&input, arena, &meshed);
    }
    return result == SN_OK ? fix_outer_weights(cages, &meshed, (size_t)column_count, arena, inside) : result;
}

/* ---- transfer to the body ---- */

static void interpolate_row(const int32_t *tet, const double *corner_weights, const double *weights, size_t columns,
                            double *row)
{
    double sum = 0;
    memset(row, 0, columns * sizeof *row);
    for (int corner = 0; corner < 4; ++corner) {
        sum += fmax(corner_weights[corner], 0); /* points outside are clamped to the tet */
    }
    for (int corner = 0; corner < 4; ++corner) {
        const double fraction = fmax(corner_weights[corner], 0) / sum;
        for (size_t j = 0; j < columns && fraction > 0; ++j) {
            row[j] += fraction * weights[(size_t)tet[corner] * columns + j];
        }
    }
}

static sn_result interpolate(const sn_cage_inside *inside, const sn_tet_mesh *body, size_t columns, sn_arena *scratch,
                             double *result)
{
    const sn_tet_mesh *mesh = &inside->tets;
    int32_t *neighbours = SN_NEW(scratch, int32_t, 4 * (size_t)mesh->tet_count), *boundary = NULL;
    int32_t *tets = SN_NEW(scratch, int32_t, body->vertex_count);
    double *tet_weights = SN_NEW(scratch, double, 4 * (size_t)body->vertex_count);
    int boundary_count = 0;
    if (!neighbours || !tets || !tet_weights) {
        return SN_ERROR_MEMORY;
    }
    sn_result code = sn_tet_neighbours(mesh, scratch, neighbours);
    if (code == SN_OK) {
        code = sn_tet_boundary(mesh, neighbours, scratch, &boundary, &boundary_count);
    }
    if (code == SN_OK) {
        code = sn_tet_locate(mesh, boundary, boundary_count, body->positions, body->vertex_count, tets, tet_weights);
    }
    for (size_t v = 0; v < (size_t)body->vertex_count && code == SN_OK; ++v) {
        interpolate_row(mesh->tets + 4 * (size_t)tets[v], tet_weights + 4 * v, inside->weights, columns,
                        result + v * columns);
    }
    return code;
}

sn_result sn_cage_interpolate(const sn_cage_inside *inside, const sn_tet_mesh *body, int column_count, double *result)
{
    sn_arena scratch = {0};
    const sn_result code = interpolate(inside, body, (size_t)column_count, &scratch, result);
    sn_arena_finish(&scratch);
    return code;
}

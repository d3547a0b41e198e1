/* SPDX-License-Identifier: MIT */
#include "host/mesh/embedding.h"

#include <math.h>
#include <string.h>

#include "host/math/vec3.h"
#include "host/mesh/box_tree.h"

#define INSIDE_TOLERANCE -1e-9 /* tolerance of barycentric coordinates */

/* C. Ericson, Real-Time Collision Detection, 5.1.5, by Voronoi regions. */
double sn_triangle_nearest(const double *const corners[3], const double *point, double *barycentric)
{
    double ab[3], ac[3], ap[3], bp[3], cp[3];
    sn_subtract3(corners[1], corners[0], ab);
    sn_subtract3(corners[2], corners[0], ac);
    sn_subtract3(point, corners[0], ap);
    sn_subtract3(point, corners[1], bp);
    sn_subtract3(point, corners[2], cp);
    const double d1 = sn_dot3(ab, ap), d2 = sn_dot3(ac, ap), d3 = sn_dot3(ab, bp), d4 = sn_dot3(ac, bp);
    const double d5 = sn_dot3(ab, cp), d6 = sn_dot3(ac, cp);
    const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    double v = 0, w = 0;
    if (d1 <= 0 && d2 <= 0) {
        v = w = 0;
    } else if (d3 >= 0 && d4 <= d3) {
        v = 1;
    } else if (d6 >= 0 && d5 <= d6) {
        w = 1;
    } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        v = d1 / (d1 - d3);
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        w = d2 / (d2 - d6);
    } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        w = (d4 - d3) / (d4 - d3 + d5 - d6);
        v = 1 - w;
    } else {
        v = vb / (va + vb + vc);
        w = vc / (va + vb + vc);
    }
    v = v == v ? v : 0; /* degenerate triangle */
    w = w == w ? w : 0;
    barycentric[0] = fmax(1 - v - w, 0);
    barycentric[1] = v;
    barycentric[2] = w;
    double sum = 0;
    for (int d = 0; d < 3; ++d) {
        const double difference = ap[d] - v * ab[d] - w * ac[d];
        sum += difference * difference;
    }
    return sum;
}

static void grow(double *box, const double *point)
{
    for (int d = 0; d < 3; ++d) {
        box[d] = fmin(box[d], point[d]);
        box[3 + d] = fmax(box[3 + d], point[d]);
    }
}

/* Boxes (count x 6) of items with corner_count vertices each. */
static double *item_boxes(sn_arena *scratch, const double *positions, const int32_t *items, int count, int corner_count)
{
    double *boxes = SN_NEW(scratch, double, 6 * (size_t)count);
    for (size_t i = 0; boxes && i < (size_t)count; ++i) {
        double *box = boxes + 6 * i;
        for (size_t k = 0; k < (size_t)corner_count; ++k) {
            const double *point = positions + 3 * (size_t)items[i * (size_t)corner_count + k];
            if (k == 0) {
                memcpy(box, point, 3 * sizeof(double));
                memcpy(box + 3, point, 3 * sizeof(double));
            }
            grow(box, point);
        }
    }
    return boxes;
}

static double nearest_of(const sn_tri_mesh *mesh, int triangle, const double *point, double *barycentric)
{
    const int32_t *v = mesh->triangles + 3 * (size_t)triangle;
    const double *const corners[3] = {mesh->positions + 3 * (size_t)v[0], mesh->positions + 3 * (size_t)v[1],
                                      mesh->positions + 3 * (size_t)v[2]};
    return sn_triangle_nearest(corners, point, barycentric);
}

static double triangle_distance2(int item, const double *point, void *user)
{
    const sn_tri_mesh *mesh = user;
    double barycentric[3];
    return nearest_of(mesh, item, point, barycentric);
}

sn_result sn_tri_locate(const sn_tri_mesh *mesh, const double *points, int point_count, int32_t *triangles,
                        double *barycentric)
{
    sn_arena scratch = {0};
    sn_box_tree tree;
    sn_tri_mesh copy = *mesh;
    const double *boxes = item_boxes(&scratch, mesh->positions, mesh->triangles, mesh->triangle_count, 3);
    sn_result result = boxes ? sn_box_tree_build(boxes, mesh->triangle_count, &scratch, &tree) : SN_ERROR_MEMORY;
    for (int i = 0; i < point_count && result == SN_OK; ++i) {
        const double *point = points + 3 * (size_t)i;
        const int nearest_triangle = sn_box_tree_nearest(&tree, point, INFINITY, triangle_distance2, &copy);
        triangles[i] = nearest_triangle;
        nearest_of(mesh, nearest_triangle, point, barycentric + 3 * (size_t)i);
    }
    sn_arena_finish(&scratch);
    return result;
}

/* Barycentric coordinates of any point with respect to a tet. */
static void tet_coordinates(const sn_tet_mesh *mesh, int tet, const double *point, double *barycentric)
{
    const int32_t *v = mesh->tets + 4 * (size_t)tet;
    double e[3][3], p[3], normal[3][3];
    for (int k = 0; k < 3; ++k) {
        sn_subtract3(mesh->positions + 3 * (size_t)v[k + 1], mesh->positions + 3 * (size_t)v[0], e[k]);
    }
    sn_subtract3(point, mesh->positions + 3 * (size_t)v[0], p);
    barycentric[0] = 1;
    for (int k = 0; k < 3; ++k) {
        sn_cross3(e[(k + 1) % 3], e[(k + 2) % 3], normal[k]);
        barycentric[k + 1] = sn_dot3(normal[k], p) / sn_dot3(normal[k], e[k]);
        barycentric[0] -= barycentric[k + 1];
    }
}

/* 0 for a tet that contains the point; the lowest such tet wins. */
static double tet_distance2(int item, const double *point, void *user)
{
    double b[4];
    tet_coordinates(user, item, point, b);
    return fmin(fmin(b[0], b[1]), fmin(b[2], b[3])) >= INSIDE_TOLERANCE ? 0 : INFINITY;
}

/* Finds the tet of each boundary triangle. */
static sn_result find_owners(const sn_tet_mesh *mesh, const int32_t *boundary, int boundary_count, sn_arena *scratch,
                             int32_t *owners)
{
    /* tets incident to vertices; then the one incident to all three corners */
    int32_t *starts = SN_NEW(scratch, int32_t, mesh->vertex_count + 2);
    int32_t *tets = SN_NEW(scratch, int32_t, 4 * (size_t)mesh->tet_count);
    if (!starts || !tets) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 4 * (size_t)mesh->tet_count; ++i) {
        ++starts[mesh->tets[i] + 2];
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        starts[v + 2] += starts[v + 1];
    }
    for (size_t i = 0; i < 4 * (size_t)mesh->tet_count; ++i) {
        tets[starts[mesh->tets[i] + 1]++] = (int32_t)(i / 4);
    }
    for (size_t f = 0; f < (size_t)boundary_count; ++f) {
        const int32_t *face = boundary + 3 * f;
        for (int32_t at = starts[face[0]]; at < starts[face[0] + 1]; ++at) {
            const int32_t *v = mesh->tets + 4 * (size_t)tets[at];
            int shared = 0;
            for (int k = 0; k < 4; ++k) {
                shared += v[k] == face[0] || v[k] == face[1] || v[k] == face[2];
            }
            owners[f] = shared == 3 ? tets[at] : owners[f];
        }
    }
    return SN_OK;
}

sn_result sn_tet_locate(const sn_tet_mesh *mesh, const int32_t *boundary, int boundary_count, const double *points,
                        int point_count, int32_t *tets, double *barycentric)
{
    sn_arena scratch = {0};
    sn_box_tree tree;
    sn_tet_mesh copy = *mesh;
    const sn_tri_mesh shell = {mesh->vertex_count, boundary_count, mesh->positions, boundary};
    int32_t *owners = SN_NEW(&scratch, int32_t, boundary_count), *nearest = SN_NEW(&scratch, int32_t, point_count);
    double *unused = SN_NEW(&scratch, double, 3 * (size_t)point_count);
    const double *boxes = item_boxes(&scratch, mesh->positions, mesh->tets, mesh->tet_count, 4);
    sn_result result = owners && nearest && unused && boxes ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = sn_box_tree_build(boxes, mesh->tet_count, &scratch, &tree);
    }
    if (result == SN_OK) {
        result = find_owners(mesh, boundary, boundary_count, &scratch, owners);
    }
    if (result == SN_OK) {
        result = sn_tri_locate(&shell, points, point_count, nearest, unused);
    }
    for (size_t i = 0; i < (size_t)point_count && result == SN_OK; ++i) {
        const int inside = sn_box_tree_nearest(&tree, points + 3 * i, 0, tet_distance2, &copy);
        tets[i] = inside >= 0 ? inside : owners[nearest[i]];
        tet_coordinates(mesh, tets[i], points + 3 * i, barycentric + 4 * i);
    }
    sn_arena_finish(&scratch);
    return result;
}

/* SPDX-License-Identifier: MIT */
/* Render surfaces of colliders. Sphere, capsule and rounded box share one construction: a cube inflated to a sphere,
 * whose eight octants are moved apart. The number of cells per side is odd, so that no vertex lies between two octants.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/shapes/shape.h"

#define CELLS 15

/* Unit direction of grid point (u, v) on one of the six sides of the cube. */
static void direction_of(int side, int u, int v, double direction[3])
{
    const int axis = side / 2, sign = side % 2 ? -1 : 1;
    const double pi = 3.14159265358979323846;
    double length = 0;
    direction[axis] = sign;
    direction[(axis + 1) % 3] = sign * tan(pi / 4 * (2.0 * u / CELLS - 1));
    direction[(axis + 2) % 3] = tan(pi / 4 * (2.0 * v / CELLS - 1));
    for (int d = 0; d < 3; ++d) {
        length += direction[d] * direction[d];
    }
    for (int d = 0; d < 3; ++d) {
        direction[d] /= sqrt(length);
    }
}

static sn_result build_rounded(const double half_sizes[3], double radius, sn_shape_mesh *mesh)
{
    const int side_vertices = (CELLS + 1) * (CELLS + 1);
    mesh->positions = calloc((size_t)side_vertices * 6, 3 * sizeof(double));
    mesh->normals = calloc((size_t)side_vertices * 6, 3 * sizeof(double));
    mesh->triangles = calloc((size_t)CELLS * CELLS * 12, 3 * sizeof(int32_t));
    if (!mesh->positions || !mesh->normals || !mesh->triangles) {
        return SN_ERROR_MEMORY;
    }
    for (int side = 0; side < 6; ++side) {
        for (int i = 0; i < side_vertices; ++i) {
            double *normal = mesh->normals + 3 * (size_t)mesh->vertex_count;
            double *position = mesh->positions + 3 * (size_t)mesh->vertex_count++;
            direction_of(side, i % (CELLS + 1), i / (CELLS + 1), normal);
            for (int d = 0; d < 3; ++d) {
                position[d] = radius * normal[d] + copysign(half_sizes[d], normal[d]);
            }
        }
        for (int i = 0; i < CELLS * CELLS; ++i) {
            const int32_t a = side * side_vertices + i / CELLS * (CELLS + 1) + i % CELLS, c = a + CELLS + 1;
            memcpy(mesh->triangles + 3 * (size_t)mesh->triangle_count, (int32_t[6]){a, a + 1, c, a + 1, c + 1, c},
                   6 * sizeof(int32_t));
            mesh->triangle_count += 2;
        }
    }
    return SN_OK;
}

/* Area-weighted vertex normals. */
static void find_normals(sn_shape_mesh *mesh)
{
    for (int i = 0; i < mesh->triangle_count; ++i) {
        const int32_t *t = mesh->triangles + 3 * (size_t)i;
        const double *a = mesh->positions + 3 * (size_t)t[0], *b = mesh->positions + 3 * (size_t)t[1];
        const double *c = mesh->positions + 3 * (size_t)t[2];
        for (int d = 0; d < 3; ++d) {
            const int d1 = (d + 1) % 3, d2 = (d + 2) % 3;
            const double cross = (b[d1] - a[d1]) * (c[d2] - a[d2]) - (b[d2] - a[d2]) * (c[d1] - a[d1]);
            for (int k = 0; k < 3; ++k) {
                mesh->normals[3 * (size_t)t[k] + (size_t)d] += cross;
            }
        }
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        double *n = mesh->normals + 3 * (size_t)v;
        const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int d = 0; d < 3; ++d) {
            n[d] = length > 0 ? n[d] / length : d == 1;
        }
    }
}

static sn_result copy_surface(const sn_scene_collider *collider, sn_shape_mesh *mesh)
{
    const size_t n = (size_t)collider->vertex_count * 3, t = (size_t)collider->triangle_count * 3;
    mesh->positions = malloc(n * sizeof(double));
    mesh->normals = calloc(n, sizeof(double));
    mesh->triangles = malloc(t * sizeof(int32_t));
    if (!mesh->positions || !mesh->normals || !mesh->triangles) {
        return SN_ERROR_MEMORY;
    }
    memcpy(mesh->positions, collider->positions, n * sizeof(double));
    memcpy(mesh->triangles, collider->triangles, t * sizeof(int32_t));
    mesh->vertex_count = collider->vertex_count;
    mesh->triangle_count = collider->triangle_count;
    find_normals(mesh);
    return SN_OK;
}

sn_result sn_collider_surface_build(const sn_scene_collider *collider, sn_shape_mesh *mesh)
{
    const sn_collider_desc *desc = &collider->desc;
    *mesh = (sn_shape_mesh){0};
    switch (desc->shape) {
    case SN_COLLIDER_SPHERE:
        return build_rounded((const double[3]){0, 0, 0}, desc->radius, mesh);
    case SN_COLLIDER_CAPSULE:
        return build_rounded((const double[3]){0, desc->half_height, 0}, desc->radius, mesh);
    case SN_COLLIDER_BOX:
        return build_rounded(desc->half_extents, desc->radius, mesh);
    case SN_COLLIDER_GRID:
        return copy_surface(collider, mesh);
    default:
        return SN_OK;
    }
}

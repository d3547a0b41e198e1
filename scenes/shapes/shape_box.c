/* SPDX-License-Identifier: MIT */
/* Boxes with exact edges. Flat: rectangles cut along alternating diagonals. Solid: five tets per cell, alternately
 * mirrored; their boundary is the surface. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/shapes/shape.h"

static int node_of(const int counts[3], int x, int y, int z)
{
    return (z * (counts[1] + 1) + y) * (counts[0] + 1) + x;
}

static bool init_nodes(const sn_scene_shape *shape, const int counts[3], sn_shape_mesh *mesh)
{
    mesh->vertex_count = node_of(counts, counts[0], counts[1], counts[2]) + 1;
    mesh->positions = calloc((size_t)mesh->vertex_count, 3 * sizeof(double));
    for (int v = 0; mesh->positions && v < mesh->vertex_count; ++v) {
        const int row = counts[0] + 1, slice = row * (counts[1] + 1);
        const int at[3] = {v % row, v % slice / row, v / slice};
        for (int d = 0; d < 3; ++d) {
            const double coordinate = counts[d] > 0 ? 2.0 * at[d] / counts[d] - 1 : 0;
            mesh->positions[3 * v + d] = shape->center[d] + coordinate * shape->half_extents[d];
        }
    }
    return mesh->positions != NULL;
}

static bool fill_flat(const int counts[3], sn_shape_mesh *mesh)
{
    mesh->triangles = calloc((size_t)counts[0] * (size_t)counts[1] * 2, 3 * sizeof(int32_t));
    for (int i = 0; mesh->triangles && i < counts[0] * counts[1]; ++i) {
        const int x = i % counts[0], y = i / counts[0];
        const int32_t a = node_of(counts, x, y, 0), b = a + 1, c = node_of(counts, x, y + 1, 0), d = c + 1;
        const int32_t cells[2][6] = {{a, b, d, a, d, c}, {a, b, c, b, d, c}};
        memcpy(mesh->triangles + 3 * (size_t)mesh->triangle_count, cells[(x + y) % 2], sizeof cells[0]);
        mesh->triangle_count += 2;
    }
    return mesh->triangles != NULL;
}

static bool fill_solid(const int counts[3], sn_shape_mesh *mesh)
{
    /* cell corners, bits of x, y, z; mirrored cells flip the x bit */
    static const int tets[5][4] = {{0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}, {1, 2, 4, 7}};
    mesh->tets = calloc((size_t)counts[0] * (size_t)counts[1] * (size_t)counts[2] * 5, 4 * sizeof(int32_t));
    for (int i = 0; mesh->tets && i < counts[0] * counts[1] * counts[2]; ++i) {
        const int x = i % counts[0], y = i / counts[0] % counts[1], z = i / counts[0] / counts[1];
        const int is_mirrored = (x + y + z) % 2;
        for (int t = 0; t < 5; ++t) {
            int32_t *tet = mesh->tets + 4 * (size_t)mesh->tet_count++;
            for (int k = 0; k < 4; ++k) {
                const int c = tets[t][is_mirrored && k >= 2 ? 5 - k : k] ^ is_mirrored;
                tet[k] = node_of(counts, x + (c & 1), y + (c >> 1 & 1), z + (c >> 2));
            }
        }
    }
    return mesh->tets != NULL;
}

sn_result sn_shape_build_box(const sn_scene_shape *shape, sn_shape_mesh *mesh, const char **message)
{
    int counts[3] = {0};
    double nodes = 1;
    for (int d = 0; d < (shape->is_flat ? 2 : 3); ++d) {
        const double cells = fmax(round(2 * shape->half_extents[d] / shape->edge_length), 1);
        nodes *= cells + 1;
        counts[d] = cells < SN_SHAPE_NODE_LIMIT ? (int)cells : SN_SHAPE_NODE_LIMIT;
    }
    if (!(nodes <= SN_SHAPE_NODE_LIMIT)) {
        *message = "the edge length is too small for the size of the shape";
        return SN_ERROR_ARGUMENT;
    }
    const bool is_ok = init_nodes(shape, counts, mesh) && (shape->is_flat ? fill_flat : fill_solid)(counts, mesh);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

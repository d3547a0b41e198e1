/* SPDX-License-Identifier: MIT */
/* Surfaces that are embedded in tets. */
#include <string.h>

#include "author/spacetime/blendshapes.h"

static void number_vertices(int count, const int32_t *triangles, int32_t *numbers, sn_spacetime_surface *surface,
                            int32_t *new_triangles, int32_t *corners, double *weights)
{
    for (int i = 0; i < 3 * count; ++i) {
        const int32_t vertex = triangles[i];
        if (numbers[vertex] < 0) {
            const size_t at = 4 * (size_t)surface->vertex_count;
            corners[at] = corners[at + 1] = corners[at + 2] = corners[at + 3] = vertex;
            weights[at] = 1;
            numbers[vertex] = surface->vertex_count++;
        }
        new_triangles[i] = numbers[vertex];
    }
}

sn_result sn_spacetime_surface_of_mesh(const sn_tet_mesh *mesh, sn_arena *arena, sn_spacetime_surface *surface)
{
    const size_t n = (size_t)mesh->vertex_count;
    int32_t *neighbours = SN_NEW(arena, int32_t, 4 * (size_t)mesh->tet_count), *triangles = NULL;
    sn_result result = neighbours ? sn_tet_neighbours(mesh, arena, neighbours) : SN_ERROR_MEMORY;
    *surface = (sn_spacetime_surface){0};
    if (result == SN_OK) {
        result = sn_tet_boundary(mesh, neighbours, arena, &triangles, &surface->triangle_count);
    }
    if (result != SN_OK) {
        return result;
    }
    int32_t *numbers = SN_NEW(arena, int32_t, n), *corners = SN_NEW(arena, int32_t, 4 * n);
    int32_t *new_triangles = SN_NEW(arena, int32_t, 3 * (size_t)surface->triangle_count);
    double *weights = SN_NEW(arena, double, 4 * n);
    if (!numbers || !corners || !new_triangles || !weights) {
        return SN_ERROR_MEMORY;
    }
    memset(numbers, -1, n * sizeof *numbers);
    number_vertices(surface->triangle_count, triangles, numbers, surface, new_triangles, corners, weights);
    surface->triangles = new_triangles;
    surface->corners = corners;
    surface->weights = weights;
    return SN_OK;
}

void sn_spacetime_surface_positions(const sn_spacetime_surface *surface, const double *positions,
                                    double *surface_positions)
{
    for (size_t i = 0; i < 3 * (size_t)surface->vertex_count; ++i) {
        const int32_t *corners = surface->corners + i / 3 * 4;
        const double *weights = surface->weights + i / 3 * 4;
        surface_positions[i] = 0;
        for (size_t k = 0; k < 4; ++k) {
            surface_positions[i] += weights[k] * positions[3 * (size_t)corners[k] + i % 3];
        }
    }
}

/* SPDX-License-Identifier: MIT */
/* Vertices of a surface that another program loaded from the same file, in an order of its own. */
#include <math.h>

#include "host/base/base.h"
#include "sinew/surface.h"

#define MATCH_DISTANCE 1e-4 /* of the diagonal; quantised files store positions with 3e-5 or better */
#define UV_WEIGHT 10        /* of a difference of texture coordinates against one of normals */
#define CELL_LIMIT 1e9      /* of a cell's coordinates: they fit in an int, and the offsets do, too */

/* The surface's vertices in cubic cells with sides of twice the distance, as lists by the hash of the cell. */
typedef struct vertex_cells {
    const sn_surface *surface;
    double cell, distance;
    uint32_t mask;
    int32_t *heads, *next; /* (mask + 1), (vertex_count): a vertex, or -1 */
} vertex_cells;

static uint32_t cell_hash(int x, int y, int z)
{
    return (uint32_t)x * 73856093U ^ (uint32_t)y * 19349663U ^ (uint32_t)z * 83492791U;
}

/* Returns false if the point is too far away or not finite. */
static bool find_cell(const vertex_cells *cells, const float *point, double offset, int *cell)
{
    for (int d = 0; d < 3; ++d) {
        const double value = floor(((double)point[d] + offset) / cells->cell);
        if (!(fabs(value) < CELL_LIMIT)) {
            return false;
        }
        cell[d] = (int)value;
    }
    return true;
}

static void fill_cells(vertex_cells *cells)
{
    for (uint32_t i = 0; i <= cells->mask; ++i) {
        cells->heads[i] = -1;
    }
    for (int v = cells->surface->vertex_count - 1; v >= 0; --v) {
        int cell[3];
        if (find_cell(cells, cells->surface->positions + 3 * (size_t)v, 0, cell)) {
            const uint32_t list = cell_hash(cell[0], cell[1], cell[2]) & cells->mask;
            cells->next[v] = cells->heads[list];
            cells->heads[list] = v;
        }
    }
}

/* Infinite where the candidate is too far from the mesh's vertex. */
static double match_cost(const vertex_cells *cells, const sn_mesh_vertices *mesh, int vertex, int candidate)
{
    const float *position = mesh->positions + 3 * (size_t)vertex;
    const float *other = cells->surface->positions + 3 * (size_t)candidate;
    double square = 0, cost;
    for (int d = 0; d < 3; ++d) {
        const double difference = (double)position[d] - (double)other[d];
        square += difference * difference;
    }
    cost = sqrt(square) / cells->distance;
    if (!(cost <= 1)) {
        return INFINITY;
    }
    if (mesh->uvs) {
        const float *uv = mesh->uvs + 2 * (size_t)vertex, *other_uv = cells->surface->uvs + 4 * (size_t)candidate;
        cost += UV_WEIGHT * fmin(hypot((double)uv[0] - (double)other_uv[0], (double)uv[1] - (double)other_uv[1]), 1);
    }
    if (mesh->normals) {
        const float *normal = mesh->normals + 3 * (size_t)vertex;
        const float *other_normal = cells->surface->normals + 3 * (size_t)candidate;
        for (int d = 0; d < 3; ++d) {
            cost -= (double)normal[d] * (double)other_normal[d];
        }
    }
    return cost;
}

static int32_t find_vertex(const vertex_cells *cells, const sn_mesh_vertices *mesh, int vertex)
{
    int low[3], high[3];
    int32_t best = -1;
    double best_cost = INFINITY;
    if (!find_cell(cells, mesh->positions + 3 * (size_t)vertex, -cells->distance, low) ||
        !find_cell(cells, mesh->positions + 3 * (size_t)vertex, cells->distance, high)) {
        return -1;
    }
    for (int x = low[0]; x <= high[0]; ++x) {
        for (int y = low[1]; y <= high[1]; ++y) {
            for (int z = low[2]; z <= high[2]; ++z) {
                for (int32_t v = cells->heads[cell_hash(x, y, z) & cells->mask]; v >= 0; v = cells->next[v]) {
                    const double cost = match_cost(cells, mesh, vertex, v);
                    if (cost < best_cost) {
                        best = v;
                        best_cost = cost;
                    }
                }
            }
        }
    }
    return best;
}

sn_result sn_surface_find_vertices(const sn_surface *surface, const sn_mesh_vertices *mesh, int32_t *vertices)
{
    const double distance = MATCH_DISTANCE * surface->diagonal;
    vertex_cells cells = {.surface = surface, .cell = 2 * distance, .distance = distance, .mask = 1023};
    while (cells.mask < (uint32_t)surface->vertex_count) {
        cells.mask = 2 * cells.mask + 1;
    }
    cells.heads = sn_alloc((size_t)cells.mask + 1, sizeof *cells.heads);
    cells.next = sn_alloc((size_t)surface->vertex_count, sizeof *cells.next);
    const bool is_ready = cells.heads && cells.next;
    if (is_ready) {
        fill_cells(&cells);
        for (int v = 0; v < mesh->count; ++v) {
            vertices[v] = find_vertex(&cells, mesh, v);
        }
    }
    sn_free(cells.next, (size_t)surface->vertex_count, sizeof *cells.next);
    sn_free(cells.heads, (size_t)cells.mask + 1, sizeof *cells.heads);
    return is_ready ? SN_OK : SN_ERROR_MEMORY;
}

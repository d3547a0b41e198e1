/* SPDX-License-Identifier: MIT */
#include "host/contact/grid.h"

#include <math.h>
#include <string.h>

#include "host/base/base.h"
#include "host/math/vec3.h"

#define NODE_LIMIT ((int64_t)1 << 27)
#define SIZE_LIMIT 1e9

static const double up[3] = {0, 1, 0};

static sn_result check_desc(const sn_grid_desc *desc)
{
    const int *n = desc->counts;
    int64_t node_count = 1;
    double max_coordinate = 0;
    for (int d = 0; d < 3; ++d) {
        if (n[d] < 2 || n[d] > NODE_LIMIT / node_count) {
            return sn_fail_within(SN_ERROR_ARGUMENT,
                                  "grid: %d x %d x %d nodes; at least 2 per side and at most %lld in total are allowed",
                                  n[0], n[1], n[2], (long long)NODE_LIMIT);
        }
        node_count *= n[d];
        max_coordinate = fmax(max_coordinate, fabs(desc->origin[d]) + n[d] * desc->spacing);
    }
    const double sum = desc->origin[0] + desc->origin[1] + desc->origin[2];
    if (!(desc->spacing > 0) || !isfinite(sum) || !(max_coordinate < SIZE_LIMIT)) {
        return sn_fail_within(SN_ERROR_ARGUMENT, "grid: spacing %g, origin %g %g %g: out of range", desc->spacing,
                              desc->origin[0], desc->origin[1], desc->origin[2]);
    }
    for (int64_t i = 0; i < node_count; ++i) {
        if (!(fabsf(desc->distances[i]) < (float)SIZE_LIMIT)) {
            return sn_fail_within(SN_ERROR_ARGUMENT, "grid: node %lld: distance %g is out of range", (long long)i,
                                  (double)desc->distances[i]);
        }
    }
    return SN_OK;
}

/* A cell's edges bound the interpolant's slope along each axis. */
static double compute_slope(const sn_grid *g)
{
    const size_t nx = (size_t)g->counts[0], ny = (size_t)g->counts[1], nz = (size_t)g->counts[2];
    const size_t steps[3] = {1, nx, nx * ny};
    double max_value[3] = {0, 0, 0};
    for (size_t i = 0; i < g->node_count; ++i) {
        const bool has_next[3] = {i % nx + 1 < nx, i / nx % ny + 1 < ny, i / steps[2] + 1 < nz};
        for (int d = 0; d < 3; ++d) {
            if (has_next[d]) {
                max_value[d] = fmax(max_value[d], fabs((double)g->distances[i + steps[d]] - (double)g->distances[i]));
            }
        }
    }
    return fmax(1, sn_length3(max_value) / g->spacing);
}

sn_result sn_grid_create(const sn_grid_desc *desc, sn_grid **grid)
{
    *grid = NULL;
    SN_ASSERT(desc->distances);
    const sn_result result = check_desc(desc);
    if (result != SN_OK) {
        return result;
    }
    const size_t count = (size_t)desc->counts[0] * (size_t)desc->counts[1] * (size_t)desc->counts[2];
    sn_grid *created = sn_alloc(1, sizeof *created);
    float *distances = created ? sn_alloc(count, sizeof *distances) : NULL;
    if (!created || !distances) {
        sn_free(created, 1, sizeof *created);
        sn_free(distances, count, sizeof *distances);
        return SN_ERROR_MEMORY;
    }
    *created = (sn_grid){.spacing = desc->spacing, .node_count = count, .distances = distances};
    memcpy(created->counts, desc->counts, sizeof created->counts);
    memcpy(created->origin, desc->origin, sizeof created->origin);
    memcpy(distances, desc->distances, count * sizeof *distances);
    created->slope = compute_slope(created);
    *grid = created;
    return SN_OK;
}

void sn_grid_destroy(sn_grid **grid)
{
    if (*grid) {
        sn_free((*grid)->distances, (*grid)->node_count, sizeof *(*grid)->distances);
        sn_free(*grid, 1, sizeof **grid);
        *grid = NULL;
    }
}

/* ---- distance ---- */

static double clamp(double value, double max_value)
{
    return fmin(fmax(value, 0), max_value); /* NaN becomes 0 */
}

/* Interpolates at a position in cell units, from 0 to counts - 1. */
static double interpolate(const sn_grid *g, const double *cell_position)
{
    const size_t row = (size_t)g->counts[0], slice = row * (size_t)g->counts[1];
    double fraction[3];
    size_t first[3];
    for (int d = 0; d < 3; ++d) {
        first[d] = (size_t)fmin(cell_position[d], g->counts[d] - 2);
        fraction[d] = cell_position[d] - (double)first[d];
    }
    const float *c = g->distances + first[2] * slice + first[1] * row + first[0];
    double edges[4];
    for (size_t e = 0; e < 4; ++e) {
        const float *at = c + e / 2 * slice + e % 2 * row;
        edges[e] = (double)at[0] + fraction[0] * ((double)at[1] - (double)at[0]);
    }
    const double low = edges[0] + fraction[1] * (edges[1] - edges[0]),
                 high = edges[2] + fraction[1] * (edges[3] - edges[2]);
    return low + fraction[2] * (high - low);
}

static void central_difference_normal(const sn_grid *g, const double *cell_position, double *normal)
{
    for (int d = 0; d < 3; ++d) {
        double ahead[3] = {cell_position[0], cell_position[1], cell_position[2]},
               behind[3] = {cell_position[0], cell_position[1], cell_position[2]};
        ahead[d] = clamp(cell_position[d] + 0.5, g->counts[d] - 1);
        behind[d] = clamp(cell_position[d] - 0.5, g->counts[d] - 1);
        normal[d] = (interpolate(g, ahead) - interpolate(g, behind)) / (ahead[d] - behind[d]);
    }
    sn_normalize3(normal, up);
}

/* Signed distance to the box's boundary (negative) for a point inside, and the normal of the nearest side. */
static double box_distance(const sn_grid *g, const double *cell_position, double *normal)
{
    double nearest = -INFINITY;
    int axis = 0;
    for (int d = 0; d < 3; ++d) {
        const double beyond = -fmin(cell_position[d], g->counts[d] - 1 - cell_position[d]);
        axis = beyond > nearest ? d : axis;
        nearest = fmax(beyond, nearest);
    }
    for (int d = 0; d < 3; ++d) {
        normal[d] = d == axis ? (2 * cell_position[d] < g->counts[d] - 1 ? -1 : 1) : 0;
    }
    return nearest * g->spacing;
}

double sn_grid_distance(const sn_grid *g, const double *point, double *normal)
{
    double cell_position[3], beyond[3], box_normal[3];
    for (int d = 0; d < 3; ++d) {
        const double at = (point[d] - g->origin[d]) / g->spacing;
        cell_position[d] = clamp(at, g->counts[d] - 1);
        beyond[d] = isfinite(at) ? (at - cell_position[d]) * g->spacing : 0;
    }
    const double inside = interpolate(g, cell_position), outside = sn_length3(beyond);
    const double box_limit = box_distance(g, cell_position, box_normal);
    if (outside == 0 && box_limit > inside) {
        if (normal) {
            memcpy(normal, box_normal, sizeof box_normal);
        }
        return box_limit;
    }
    const double clamped = outside == 0 ? inside : fmax(inside, 0);
    if (normal && clamped == 0 && outside > 0) {
        memcpy(normal, beyond, sizeof beyond);
        sn_normalize3(normal, up);
    } else if (normal) {
        central_difference_normal(g, cell_position, normal);
        for (int d = 0; d < 3 && outside > 0; ++d) {
            normal[d] = beyond[d] + clamped * normal[d];
        }
        sn_normalize3(normal, up);
    }
    return outside == 0 ? inside : sqrt(outside * outside + clamped * clamped);
}

/* SPDX-License-Identifier: MIT */
/* A linear coarse mesh around a fine one, a common way to make elastodynamics cheap (Mueller and Gross 2004,
 * "Interactive virtual materials"): a lattice of cubes, each cut into six tets along one diagonal. A point's weights
 * are its barycentric coordinates, which are differences of its sorted fractional coordinates. */
#include <math.h>
#include <string.h>

#include "research/baselines/baselines.h"

typedef struct lattice {
    double low[3], cell;
    int counts[3]; /* nodes per axis */
    int32_t *numbers;
    int node_count;
} lattice;

/* Computes the four nodes of the tet that contains a point, and their weights. */
static void locate(const lattice *l, const double *point, size_t nodes[4], double weights[4])
{
    int at[3], order[3] = {0, 1, 2};
    double fraction[3];
    for (int d = 0; d < 3; ++d) {
        const double coordinate = (point[d] - l->low[d]) / l->cell;
        at[d] = (int)fmin(floor(coordinate), l->counts[d] - 2);
        fraction[d] = coordinate - at[d];
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = i + 1; j < 3; ++j) {
            if (fraction[order[j]] > fraction[order[i]]) {
                const int swapped = order[i];
                order[i] = order[j];
                order[j] = swapped;
            }
        }
    }
    for (int corner = 0; corner < 4; ++corner) {
        const double upper = corner == 0 ? 1 : fraction[order[corner - 1]];
        const double lower = corner == 3 ? 0 : fraction[order[corner]];
        nodes[corner] = (size_t)((at[2] * l->counts[1] + at[1]) * l->counts[0] + at[0]);
        weights[corner] = upper - lower;
        at[order[corner < 3 ? corner : 2]] += 1;
    }
}

/* Numbers the nodes that affect vertices. */
static sn_result number_nodes(const sn_tet_mesh *mesh, double cell, sn_arena *scratch, lattice *l)
{
    double high[3];
    sn_tet_mesh_box(mesh, l->low, high);
    l->cell = cell;
    size_t total = 1;
    for (int d = 0; d < 3; ++d) {
        l->counts[d] = (int)ceil((high[d] - l->low[d]) / cell) + 1;
        l->low[d] -= 0.5 * ((l->counts[d] - 1) * cell - (high[d] - l->low[d]));
        total *= (size_t)l->counts[d];
    }
    l->node_count = 0;
    l->numbers = SN_NEW(scratch, int32_t, total);
    for (int v = 0; v < mesh->vertex_count && l->numbers; ++v) {
        size_t nodes[4];
        double weights[4];
        locate(l, mesh->positions + 3 * (size_t)v, nodes, weights);
        for (int c = 0; c < 4; ++c) {
            if (weights[c] > 0 && l->numbers[nodes[c]] == 0) {
                l->numbers[nodes[c]] = ++l->node_count;
            }
        }
    }
    return l->numbers ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_lattice_weights(const sn_tet_mesh *mesh, int limit, sn_arena *arena, double **weights, int *node_count)
{
    double low[3], high[3], cell = sn_tet_mesh_box(mesh, low, high);
    sn_arena scratch = {0};
    lattice best, candidate;
    sn_result result = number_nodes(mesh, cell, &scratch, &best);
    if (result == SN_OK && best.node_count > limit) {
        result = sn_fail(SN_ERROR_ARGUMENT, "a lattice of at most %d nodes requested; the minimum is %d", limit,
                         best.node_count);
    }
    for (int step = 0; step < 60 && result == SN_OK; ++step) {
        cell *= 0.95;
        result = number_nodes(mesh, cell, &scratch, &candidate);
        best = candidate.node_count <= limit ? candidate : best;
    }
    *node_count = best.node_count;
    *weights = result == SN_OK ? SN_NEW(arena, double, (size_t)mesh->vertex_count *(size_t)best.node_count) : NULL;
    for (size_t v = 0; v < (size_t)mesh->vertex_count && *weights; ++v) {
        size_t nodes[4];
        double local_weights[4];
        locate(&best, mesh->positions + 3 * v, nodes, local_weights);
        for (int c = 0; c < 4; ++c) {
            if (local_weights[c] > 0) {
                (*weights)[v * (size_t)best.node_count + (size_t)best.numbers[nodes[c]] - 1] += local_weights[c];
            }
        }
    }
    sn_arena_finish(&scratch);
    return result == SN_OK && !*weights ? SN_ERROR_MEMORY : result;
}

/* SPDX-License-Identifier: MIT */
#include "host/mesh/nodal_gradients.h"

#include <string.h>

/* The tets around each vertex, and scratch arrays for summing a node's row. */
typedef struct node_accumulators {
    const double *gradients, *volumes; /* of the tets */
    const int32_t *starts, *corners;   /* tet corners of vertex v: starts[v] to starts[v + 1] */
    double *accumulators;              /* (vertex_count x 3) zero between nodes */
    bool *is_visited;                  /* (vertex_count) cleared between nodes */
} node_accumulators;

static sn_result list_corners(const sn_tet_mesh *mesh, sn_arena *scratch, node_accumulators *s)
{
    const size_t count = 4 * (size_t)mesh->tet_count;
    int32_t *starts = SN_NEW(scratch, int32_t, mesh->vertex_count + 2), *corners = SN_NEW(scratch, int32_t, count);
    double *gradients = SN_NEW(scratch, double, 3 * count), *volumes = SN_NEW(scratch, double, mesh->tet_count);
    s->accumulators = SN_NEW(scratch, double, 3 * (size_t)mesh->vertex_count);
    s->is_visited = SN_NEW(scratch, bool, mesh->vertex_count);
    if (!starts || !corners || !gradients || !volumes || !s->accumulators || !s->is_visited) {
        return SN_ERROR_MEMORY;
    }
    sn_tet_gradients(mesh, gradients, volumes);
    for (size_t i = 0; i < count; ++i) {
        ++starts[mesh->tets[i] + 2];
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        starts[v + 2] += starts[v + 1];
    }
    for (size_t i = 0; i < count; ++i) {
        corners[starts[mesh->tets[i] + 1]++] = (int32_t)i;
    }
    s->gradients = gradients;
    s->volumes = volumes;
    s->starts = starts;
    s->corners = corners;
    return SN_OK;
}

/* A flat tet repeats a corner; it contributes only at the first one. */
static bool is_repeated(const sn_tet_mesh *mesh, int32_t corner)
{
    return mesh->is_flat && corner % 4 == 3;
}

/* Sums a vertex's row; returns the volume around it. */
static double sum_row(const sn_tet_mesh *mesh, int32_t vertex, node_accumulators *s)
{
    double volume = 0;
    for (int32_t at = s->starts[vertex]; at < s->starts[vertex + 1]; ++at) {
        const size_t tet = (size_t)s->corners[at] / 4;
        if (is_repeated(mesh, s->corners[at])) {
            continue;
        }
        volume += s->volumes[tet];
        for (size_t k = 0; k < 4; ++k) {
            const size_t to = (size_t)mesh->tets[4 * tet + k];
            s->is_visited[to] = true;
            for (size_t d = 0; d < 3; ++d) {
                s->accumulators[3 * to + d] += s->volumes[tet] * s->gradients[12 * tet + 3 * k + d];
            }
        }
    }
    return volume;
}

/* Lists the distinct vertices that share a tet with this one, without itself. neighbours may be null, to count only.
 * Clears is_visited. */
static int list_neighbours(const sn_tet_mesh *mesh, int32_t vertex, node_accumulators *s, int32_t *neighbours)
{
    int count = 0;
    s->is_visited[vertex] = false; /* x_i - x_i is zero */
    for (int32_t at = s->starts[vertex]; at < s->starts[vertex + 1]; ++at) {
        for (size_t k = 0; k < 4; ++k) {
            const int32_t v = mesh->tets[4 * ((size_t)s->corners[at] / 4) + k];
            if (!s->is_visited[v]) {
                continue;
            }
            s->is_visited[v] = false;
            int slot = count++;
            for (; neighbours && slot > 0 && neighbours[slot - 1] > v; --slot) {
                neighbours[slot] = neighbours[slot - 1];
            }
            if (neighbours) {
                neighbours[slot] = v;
            }
        }
    }
    return count;
}

static void clear_accumulators(const sn_tet_mesh *mesh, int32_t vertex, node_accumulators *s)
{
    for (int32_t at = s->starts[vertex]; at < s->starts[vertex + 1]; ++at) {
        for (size_t k = 0; k < 4; ++k) {
            memset(s->accumulators + 3 * (size_t)mesh->tets[4 * ((size_t)s->corners[at] / 4) + k], 0,
                   3 * sizeof(double));
        }
    }
}

static sn_result fill(const sn_tet_mesh *mesh, node_accumulators *s, sn_arena *arena, sn_nodal_gradients *nodal)
{
    int32_t *starts = SN_NEW(arena, int32_t, nodal->node_count + 1);
    if (!starts) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < nodal->node_count; ++i) {
        sum_row(mesh, nodal->vertices[i], s);
        starts[i + 1] = starts[i] + list_neighbours(mesh, nodal->vertices[i], s, NULL);
        clear_accumulators(mesh, nodal->vertices[i], s);
    }
    const size_t count = (size_t)starts[nodal->node_count];
    int32_t *neighbours = SN_NEW(arena, int32_t, count);
    double *gradients = SN_NEW(arena, double, 3 * count);
    if (!neighbours || !gradients) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < nodal->node_count; ++i) {
        const double volume = sum_row(mesh, nodal->vertices[i], s);
        if (!(volume > 0)) {
            return sn_fail_within(SN_ERROR_FORMAT, "the tets around vertex %d have no volume", nodal->vertices[i]);
        }
        const int32_t last = starts[i] + list_neighbours(mesh, nodal->vertices[i], s, neighbours + starts[i]);
        for (int32_t j = starts[i]; j < last; ++j) {
            for (size_t d = 0; d < 3; ++d) {
                gradients[3 * (size_t)j + d] = s->accumulators[3 * (size_t)neighbours[j] + d] / volume;
            }
        }
        clear_accumulators(mesh, nodal->vertices[i], s);
    }
    nodal->starts = starts;
    nodal->neighbours = neighbours;
    nodal->gradients = gradients;
    return SN_OK;
}

sn_result sn_nodal_gradients_build(const sn_tet_mesh *mesh, const int32_t *vertices, int node_count, sn_arena *arena,
                                   sn_nodal_gradients *nodal)
{
    sn_arena scratch = {0};
    node_accumulators accumulators;
    *nodal = (sn_nodal_gradients){.node_count = node_count, .is_flat = mesh->is_flat, .vertices = vertices};
    sn_result result = list_corners(mesh, &scratch, &accumulators);
    if (result == SN_OK) {
        result = fill(mesh, &accumulators, arena, nodal);
    }
    sn_arena_finish(&scratch);
    return result;
}

void sn_nodal_gradient(const sn_nodal_gradients *nodal, int node, const double *positions, double *gradient)
{
    const double *center = positions + 3 * (size_t)nodal->vertices[node];
    memset(gradient, 0, 9 * sizeof *gradient);
    gradient[8] = nodal->is_flat ? 1 : 0;
    for (int32_t j = nodal->starts[node]; j < nodal->starts[node + 1]; ++j) {
        const double *x = positions + 3 * (size_t)nodal->neighbours[j], *g = nodal->gradients + 3 * (size_t)j;
        for (int d = 0; d < 3; ++d) {
            const double across = x[d] - center[d];
            for (int k = 0; k < 3; ++k) {
                gradient[3 * d + k] += across * g[k];
            }
        }
    }
}

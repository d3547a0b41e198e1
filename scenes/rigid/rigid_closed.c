/* SPDX-License-Identifier: MIT */
/* Tests whether a surface is closed: each edge is traversed equally often in both directions. Vertices at equal
 * positions, which seams of texture and normals duplicate, count as one. Volume integrals over a closed surface do not
 * depend on the origin. */
#include <math.h>
#include <stdlib.h>

#include "scenes/rigid/rigid_shape.h"

#define POSITION_TOLERANCE 1e-6 /* fraction of the longest side of the surface's box */

typedef struct vertex_key {
    int64_t at[3];
    int vertex;
} vertex_key;

typedef struct edge {
    int low, high, direction; /* 1: from low to high; -1: reverse */
} edge;

static int compare_vertex_keys(const void *a, const void *b)
{
    const vertex_key *x = a, *y = b;
    for (int d = 0; d < 3; ++d) {
        if (x->at[d] != y->at[d]) {
            return x->at[d] < y->at[d] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_edges(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    return x->low != y->low ? (x->low < y->low ? -1 : 1) : x->high != y->high ? (x->high < y->high ? -1 : 1) : 0;
}

/* Assigns the same number to all vertices at one position. */
static void assign_position_ids(const sn_surface *surface, vertex_key *vertex_keys, int *position_ids)
{
    float low[3], high[3];
    double max_side = 0;
    sn_surface_bounds(surface, low, high);
    for (int d = 0; d < 3; ++d) {
        max_side = fmax(max_side, (double)high[d] - (double)low[d]);
    }
    for (int v = 0; v < surface->vertex_count; ++v) {
        vertex_keys[v].vertex = v;
        for (int d = 0; d < 3; ++d) {
            const double box_center = ((double)low[d] + (double)high[d]) / 2;
            const double center_offset = (double)surface->positions[3 * (size_t)v + (size_t)d] - box_center;
            vertex_keys[v].at[d] = max_side > 0 ? llround(center_offset / (POSITION_TOLERANCE * max_side)) : 0;
        }
    }
    qsort(vertex_keys, (size_t)surface->vertex_count, sizeof *vertex_keys, compare_vertex_keys);
    for (int v = 0, position_id = 0; v < surface->vertex_count; ++v) {
        position_id += v > 0 && compare_vertex_keys(&vertex_keys[v - 1], &vertex_keys[v]) != 0;
        position_ids[vertex_keys[v].vertex] = position_id;
    }
}

static int collect_edges(const sn_surface *surface, const int *position_ids, edge *edges)
{
    int count = 0;
    for (int t = 0; t < surface->triangle_count; ++t) {
        const int32_t *corners = surface->triangles + 3 * (size_t)t;
        for (int k = 0; k < 3; ++k) {
            const int from = position_ids[corners[k]], to = position_ids[corners[(k + 1) % 3]];
            if (from != to) {
                edges[count++] = from < to ? (edge){from, to, 1} : (edge){to, from, -1};
            }
        }
    }
    return count;
}

static bool are_balanced(edge *edges, int count)
{
    bool is_balanced = true;
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    for (int first = 0, next; first < count && is_balanced; first = next) {
        int sum = 0;
        for (next = first; next < count && compare_edges(&edges[next], &edges[first]) == 0; ++next) {
            sum += edges[next].direction;
        }
        is_balanced = sum == 0;
    }
    return is_balanced;
}

sn_result sn_rigid_test_closed(const sn_surface *surface, bool *is_closed)
{
    vertex_key *vertex_keys = calloc((size_t)surface->vertex_count + 1, sizeof *vertex_keys);
    int *position_ids = calloc((size_t)surface->vertex_count + 1, sizeof *position_ids);
    edge *edges = calloc(3 * (size_t)surface->triangle_count + 1, sizeof *edges);
    const bool is_allocated = vertex_keys && position_ids && edges;
    *is_closed = false;
    if (is_allocated) {
        assign_position_ids(surface, vertex_keys, position_ids);
        *is_closed = are_balanced(edges, collect_edges(surface, position_ids, edges));
    }
    free(vertex_keys);
    free(position_ids);
    free(edges);
    return is_allocated ? SN_OK : SN_ERROR_MEMORY;
}

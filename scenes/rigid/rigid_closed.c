/* SPDX-License-Identifier: MIT */
/* Tests whether a surface is closed: each edge is traversed equally often in both directions. Vertices at equal
 * positions, which seams of texture and normals duplicate, count as one. Volume integrals over a closed surface do not
 * depend on the origin. */
#include <math.h>
#include <stdlib.h>

#include "scenes/rigid/rigid_shape.h"

#define SAME_PLACE 1e-6 /* fraction of the longest side of the surface's box */

typedef struct spot {
    int64_t at[3];
    int vertex;
} spot;

typedef struct edge {
    int low, high, way; /* 1: from low to high; -1: reverse */
} edge;

static int compare_spots(const void *a, const void *b)
{
    const spot *x = a, *y = b;
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
static void number_places(const sn_surface *surface, spot *spots, int *places)
{
    float low[3], high[3];
    double longest = 0;
    sn_surface_bounds(surface, low, high);
    for (int d = 0; d < 3; ++d) {
        longest = fmax(longest, (double)high[d] - (double)low[d]);
    }
    for (int v = 0; v < surface->vertex_count; ++v) {
        spots[v].vertex = v;
        for (int d = 0; d < 3; ++d) {
            const double middle = ((double)low[d] + (double)high[d]) / 2;
            const double aside = (double)surface->positions[3 * (size_t)v + (size_t)d] - middle;
            spots[v].at[d] = longest > 0 ? llround(aside / (SAME_PLACE * longest)) : 0;
        }
    }
    qsort(spots, (size_t)surface->vertex_count, sizeof *spots, compare_spots);
    for (int v = 0, place = 0; v < surface->vertex_count; ++v) {
        place += v > 0 && compare_spots(&spots[v - 1], &spots[v]) != 0;
        places[spots[v].vertex] = place;
    }
}

static int collect_edges(const sn_surface *surface, const int *places, edge *edges)
{
    int count = 0;
    for (int t = 0; t < surface->triangle_count; ++t) {
        const int32_t *corners = surface->triangles + 3 * (size_t)t;
        for (int k = 0; k < 3; ++k) {
            const int from = places[corners[k]], to = places[corners[(k + 1) % 3]];
            if (from != to) {
                edges[count++] = from < to ? (edge){from, to, 1} : (edge){to, from, -1};
            }
        }
    }
    return count;
}

static bool are_balanced(edge *edges, int count)
{
    bool is_even = true;
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    for (int first = 0, next; first < count && is_even; first = next) {
        int sum = 0;
        for (next = first; next < count && compare_edges(&edges[next], &edges[first]) == 0; ++next) {
            sum += edges[next].way;
        }
        is_even = sum == 0;
    }
    return is_even;
}

sn_result sn_rigid_find_closed(const sn_surface *surface, bool *is_closed)
{
    spot *spots = calloc((size_t)surface->vertex_count + 1, sizeof *spots);
    int *places = calloc((size_t)surface->vertex_count + 1, sizeof *places);
    edge *edges = calloc(3 * (size_t)surface->triangle_count + 1, sizeof *edges);
    const bool is_there = spots && places && edges;
    *is_closed = false;
    if (is_there) {
        number_places(surface, spots, places);
        *is_closed = are_balanced(edges, collect_edges(surface, places, edges));
    }
    free(spots);
    free(places);
    free(edges);
    return is_there ? SN_OK : SN_ERROR_MEMORY;
}

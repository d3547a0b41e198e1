/* SPDX-License-Identifier: MIT */
#include "author/weights/pin_distances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/math/vec3.h"

#define EQUAL_TOLERANCE 1e-9 /* paths whose lengths differ by less, relatively, count as equal */

typedef struct walk {
    const sn_simplices *mesh;
    const sn_symmetric_rows *graph;
    double *distances;
    int32_t *queue; /* (vertex_count) ring buffer */
    bool *is_queued;
} walk;

static double edge_length(const walk *w, int a, int b)
{
    return sn_distance3(w->mesh->positions + 3 * (size_t)a, w->mesh->positions + 3 * (size_t)b);
}

/* Label-correcting shortest paths. On meshes every vertex is queued only a few times, so no heap is needed. The result
 * does not depend on the order. */
static void relax_distances(const walk *w, int queued_count)
{
    const int n = w->mesh->vertex_count;
    for (int first = 0; queued_count > 0; --queued_count) {
        const int v = w->queue[first];
        first = first + 1 < n ? first + 1 : 0;
        w->is_queued[v] = false;
        for (int32_t i = w->graph->starts[v]; i < w->graph->starts[v + 1]; ++i) {
            const int32_t other = w->graph->columns[i];
            const double distance = w->distances[v] + edge_length(w, v, other);
            if (distance < w->distances[other]) {
                w->distances[other] = distance;
                if (!w->is_queued[other]) {
                    w->is_queued[other] = true;
                    w->queue[(first + queued_count++ - 1) % n] = other;
                }
            }
        }
    }
}

typedef struct ranked_vertex {
    double distance;
    int32_t vertex;
} ranked_vertex;

static int by_distance(const void *left, const void *right)
{
    const ranked_vertex *a = left, *b = right;
    if (a->distance != b->distance) {
        return a->distance < b->distance ? -1 : 1;
    }
    return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

static void average_predecessors(const walk *w, int v, size_t columns, double *weights)
{
    double *row = weights + (size_t)v * columns;
    int count = 0;
    memset(row, 0, columns * sizeof *row);
    for (int32_t i = w->graph->starts[v]; i < w->graph->starts[v + 1]; ++i) {
        const int32_t other = w->graph->columns[i];
        const double length = edge_length(w, v, other);
        if (length > 0 && w->distances[other] + length <= w->distances[v] * (1 + EQUAL_TOLERANCE)) {
            ++count;
            for (size_t j = 0; j < columns; ++j) {
                row[j] += weights[(size_t)other * columns + j];
            }
        }
    }
    for (size_t j = 0; j < columns; ++j) {
        row[j] /= count;
    }
}

sn_result sn_pin_distances(const sn_simplices *simplices, const sn_symmetric_rows *graph, const bool *is_pinned,
                           int column_count, double *distances, double *weights)
{
    const int n = simplices->vertex_count;
    sn_arena scratch = {0};
    walk w = {simplices, graph, distances, SN_NEW(&scratch, int32_t, n), SN_NEW(&scratch, bool, n)};
    ranked_vertex *order = SN_NEW(&scratch, ranked_vertex, n);
    const bool is_ok = w.queue && w.is_queued && order;
    int queued_count = 0;
    for (int v = 0; v < n && is_ok; ++v) {
        distances[v] = is_pinned[v] ? 0 : INFINITY;
        w.is_queued[v] = is_pinned[v];
        if (is_pinned[v]) {
            w.queue[queued_count++] = v;
        }
    }
    if (is_ok) {
        relax_distances(&w, queued_count);
        for (int v = 0; v < n; ++v) {
            order[v] = (ranked_vertex){distances[v], v};
        }
        qsort(order, (size_t)n, sizeof *order, by_distance);
    }
    for (int i = 0; i < n && is_ok; ++i) {
        if (!is_pinned[order[i].vertex]) {
            average_predecessors(&w, order[i].vertex, (size_t)column_count, weights);
        }
    }
    sn_arena_finish(&scratch);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

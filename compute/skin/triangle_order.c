/* SPDX-License-Identifier: MIT */
/* Sander, Nehab, Barczak: Fast triangle reordering for vertex locality and reduced overdraw, SIGGRAPH 2007, section 3
 * ("Tipsify"), in linear time. Emits all triangles around a vertex, then continues with the corner that has been in the
 * cache longest and will remain there until its own triangles are emitted. */
#include "compute/skin/triangle_order.h"

#include <string.h>

#include "host/base/arena.h"

enum { CACHE_SIZE = 16 }; /* of a small device; also suits larger caches */

typedef struct ordering {
    sn_arena arena;
    const int32_t *triangles;                       /* (triangle_count x 3) the input */
    int triangle_count, first_vertex, vertex_count; /* vertices below are relative to the first */
    int *starts, *incident;     /* (vertex_count + 1), (starts[vertex_count]): triangles around each vertex */
    int *remaining;             /* (vertex_count): triangles around it that are not yet emitted */
    int64_t *cache_time, clock; /* (vertex_count): time when it entered the cache */
    bool *is_emitted;           /* (triangle_count) */
    int *emitted_corners;       /* (emitted_count) of emitted triangles: a stack for dead ends */
    int emitted_count, next_vertex;
} ordering;

static void find_vertices(ordering *o)
{
    int32_t low = INT32_MAX, high = 0;
    for (int64_t i = 0; i < (int64_t)3 * o->triangle_count; ++i) {
        low = o->triangles[i] < low ? o->triangles[i] : low;
        high = o->triangles[i] > high ? o->triangles[i] : high;
    }
    o->first_vertex = low;
    o->vertex_count = high - low + 1;
}

static sn_result allocate(ordering *o, const int32_t *triangles, int triangle_count)
{
    const size_t emitted_count = 3 * (size_t)triangle_count;
    int32_t *copy = SN_NEW(&o->arena, int32_t, emitted_count);
    if (!copy) {
        return SN_ERROR_MEMORY;
    }
    memcpy(copy, triangles, emitted_count * sizeof *copy);
    o->triangles = copy;
    o->triangle_count = triangle_count;
    find_vertices(o);
    const size_t n = (size_t)o->vertex_count;
    /* nested, so that a failure is logged once */
    o->starts = SN_NEW(&o->arena, int, n + 1);
    o->incident = o->starts ? SN_NEW(&o->arena, int, emitted_count) : NULL;
    o->remaining = o->incident ? SN_NEW(&o->arena, int, n) : NULL;
    o->cache_time = o->remaining ? SN_NEW(&o->arena, int64_t, n) : NULL;
    o->is_emitted = o->cache_time ? SN_NEW(&o->arena, bool, triangle_count) : NULL;
    o->emitted_corners = o->is_emitted ? SN_NEW(&o->arena, int, emitted_count) : NULL;
    o->clock = CACHE_SIZE + 1; /* the cache is empty */
    return o->emitted_corners ? SN_OK : SN_ERROR_MEMORY;
}

static void find_incident_triangles(ordering *o)
{
    for (int64_t i = 0; i < (int64_t)3 * o->triangle_count; ++i) {
        o->remaining[o->triangles[i] - o->first_vertex] += 1;
    }
    for (int v = 0; v < o->vertex_count; ++v) {
        o->starts[v + 1] = o->starts[v] + o->remaining[v];
    }
    for (int64_t i = (int64_t)3 * o->triangle_count - 1; i >= 0; --i) { /* fills each list from its end */
        o->incident[--o->starts[o->triangles[i] - o->first_vertex + 1]] = (int)(i / 3);
    }
    memmove(o->starts, o->starts + 1, (size_t)o->vertex_count * sizeof *o->starts);
    o->starts[o->vertex_count] = 3 * o->triangle_count;
}

/* Emits the triangles around a vertex; returns their number. */
static int emit_around(ordering *o, int vertex, int32_t *out)
{
    int count = 0;
    for (int i = o->starts[vertex]; i < o->starts[vertex + 1]; ++i) {
        const int32_t *triangle = o->triangles + (size_t)3 * (size_t)o->incident[i];
        if (o->is_emitted[o->incident[i]]) {
            continue;
        }
        o->is_emitted[o->incident[i]] = true;
        memcpy(out + 3 * (size_t)count++, triangle, 3 * sizeof *out);
        for (int k = 0; k < 3; ++k) {
            const int corner = triangle[k] - o->first_vertex;
            o->emitted_corners[o->emitted_count++] = corner;
            o->remaining[corner] -= 1;
            if (o->clock - o->cache_time[corner] > CACHE_SIZE) {
                o->cache_time[corner] = o->clock++;
            }
        }
    }
    return count;
}

/* The next vertex to emit triangles around: among the corners from `first` on, else among the last emitted ones with
 * triangles left, else among all; -1 when done. */
static int next_vertex(ordering *o, int first)
{
    int best = -1;
    int64_t max_priority = -1;
    for (int i = first; i < o->emitted_count; ++i) {
        const int corner = o->emitted_corners[i];
        const int64_t age = o->clock - o->cache_time[corner];
        const int64_t priority = age + 2 * o->remaining[corner] <= CACHE_SIZE ? age : 0;
        if (o->remaining[corner] > 0 && priority > max_priority) {
            max_priority = priority;
            best = corner;
        }
    }
    while (best < 0 && o->emitted_count > 0) {
        const int corner = o->emitted_corners[--o->emitted_count];
        best = o->remaining[corner] > 0 ? corner : -1;
    }
    for (; best < 0 && o->next_vertex < o->vertex_count; ++o->next_vertex) {
        best = o->remaining[o->next_vertex] > 0 ? o->next_vertex : -1;
    }
    return best;
}

sn_result sn_order_triangles(int32_t *triangles, int triangle_count)
{
    ordering o = {0};
    if (triangle_count < 2) {
        return SN_OK;
    }
    const sn_result result = allocate(&o, triangles, triangle_count);
    if (result == SN_OK) {
        find_incident_triangles(&o);
        int32_t *out = triangles;
        for (int vertex = next_vertex(&o, 0); vertex >= 0;) {
            const int first = o.emitted_count;
            out += (size_t)3 * (size_t)emit_around(&o, vertex, out);
            vertex = next_vertex(&o, first);
        }
    }
    sn_arena_finish(&o.arena);
    return result;
}

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
    int *starts, *around;   /* (vertex_count + 1), (starts[vertex_count]): triangles around each vertex */
    int *left;              /* (vertex_count): triangles around it that are not yet emitted */
    int64_t *cached, clock; /* (vertex_count): time when it entered the cache */
    bool *is_taken;         /* (triangle_count) */
    int *corners;           /* (corner_count) of emitted triangles: a stack for dead ends */
    int corner_count, next_vertex;
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
    const size_t corner_count = 3 * (size_t)triangle_count;
    int32_t *copy = SN_NEW(&o->arena, int32_t, corner_count);
    if (!copy) {
        return SN_ERROR_MEMORY;
    }
    memcpy(copy, triangles, corner_count * sizeof *copy);
    o->triangles = copy;
    o->triangle_count = triangle_count;
    find_vertices(o);
    const size_t n = (size_t)o->vertex_count;
    /* nested, so that a failure is logged once */
    o->starts = SN_NEW(&o->arena, int, n + 1);
    o->around = o->starts ? SN_NEW(&o->arena, int, corner_count) : NULL;
    o->left = o->around ? SN_NEW(&o->arena, int, n) : NULL;
    o->cached = o->left ? SN_NEW(&o->arena, int64_t, n) : NULL;
    o->is_taken = o->cached ? SN_NEW(&o->arena, bool, triangle_count) : NULL;
    o->corners = o->is_taken ? SN_NEW(&o->arena, int, corner_count) : NULL;
    o->clock = CACHE_SIZE + 1; /* the cache is empty */
    return o->corners ? SN_OK : SN_ERROR_MEMORY;
}

static void find_around(ordering *o)
{
    for (int64_t i = 0; i < (int64_t)3 * o->triangle_count; ++i) {
        o->left[o->triangles[i] - o->first_vertex] += 1;
    }
    for (int v = 0; v < o->vertex_count; ++v) {
        o->starts[v + 1] = o->starts[v] + o->left[v];
    }
    for (int64_t i = (int64_t)3 * o->triangle_count - 1; i >= 0; --i) { /* fills each list from its end */
        o->around[--o->starts[o->triangles[i] - o->first_vertex + 1]] = (int)(i / 3);
    }
    memmove(o->starts, o->starts + 1, (size_t)o->vertex_count * sizeof *o->starts);
    o->starts[o->vertex_count] = 3 * o->triangle_count;
}

/* Emits the triangles around a vertex; returns their number. */
static int take_around(ordering *o, int vertex, int32_t *out)
{
    int count = 0;
    for (int i = o->starts[vertex]; i < o->starts[vertex + 1]; ++i) {
        const int32_t *triangle = o->triangles + (size_t)3 * (size_t)o->around[i];
        if (o->is_taken[o->around[i]]) {
            continue;
        }
        o->is_taken[o->around[i]] = true;
        memcpy(out + 3 * (size_t)count++, triangle, 3 * sizeof *out);
        for (int k = 0; k < 3; ++k) {
            const int corner = triangle[k] - o->first_vertex;
            o->corners[o->corner_count++] = corner;
            o->left[corner] -= 1;
            if (o->clock - o->cached[corner] > CACHE_SIZE) {
                o->cached[corner] = o->clock++;
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
    int64_t longest = -1;
    for (int i = first; i < o->corner_count; ++i) {
        const int corner = o->corners[i];
        const int64_t age = o->clock - o->cached[corner];
        const int64_t priority = age + 2 * o->left[corner] <= CACHE_SIZE ? age : 0;
        if (o->left[corner] > 0 && priority > longest) {
            longest = priority;
            best = corner;
        }
    }
    while (best < 0 && o->corner_count > 0) {
        const int corner = o->corners[--o->corner_count];
        best = o->left[corner] > 0 ? corner : -1;
    }
    for (; best < 0 && o->next_vertex < o->vertex_count; ++o->next_vertex) {
        best = o->left[o->next_vertex] > 0 ? o->next_vertex : -1;
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
        find_around(&o);
        int32_t *out = triangles;
        for (int vertex = next_vertex(&o, 0); vertex >= 0;) {
            const int first = o.corner_count;
            out += (size_t)3 * (size_t)take_around(&o, vertex, out);
            vertex = next_vertex(&o, first);
        }
    }
    sn_arena_finish(&o.arena);
    return result;
}

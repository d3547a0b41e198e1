/* SPDX-License-Identifier: MIT */
/* Handles of the public API: checked, and as the weights' solver takes them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "author/cook/handles.h"
#include "host/math/vec3.h"

static const char *list_name(const sn_cook_handles *h)
{
    return h->name ? h->name : "handles";
}

/* ---- checks ---- */

static sn_result check_handle(const sn_cook_handles *h, int index)
{
    const sn_cook_handle *handle = &h->handles[index];
    double sum = handle->radius;
    for (int d = 0; d < 3; ++d) {
        sum += handle->start[d] + (handle->shape == SN_HANDLE_SHAPE_BONE ? handle->end[d] : 0);
    }
    if (!isfinite(sum) || handle->radius < 0) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: handles[%d]: a number is not finite, or its radius negative",
                       list_name(h), index);
    }
    const int parent = handle->parent;
    if (parent >= h->count || parent == index ||
        (parent >= 0 && (handle->shape == SN_HANDLE_SHAPE_CAGE || h->handles[parent].shape == SN_HANDLE_SHAPE_CAGE))) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: handles[%d]: its parent, %d, is no other point or bone", list_name(h),
                       index, parent);
    }
    return SN_OK;
}

static sn_result check_cycles(const sn_cook_handles *h)
{
    for (int i = 0; i < h->count; ++i) {
        int above = h->handles[i].parent, depth = 0;
        while (above >= 0 && depth <= h->count) {
            above = h->handles[above].parent;
            ++depth;
        }
        if (depth > h->count) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: handles[%d]: it is above itself", list_name(h), i);
        }
    }
    return SN_OK;
}

static sn_result check_corners(const sn_cook_handles *h, const char *what, const int32_t *corners, int count,
                               int corner_count)
{
    for (int i = 0; i < count * corner_count; ++i) {
        const bool is_cage =
            corners[i] >= 0 && corners[i] < h->count && h->handles[corners[i]].shape == SN_HANDLE_SHAPE_CAGE;
        if (!is_cage || (i % corner_count > 0 && corners[i] == corners[i - 1])) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: %s[%d]: %d is no other vertex of a cage", list_name(h), what,
                           i / corner_count, corners[i]);
        }
    }
    return SN_OK;
}

/* ---- cages ---- */

static double turn(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Seen along z: loops are for flat bodies. Edges that meet at an end do not cross. */
static sn_result check_crossings(const sn_cook_handles *h)
{
    for (int i = 0; i < h->edge_count; ++i) {
        const double *a = h->handles[h->edges[2 * i]].start, *b = h->handles[h->edges[2 * i + 1]].start;
        for (int j = 0; j < i; ++j) {
            const double *c = h->handles[h->edges[2 * j]].start, *d = h->handles[h->edges[2 * j + 1]].start;
            if (turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0) {
                return sn_fail(SN_ERROR_ARGUMENT, "%s: edges[%d] crosses edges[%d]: a cage must not cross itself",
                               list_name(h), i, j);
            }
        }
    }
    return SN_OK;
}

static int by_value(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Every edge of a triangle is there once in each direction. */
static sn_result check_closed(const sn_cook_handles *h)
{
    const size_t count = 3 * (size_t)h->triangle_count;
    uint64_t *sides = sn_alloc(count, sizeof *sides);
    sn_result result = sides ? SN_OK : SN_ERROR_MEMORY;
    for (size_t i = 0; i < count && sides; ++i) {
        const uint64_t from = (uint64_t)h->triangles[i], to = (uint64_t)h->triangles[i % 3 == 2 ? i - 2 : i + 1];
        sides[i] = from << 32 | to;
    }
    if (sides) {
        qsort(sides, count, sizeof *sides, by_value);
    }
    for (size_t i = 0; i < count && result == SN_OK; ++i) {
        const uint64_t opposite = sides[i] << 32 | sides[i] >> 32;
        if ((i > 0 && sides[i] == sides[i - 1]) || !bsearch(&opposite, sides, count, sizeof *sides, by_value)) {
            result = sn_fail(SN_ERROR_ARGUMENT,
                             "%s: triangles: the edge from %d to %d has not two, turned alike: a cage must be closed",
                             list_name(h), (int)(sides[i] >> 32), (int)(sides[i] & UINT32_MAX));
        }
    }
    sn_free(sides, count, sizeof *sides);
    return result;
}

sn_result sn_given_handles_check(const sn_cook_handles *h)
{
    if (h->count < 1 || h->count > SN_RIG_HANDLE_LIMIT || h->edge_count < 0 || h->triangle_count < 0) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %d handles (1 to %d)", list_name(h), h->count, SN_RIG_HANDLE_LIMIT);
    }
    sn_result result = SN_OK;
    for (int i = 0; i < h->count && result == SN_OK; ++i) {
        result = check_handle(h, i);
    }
    result = result ? result : check_cycles(h);
    result = result ? result : check_corners(h, "edges", h->edges, h->edge_count, 2);
    result = result ? result : check_corners(h, "triangles", h->triangles, h->triangle_count, 3);
    result = result ? result : check_crossings(h);
    return result ? result : check_closed(h);
}

/* ---- lists ---- */

/* The vertices of closed cages, and their triangles. */
static sn_result list_cages(const sn_cook_handles *h, const sn_handle_lists *lists, sn_arena *arena, sn_cages *cages)
{
    double *positions = SN_NEW(arena, double, 3 * (size_t)h->count);
    int32_t *number = SN_NEW(arena, int32_t, h->count), *starts = SN_NEW(arena, int32_t, h->count + 1);
    int32_t *columns = SN_NEW(arena, int32_t, h->count), *corners = SN_NEW(arena, int32_t, 3 * h->triangle_count);
    const char **labels = SN_NEW(arena, const char *, h->count);
    int32_t count = 0;
    if (!positions || !number || !starts || !columns || !corners || !labels) {
        return SN_ERROR_MEMORY;
    }
    memset(number, -1, (size_t)h->count * sizeof *number);
    for (int i = 0; i < 3 * h->triangle_count; ++i) {
        const int32_t handle = h->triangles[i];
        if (number[handle] < 0) {
            memcpy(positions + 3 * (size_t)count, lists->handles[handle].start, 3 * sizeof(double));
            labels[count] = lists->labels[handle];
            columns[count] = handle;
            number[handle] = count++;
            starts[count] = count;
        }
        corners[i] = number[handle];
    }
    *cages = (sn_cages){.name = list_name(h),
                        .surface = {count, h->triangle_count, positions, corners},
                        .handle_starts = starts,
                        .handles = columns,
                        .labels = labels};
    return SN_OK;
}

sn_result sn_given_handles_list(const sn_cook_handles *h, const double *origin, double scale, sn_arena *arena,
                                sn_handle_lists *lists, sn_cages *cages)
{
    static const sn_weight_handle_kind kinds[] = {[SN_HANDLE_SHAPE_POINT] = SN_WEIGHT_HANDLE_POINT,
                                                  [SN_HANDLE_SHAPE_BONE] = SN_WEIGHT_HANDLE_BONE,
                                                  [SN_HANDLE_SHAPE_CAGE] = SN_WEIGHT_HANDLE_CAGE};
    *lists = (sn_handle_lists){.count = h->count,
                               .handles = SN_NEW(arena, sn_weight_handle, h->count),
                               .labels = SN_NEW(arena, const char *, h->count),
                               .edges = SN_NEW(arena, int32_t, 2 * (size_t)h->edge_count),
                               .edge_count = h->edge_count};
    if (!lists->handles || !lists->labels || !lists->edges) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < h->count; ++i) {
        sn_weight_handle *to = &lists->handles[i];
        to->kind = kinds[h->handles[i].shape];
        to->radius = h->handles[i].radius * scale;
        for (int d = 0; d < 3; ++d) {
            to->start[d] = (h->handles[i].start[d] - origin[d]) * scale;
            to->end[d] = (h->handles[i].end[d] - origin[d]) * scale;
        }
        lists->labels[i] = sn_handle_label(arena, i, h->handles[i].name ? h->handles[i].name : "");
        if (!lists->labels[i]) {
            return SN_ERROR_MEMORY;
        }
    }
    for (int i = 0; i < 2 * h->edge_count; ++i) {
        lists->edges[i] = h->edges[i];
    }
    return list_cages(h, lists, arena, cages);
}

sn_result sn_given_handles_bones(const sn_cook_handles *h, sn_arena *arena, sn_handle_bones *bones)
{
    const size_t count = (size_t)h->count;
    *bones = (sn_handle_bones){.names = SN_NEW(arena, const char *, count),
                               .parents = SN_NEW(arena, int32_t, count),
                               .pivots = SN_NEW(arena, double, 3 * count),
                               .is_translated = SN_NEW(arena, bool, count),
                               .is_stretched = SN_NEW(arena, bool, count)};
    if (!bones->names || !bones->parents || !bones->pivots || !bones->is_translated || !bones->is_stretched) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const sn_cook_handle *handle = &h->handles[i];
        bones->names[i] = handle->name ? handle->name : "";
        bones->parents[i] = handle->parent >= 0 ? handle->parent : -1;
        bones->is_translated[i] = handle->shape == SN_HANDLE_SHAPE_CAGE;
        bones->is_stretched[i] = handle->is_stretched && !bones->is_translated[i];
        memcpy(bones->pivots + 3 * i, handle->start, sizeof handle->start);
    }
    return SN_OK;
}

/* SPDX-License-Identifier: MIT */
/* Checks handles of the public API and converts them for the weight solver. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "author/cook/handles/handles.h"
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
        return sn_fail(SN_ERROR_ARGUMENT, "%s: handles[%d]: a number is not finite, or the radius is negative",
                       list_name(h), index);
    }
    const int parent = handle->parent;
    if (parent >= h->count || parent == index ||
        (parent >= 0 && (handle->shape == SN_HANDLE_SHAPE_CAGE || h->handles[parent].shape == SN_HANDLE_SHAPE_CAGE))) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: handles[%d]: parent %d must be another point or bone", list_name(h),
                       index, parent);
    }
    return SN_OK;
}

static sn_result check_cycles(const sn_cook_handles *h)
{
    for (int i = 0; i < h->count; ++i) {
        int ancestor = h->handles[i].parent, depth = 0;
        while (ancestor >= 0 && depth <= h->count) {
            ancestor = h->handles[ancestor].parent;
            ++depth;
        }
        if (depth > h->count) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: handles[%d]: cycle of parents", list_name(h), i);
        }
    }
    return SN_OK;
}

/* Each corner must be a vertex of a cage that differs from the previous corner. */
static sn_result check_corners(const sn_cook_handles *h, const char *what, int index, const int32_t *corners, int count)
{
    for (int i = 0; i < count; ++i) {
        const bool is_cage =
            corners[i] >= 0 && corners[i] < h->count && h->handles[corners[i]].shape == SN_HANDLE_SHAPE_CAGE;
        if (!is_cage || (i > 0 && corners[i] == corners[i - 1])) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: %s[%d]: %d must be another vertex of a cage", list_name(h), what,
                           index, corners[i]);
        }
    }
    return SN_OK;
}

static sn_result check_indices(const sn_cook_handles *h)
{
    for (int i = 0; i < h->edge_count; ++i) {
        SN_TRY(check_corners(h, "edges", i, h->edges + 2 * (size_t)i, 2));
    }
    for (int i = 0; i < h->triangle_count; ++i) {
        SN_TRY(check_corners(h, "triangles", i, h->triangles + 3 * (size_t)i, 3));
    }
    for (int i = 0; i < h->face_count; ++i) {
        const int first = h->face_starts[i], count = h->face_starts[i + 1] - first;
        SN_TRY(count >= 3 ? check_corners(h, "faces", i, h->face_corners + first, count)
                          : sn_fail(SN_ERROR_ARGUMENT, "%s: faces[%d]: %d corners", list_name(h), i, count));
    }
    return SN_OK;
}

/* ---- cages ---- */

static double orientation(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* In the xy plane, since loops are for flat bodies. Edges that share an end do not cross. */
static sn_result check_crossings(const sn_cook_handles *h)
{
    for (int i = 0; i < h->edge_count; ++i) {
        const double *a = h->handles[h->edges[2 * i]].start, *b = h->handles[h->edges[2 * i + 1]].start;
        for (int j = 0; j < i; ++j) {
            const double *c = h->handles[h->edges[2 * j]].start, *d = h->handles[h->edges[2 * j + 1]].start;
            if (orientation(a, b, c) * orientation(a, b, d) < 0 && orientation(c, d, a) * orientation(c, d, b) < 0) {
                return sn_fail(SN_ERROR_ARGUMENT, "%s: edges[%d] crosses edges[%d]: a cage must not cross itself",
                               list_name(h), i, j);
            }
        }
    }
    return SN_OK;
}

static int compare_values(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

sn_result sn_input_handles_faces(const sn_cook_handles *h, sn_arena *arena, sn_handle_faces *faces)
{
    const int triangles = h->triangle_count, polygons = h->face_count;
    const size_t corners = 3 * (size_t)triangles + (polygons > 0 ? (size_t)h->face_starts[polygons] : 0);
    *faces = (sn_handle_faces){.count = triangles + polygons,
                               .starts = SN_NEW(arena, int32_t, (size_t)(triangles + polygons) + 1),
                               .corners = SN_NEW(arena, int32_t, corners)};
    if (!faces->starts || !faces->corners) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < 3 * triangles; ++i) {
        faces->corners[i] = h->triangles[i];
        faces->starts[i / 3 + 1] = 3 * (i / 3 + 1);
    }
    for (int i = 0; i < polygons; ++i) {
        faces->starts[triangles + i + 1] = 3 * triangles + h->face_starts[i + 1];
    }
    for (size_t i = 3 * (size_t)triangles; i < corners; ++i) {
        faces->corners[i] = h->face_corners[i - 3 * (size_t)triangles];
    }
    return SN_OK;
}

/* Every edge of a face must occur exactly once in each direction. */
static sn_result check_closed(const sn_cook_handles *h)
{
    sn_arena arena = {0};
    sn_handle_faces faces;
    sn_result result = sn_input_handles_faces(h, &arena, &faces);
    const size_t count = result == SN_OK ? (size_t)faces.starts[faces.count] : 0;
    uint64_t *sides = SN_NEW(&arena, uint64_t, count);
    result = sides ? result : SN_ERROR_MEMORY;
    for (int f = 0; f < faces.count && result == SN_OK; ++f) {
        for (int32_t i = faces.starts[f]; i < faces.starts[f + 1]; ++i) {
            const int32_t next = i + 1 < faces.starts[f + 1] ? i + 1 : faces.starts[f];
            sides[i] = (uint64_t)faces.corners[i] << 32 | (uint64_t)faces.corners[next];
        }
    }
    if (result == SN_OK && count > 0) {
        qsort(sides, count, sizeof *sides, compare_values);
    }
    for (size_t i = 0; i < count && result == SN_OK; ++i) {
        const uint64_t opposite = sides[i] << 32 | sides[i] >> 32;
        if ((i > 0 && sides[i] == sides[i - 1]) || !bsearch(&opposite, sides, count, sizeof *sides, compare_values)) {
            result = sn_fail(SN_ERROR_ARGUMENT,
                             "%s: %s: the edge from %d to %d does not belong to two consistently oriented faces: a "
                             "cage must be closed",
                             list_name(h), h->face_count > 0 ? "faces" : "triangles", (int)(sides[i] >> 32),
                             (int)(sides[i] & UINT32_MAX));
        }
    }
    sn_arena_finish(&arena);
    return result;
}

sn_result sn_input_handles_check(const sn_cook_handles *h)
{
    if (h->count < 1 || h->count > SN_RIG_HANDLE_LIMIT || h->edge_count < 0 || h->triangle_count < 0 ||
        h->face_count < 0) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %d handles (1 to %d)", list_name(h), h->count, SN_RIG_HANDLE_LIMIT);
    }
    for (int i = 0; i < h->count; ++i) {
        SN_TRY(check_handle(h, i));
    }
    SN_TRY(check_cycles(h));
    SN_TRY(check_indices(h));
    SN_TRY(check_crossings(h));
    return check_closed(h);
}

/* ---- lists ---- */

/* The cages' vertices, then the centers of their faces with more than three corners, so that no choice of a diagonal is
 * needed. */
typedef struct cage_builder {
    double *positions;
    const char **labels;
    int32_t *starts, *handles, *triangles; /* as in sn_cages */
    int vertex_count, triangle_count;
    int32_t *vertices; /* (handle count) vertex of each handle; -1: on no face */
} cage_builder;

static sn_result start_cages(const sn_cook_handles *h, const sn_handle_faces *faces, sn_arena *arena, cage_builder *b)
{
    const size_t corners = (size_t)faces->starts[faces->count], vertices = (size_t)h->count + (size_t)faces->count;
    *b = (cage_builder){.positions = SN_NEW(arena, double, 3 * vertices),
                        .labels = SN_NEW(arena, const char *, vertices),
                        .starts = SN_NEW(arena, int32_t, vertices + 1),
                        .handles = SN_NEW(arena, int32_t, (size_t)h->count + corners),
                        .triangles = SN_NEW(arena, int32_t, 3 * corners),
                        .vertices = SN_NEW(arena, int32_t, h->count)};
    if (!b->positions || !b->labels || !b->starts || !b->handles || !b->triangles || !b->vertices) {
        return SN_ERROR_MEMORY;
    }
    memset(b->vertices, -1, (size_t)h->count * sizeof *b->vertices);
    return SN_OK;
}

/* Adds a vertex at the mean position of the handles; returns its index. */
static int32_t add_cage_vertex(cage_builder *b, const sn_handle_lists *lists, const int32_t *handles, int count)
{
    const int vertex = b->vertex_count++;
    b->labels[vertex] = lists->labels[handles[0]];
    b->starts[vertex + 1] = b->starts[vertex] + count;
    for (int i = 0; i < count; ++i) {
        b->handles[b->starts[vertex] + i] = handles[i];
        for (int d = 0; d < 3; ++d) {
            b->positions[3 * vertex + d] += lists->handles[handles[i]].start[d] / count;
        }
    }
    return vertex;
}

static void add_triangle(cage_builder *b, int32_t u, int32_t v, int32_t w)
{
    memcpy(b->triangles + 3 * (size_t)b->triangle_count++, (int32_t[]){u, v, w}, 3 * sizeof(int32_t));
}

static void add_face(cage_builder *b, const sn_handle_lists *lists, const int32_t *corners, int count)
{
    const int32_t *v = b->vertices;
    if (count == 3) {
        add_triangle(b, v[corners[0]], v[corners[1]], v[corners[2]]);
        return;
    }
    const int32_t center = add_cage_vertex(b, lists, corners, count);
    for (int i = 0; i < count; ++i) {
        add_triangle(b, v[corners[i]], v[corners[(i + 1) % count]], center);
    }
}

static sn_result list_cages(const sn_cook_handles *h, const sn_handle_lists *lists, sn_arena *arena, sn_cages *cages)
{
    sn_handle_faces faces;
    cage_builder b;
    sn_result result = sn_input_handles_faces(h, arena, &faces);
    result = result ? result : start_cages(h, &faces, arena, &b);
    if (result != SN_OK) {
        return result;
    }
    const int32_t corner_count = faces.starts[faces.count];
    bool *is_used = SN_NEW(arena, bool, h->count);
    if (!is_used) {
        return SN_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < corner_count; ++i) {
        is_used[faces.corners[i]] = true;
    }
    for (int32_t i = 0; i < h->count; ++i) { /* in the order of the handles, before all centers */
        b.vertices[i] = is_used[i] ? add_cage_vertex(&b, lists, &i, 1) : -1;
    }
    for (int f = 0; f < faces.count; ++f) {
        add_face(&b, lists, faces.corners + faces.starts[f], faces.starts[f + 1] - faces.starts[f]);
    }
    *cages = (sn_cages){.name = list_name(h),
                        .surface = {b.vertex_count, b.triangle_count, b.positions, b.triangles},
                        .handle_starts = b.starts,
                        .handles = b.handles,
                        .labels = b.labels};
    return SN_OK;
}

const char *sn_handle_label(sn_arena *arena, int handle, const char *name)
{
    const size_t size = strlen(name) + sizeof "handles[2147483647] ''";
    char *text = SN_NEW(arena, char, size);
    if (text) {
        snprintf(text, size, "handles[%d] '%s'", handle, name);
    }
    return text;
}

sn_result sn_input_handles_list(const sn_input_handles *input, const double *origin, double scale, sn_arena *arena,
                                sn_handle_lists *lists, sn_cages *cages)
{
    static const sn_weight_handle_type types[] = {[SN_HANDLE_SHAPE_POINT] = SN_WEIGHT_HANDLE_POINT,
                                                  [SN_HANDLE_SHAPE_BONE] = SN_WEIGHT_HANDLE_BONE,
                                                  [SN_HANDLE_SHAPE_CAGE] = SN_WEIGHT_HANDLE_CAGE};
    const sn_cook_handles *h = &input->handles;
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
        to->type = types[h->handles[i].shape];
        to->radius = h->handles[i].radius * scale;
        for (int d = 0; d < 3; ++d) {
            to->start[d] = (h->handles[i].start[d] - origin[d]) * scale;
            to->end[d] = (h->handles[i].end[d] - origin[d]) * scale;
        }
        lists->labels[i] = sn_handle_label(arena, input->numbers ? input->numbers[i] : i,
                                           h->handles[i].name ? h->handles[i].name : "");
        if (!lists->labels[i]) {
            return SN_ERROR_MEMORY;
        }
    }
    for (int i = 0; i < 2 * h->edge_count; ++i) {
        lists->edges[i] = h->edges[i];
    }
    return list_cages(h, lists, arena, cages);
}

sn_result sn_input_handles_bones(const sn_cook_handles *h, sn_arena *arena, sn_handle_bones *bones)
{
    const size_t count = (size_t)h->count;
    *bones = (sn_handle_bones){.names = SN_NEW(arena, const char *, count),
                               .parents = SN_NEW(arena, int32_t, count),
                               .pivots = SN_NEW(arena, double, 3 * count),
                               .is_translated = SN_NEW(arena, bool, count),
                               .is_stretchable = SN_NEW(arena, bool, count)};
    if (!bones->names || !bones->parents || !bones->pivots || !bones->is_translated || !bones->is_stretchable) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const sn_cook_handle *handle = &h->handles[i];
        bones->names[i] = handle->name ? handle->name : "";
        bones->parents[i] = handle->parent >= 0 ? handle->parent : -1;
        bones->is_translated[i] = handle->shape == SN_HANDLE_SHAPE_CAGE;
        bones->is_stretchable[i] = handle->is_stretchable && !bones->is_translated[i];
        memcpy(bones->pivots + 3 * i, handle->start, sizeof handle->start);
    }
    return SN_OK;
}

/* SPDX-License-Identifier: MIT */
#include "runtime/edit/handles.h"

#include <stdio.h>
#include <string.h>

#include "host/base/base.h"
#include "host/model/model.h"

/* ---- conversion from a model, and to the cook ---- */

sn_edit_handle sn_edit_handle_from_bone(const sn_model *model, int bone)
{
    const float *end = model->bone_tails + 4 * (size_t)bone, *pivot = model->bone_pivots + 3 * (size_t)bone;
    sn_edit_handle handle = {.parent = sn_model_bone_parent(model, bone),
                             .radius = (double)end[3],
                             .is_stretchable = sn_model_is_bone_stretchable(model, bone)};
    for (int d = 0; d < 3; ++d) {
        handle.start[d] = (double)pivot[d];
        handle.end[d] = (double)end[d];
    }
    handle.shape = sn_model_is_bone_translation_only(model, bone) ? SN_HANDLE_SHAPE_CAGE
                   : memcmp(end, pivot, 3 * sizeof *end) != 0     ? SN_HANDLE_SHAPE_BONE
                                                                  : SN_HANDLE_SHAPE_POINT;
    snprintf(handle.name, sizeof handle.name, "%s", sn_model_bone_name(model, bone));
    return handle;
}

sn_result sn_edit_handles_from_model(sn_edit_handles *handles, const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    *handles = (sn_edit_handles){.count = c->bone_count};
    if (c->bone_count > SN_EDIT_HANDLE_LIMIT || c->cage_edge_count > SN_EDIT_EDGE_LIMIT ||
        c->cage_face_count > SN_EDIT_FACE_LIMIT || c->cage_corner_count > SN_EDIT_CORNER_LIMIT) {
        handles->count = 0;
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "editing: the character has %d bones and %d cage faces; the limits are %d and %d", c->bone_count,
                       c->cage_face_count, SN_EDIT_HANDLE_LIMIT, SN_EDIT_FACE_LIMIT);
    }
    for (int bone = 0; bone < c->bone_count; ++bone) {
        handles->items[bone] = sn_edit_handle_from_bone(model, bone);
    }
    handles->edge_count = c->cage_edge_count;
    handles->face_count = c->cage_face_count;
    for (int i = 0; i < 2 * c->cage_edge_count; ++i) {
        handles->edges[i / 2][i % 2] = model->cage_edges[i];
    }
    for (int i = 0; i < c->cage_face_count; ++i) {
        handles->face_starts[i + 1] = model->cage_face_starts[i + 1];
    }
    for (int i = 0; i < c->cage_corner_count; ++i) {
        handles->corners[i] = model->cage_corners[i];
    }
    return SN_OK;
}

void sn_edit_handles_to_cook(const sn_edit_handles *handles, sn_edit_cook *cook)
{
    cook->handles = (sn_cook_handles){.count = handles->count,
                                      .handles = cook->items,
                                      .edge_count = handles->edge_count,
                                      .edges = handles->edges[0],
                                      .face_count = handles->face_count,
                                      .face_starts = handles->face_starts,
                                      .face_corners = handles->corners};
    for (int i = 0; i < handles->count; ++i) {
        const sn_edit_handle *from = &handles->items[i];
        sn_cook_handle *to = &cook->items[i];
        *to = (sn_cook_handle){.shape = from->shape,
                               .name = from->name,
                               .parent = from->parent,
                               .radius = from->radius,
                               .is_stretchable = from->is_stretchable};
        memcpy(to->start, from->start, sizeof to->start);
        memcpy(to->end, from->end, sizeof to->end);
    }
}

/* ---- the list ---- */

int sn_edit_handles_find(const sn_edit_handles *handles, const char *name)
{
    for (int i = 0; i < handles->count; ++i) {
        if (strcmp(handles->items[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

int sn_edit_handles_add(sn_edit_handles *handles, const sn_edit_handle *handle)
{
    static const char *const names[] = {
        [SN_HANDLE_SHAPE_POINT] = "point", [SN_HANDLE_SHAPE_BONE] = "bone", [SN_HANDLE_SHAPE_CAGE] = "corner"};
    if (handles->count == SN_EDIT_HANDLE_LIMIT) {
        return -1;
    }
    char name[SN_EDIT_NAME_SIZE];
    int number = 1;
    do {
        snprintf(name, sizeof name, "%s %d", names[handle->shape], number++);
    } while (sn_edit_handles_find(handles, name) >= 0);
    sn_edit_handle *added = &handles->items[handles->count];
    *added = *handle;
    memcpy(added->name, name, sizeof name);
    ++handles->edit;
    return handles->count++;
}

/* ---- cages ---- */

static bool add_edge(sn_edit_handles *h, int from, int to)
{
    if (h->edge_count == SN_EDIT_EDGE_LIMIT) {
        return false;
    }
    h->edges[h->edge_count][0] = from;
    h->edges[h->edge_count++][1] = to;
    return true;
}

static void remove_edge(sn_edit_handles *h, int edge)
{
    memmove(h->edges + edge, h->edges + edge + 1, (size_t)(h->edge_count - edge - 1) * sizeof h->edges[0]);
    --h->edge_count;
}

static bool add_face(sn_edit_handles *h, const int32_t *corners, int count)
{
    const int32_t first = h->face_starts[h->face_count];
    if (h->face_count == SN_EDIT_FACE_LIMIT || first + count > SN_EDIT_CORNER_LIMIT) {
        return false;
    }
    memcpy(h->corners + first, corners, (size_t)count * sizeof *corners);
    h->face_starts[++h->face_count] = first + count;
    return true;
}

static void remove_face(sn_edit_handles *h, int face)
{
    const int32_t first = h->face_starts[face], next = h->face_starts[face + 1];
    memmove(h->corners + first, h->corners + next, (size_t)(h->face_starts[h->face_count] - next) * sizeof *h->corners);
    for (int f = face; f < h->face_count; ++f) {
        h->face_starts[f] = h->face_starts[f + 1] - (next - first);
    }
    --h->face_count;
}

/* Index of a corner within a face; -1: not in the face. */
static int corner_in(const sn_edit_handles *h, int face, int32_t handle)
{
    for (int32_t i = h->face_starts[face]; i < h->face_starts[face + 1]; ++i) {
        if (h->corners[i] == handle) {
            return i - h->face_starts[face];
        }
    }
    return -1;
}

bool sn_edit_handles_close(sn_edit_handles *h, int first, int count)
{
    if (h->edge_count + count > SN_EDIT_EDGE_LIMIT) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        add_edge(h, first + i, first + (i + 1) % count);
    }
    return true;
}

bool sn_edit_handles_split_edge(sn_edit_handles *h, int edge, const sn_edit_handle *handle, int *vertex)
{
    if (h->edge_count == SN_EDIT_EDGE_LIMIT || h->count == SN_EDIT_HANDLE_LIMIT) {
        return false;
    }
    *vertex = sn_edit_handles_add(h, handle);
    add_edge(h, *vertex, h->edges[edge][1]);
    h->edges[edge][1] = *vertex;
    return true;
}

bool sn_edit_handles_split_face(sn_edit_handles *h, int face, const sn_edit_handle *handle, int *vertex)
{
    const int32_t first = h->face_starts[face], count = h->face_starts[face + 1] - first;
    int32_t corners[SN_EDIT_CORNER_LIMIT];
    if (h->count == SN_EDIT_HANDLE_LIMIT || h->face_count + count > SN_EDIT_FACE_LIMIT ||
        h->face_starts[h->face_count] + 2 * count > SN_EDIT_CORNER_LIMIT) {
        return false;
    }
    memcpy(corners, h->corners + first, (size_t)count * sizeof *corners);
    *vertex = sn_edit_handles_add(h, handle);
    remove_face(h, face);
    for (int32_t i = 0; i < count; ++i) {
        add_face(h, (const int32_t[]){corners[i], corners[(i + 1) % count], *vertex}, 3);
    }
    return true;
}

bool sn_edit_handles_add_box(sn_edit_handles *h, const double low[3], const double high[3])
{
    static const int32_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    const int first = h->count;
    if (first + 8 > SN_EDIT_HANDLE_LIMIT || h->face_count + 6 > SN_EDIT_FACE_LIMIT ||
        h->face_starts[h->face_count] + 24 > SN_EDIT_CORNER_LIMIT) {
        return false;
    }
    for (int i = 0; i < 8; ++i) {
        sn_edit_handle corner = {.shape = SN_HANDLE_SHAPE_CAGE, .parent = -1};
        for (int d = 0; d < 3; ++d) {
            corner.start[d] = corner.end[d] = i >> d & 1 ? high[d] : low[d];
        }
        sn_edit_handles_add(h, &corner);
    }
    for (int f = 0; f < 6; ++f) {
        const int32_t *c = faces[f];
        add_face(h, (const int32_t[]){first + c[0], first + c[1], first + c[2], first + c[3]}, 4);
    }
    return true;
}

/* ---- removing a vertex ---- */

/* Removes the edges of a vertex; writes their other ends, at most two, and returns their number. */
static int remove_vertex_edges(sn_edit_handles *h, int index, int32_t ends[2])
{
    int count = 0;
    for (int e = h->edge_count - 1; e >= 0; --e) {
        const int side = h->edges[e][0] == index ? 0 : h->edges[e][1] == index ? 1 : -1;
        if (side >= 0) {
            ends[count < 2 ? count++ : 1] = h->edges[e][1 - side];
            remove_edge(h, e);
        }
    }
    return count;
}

static bool is_edge(const sn_edit_handles *h, int a, int b)
{
    bool is_match = false;
    for (int e = 0; e < h->edge_count; ++e) {
        is_match =
            is_match || (h->edges[e][0] == a && h->edges[e][1] == b) || (h->edges[e][0] == b && h->edges[e][1] == a);
    }
    return is_match;
}

/* Removes a vertex from its loop. Two remaining vertices are not a loop, and their edge is removed too. */
static void close_loop(sn_edit_handles *h, int index)
{
    int32_t ends[2], ignored[2];
    if (remove_vertex_edges(h, index, ends) < 2) {
        return;
    }
    if (is_edge(h, ends[0], ends[1])) {
        remove_vertex_edges(h, ends[0], ignored);
    } else {
        add_edge(h, ends[1], ends[0]);
    }
}

/* Removes the faces around a vertex; writes the surrounding corners in order and returns their number. */
static int remove_vertex_faces(sn_edit_handles *h, int index, int32_t *ring)
{
    int count = 0, face = 0;
    int32_t next = -1; /* first corner of the next face in the ring */
    while (face < h->face_count) {
        const int32_t *corners = h->corners + h->face_starts[face];
        const int size = h->face_starts[face + 1] - h->face_starts[face], position_in_face = corner_in(h, face, index);
        if (position_in_face < 0 || (next >= 0 && corners[(position_in_face + 1) % size] != next)) {
            ++face;
            continue;
        }
        for (int i = 1; i < size - 1; ++i) { /* the last corner is the first of the adjacent face */
            ring[count++] = corners[(position_in_face + i) % size];
        }
        next = corners[(position_in_face + size - 1) % size];
        remove_face(h, face);
        face = 0;
    }
    return count;
}

static void close_cage(sn_edit_handles *h, int index)
{
    int32_t ring[SN_EDIT_CORNER_LIMIT];
    const int count = remove_vertex_faces(h, index, ring);
    bool is_flat = count < 3; /* the remainder encloses no volume: a face and its reverse */
    for (int f = 0; f < h->face_count && count >= 3 && !is_flat; ++f) {
        is_flat = h->face_starts[f + 1] - h->face_starts[f] == count;
        for (int i = 0; i < count && is_flat; ++i) {
            is_flat = corner_in(h, f, ring[i]) >= 0;
        }
        if (is_flat) {
            remove_face(h, f);
        }
    }
    if (!is_flat) {
        add_face(h, ring, count);
    }
}

void sn_edit_handles_remove(sn_edit_handles *h, int index)
{
    close_loop(h, index);
    close_cage(h, index);
    memmove(&h->items[index], &h->items[index + 1], (size_t)(h->count - index - 1) * sizeof h->items[0]);
    --h->count;
    ++h->edit;
    for (int i = 0; i < h->count; ++i) {
        const int parent = h->items[i].parent;
        h->items[i].parent = parent == index ? -1 : parent - (parent > index);
    }
    for (int i = 0; i < 2 * h->edge_count; ++i) {
        h->edges[i / 2][i % 2] -= h->edges[i / 2][i % 2] > index;
    }
    for (int i = 0; i < h->face_starts[h->face_count]; ++i) {
        h->corners[i] -= h->corners[i] > index;
    }
}

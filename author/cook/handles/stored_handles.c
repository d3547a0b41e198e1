/* SPDX-License-Identifier: MIT */
/* Handles of files in the form of the public API, and handles stored in a model. */
#include <string.h>

#include "author/cook/handles/handles.h"

/* ---- from files ---- */

static sn_result allocate(const sn_rig_handles *file_handles, sn_arena *arena, sn_cook_handle **handles,
                          int32_t **edges, sn_handle_faces *faces)
{
    size_t edge_count = 0, face_count = 0, corners = 0;
    for (int i = 0; i < file_handles->count; ++i) {
        const sn_rig_handle *h = &file_handles->handles[i];
        edge_count += (size_t)h->edge_count;
        face_count += (size_t)h->face_count;
        corners += h->face_count > 0 ? (size_t)h->face_starts[h->face_count] : 0;
    }
    *handles = SN_NEW(arena, sn_cook_handle, file_handles->bone_count);
    *edges = SN_NEW(arena, int32_t, 2 * edge_count);
    *faces =
        (sn_handle_faces){.starts = SN_NEW(arena, int32_t, face_count + 1), .corners = SN_NEW(arena, int32_t, corners)};
    return *handles && *edges && faces->starts && faces->corners ? SN_OK : SN_ERROR_MEMORY;
}

static void add_handle(const sn_rig_handle *h, int vertex, sn_cook_handle *handle)
{
    static const sn_handle_shape shapes[] = {[SN_RIG_POINT] = SN_HANDLE_SHAPE_POINT,
                                             [SN_RIG_BONE] = SN_HANDLE_SHAPE_BONE,
                                             [SN_RIG_CAGE] = SN_HANDLE_SHAPE_CAGE};
    handle->shape = shapes[h->type];
    handle->parent = h->parent;
    handle->radius = h->radius;
    handle->is_stretchable = h->is_stretchable;
    memcpy(handle->start, h->points + 3 * (size_t)vertex, sizeof handle->start);
    if (h->type == SN_RIG_BONE) {
        memcpy(handle->end, h->points + 3, sizeof handle->end);
    }
}

sn_result sn_input_handles_from_file(const sn_rig_handles *file_handles, const char *name, sn_arena *arena,
                                     sn_input_handles *input)
{
    sn_cook_handle *handles;
    int32_t *edges, *numbers = SN_NEW(arena, int32_t, file_handles->bone_count);
    sn_handle_faces faces;
    int edge_count = 0;
    if (allocate(file_handles, arena, &handles, &edges, &faces) != SN_OK || !numbers) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < file_handles->count; ++i) {
        const sn_rig_handle *h = &file_handles->handles[i];
        for (int v = 0; v < (h->type == SN_RIG_CAGE ? h->point_count : 1); ++v) {
            handles[h->first_bone + v].name = file_handles->bone_names[h->first_bone + v];
            numbers[h->first_bone + v] = i;
            add_handle(h, v, &handles[h->first_bone + v]);
        }
        for (int e = 0; e < 2 * h->edge_count; ++e) {
            edges[2 * edge_count + e] = h->first_bone + h->edges[e];
        }
        edge_count += h->edge_count;
        for (int f = 0; f < h->face_count; ++f) {
            int32_t *end = &faces.starts[faces.count++ + 1];
            *end = end[-1];
            for (int32_t c = h->face_starts[f]; c < h->face_starts[f + 1]; ++c) {
                faces.corners[(*end)++] = h->first_bone + h->face_corners[c];
            }
        }
    }
    *input = (sn_input_handles){.handles = {.name = name,
                                            .count = file_handles->bone_count,
                                            .handles = handles,
                                            .edge_count = edge_count,
                                            .edges = edges,
                                            .face_count = faces.count,
                                            .face_starts = faces.starts,
                                            .face_corners = faces.corners},
                                .numbers = numbers};
    return SN_OK;
}

/* ---- in a model ---- */

static sn_result store_ends(const sn_cook_handles *h, const double *origin, double scale, sn_arena *arena,
                            sn_model *model)
{
    float *ends = SN_NEW(arena, float, 4 * (size_t)h->count);
    for (size_t i = 0; ends && i < (size_t)h->count; ++i) {
        const sn_cook_handle *handle = &h->handles[i];
        const bool is_bone = handle->shape == SN_HANDLE_SHAPE_BONE;
        for (size_t d = 0; d < 3; ++d) {
            const double end = (handle->end[d] - origin[d]) * scale;
            ends[4 * i + d] = is_bone ? (float)end : model->bone_pivots[3 * i + d];
        }
        ends[4 * i + 3] = is_bone ? (float)(handle->radius * scale) : 0;
    }
    model->bone_tails = ends;
    return ends ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_handles_store(const sn_cook_handles *h, const double *origin, double scale, sn_arena *arena,
                           sn_model *model)
{
    sn_handle_faces faces;
    int32_t *edges = SN_NEW(arena, int32_t, 2 * (size_t)h->edge_count);
    sn_result result = edges ? sn_input_handles_faces(h, arena, &faces) : SN_ERROR_MEMORY;
    result = result ? result : store_ends(h, origin, scale, arena, model);
    if (result != SN_OK) {
        return result;
    }
    for (int i = 0; i < 2 * h->edge_count; ++i) {
        edges[i] = h->edges[i];
    }
    model->cage_edges = edges;
    model->cage_face_starts = faces.starts;
    model->cage_corners = faces.corners;
    model->counts.cage_edge_count = h->edge_count;
    model->counts.cage_face_count = faces.count;
    model->counts.cage_corner_count = faces.starts[faces.count];
    return SN_OK;
}

sn_result sn_bones_store(sn_arena *arena, sn_model *model)
{
    const size_t count = (size_t)model->counts.bone_count;
    float *ends = SN_NEW(arena, float, 4 * count);
    int32_t *child_counts = SN_NEW(arena, int32_t, count);
    if (!ends || !child_counts) {
        return SN_ERROR_MEMORY;
    }
    for (size_t child = 0; child < count; ++child) {
        const int32_t bone = model->bone_parents[child];
        for (size_t d = 0; d < 3 && bone >= 0; ++d) {
            ends[4 * (size_t)bone + d] += model->bone_pivots[3 * child + d];
        }
        child_counts[bone >= 0 ? bone : 0] += bone >= 0;
    }
    for (size_t bone = 0; bone < count; ++bone) {
        for (size_t d = 0; d < 3; ++d) {
            ends[4 * bone + d] = child_counts[bone] > 0 ? ends[4 * bone + d] / (float)child_counts[bone]
                                                        : model->bone_pivots[3 * bone + d];
        }
    }
    model->bone_tails = ends;
    return SN_OK;
}

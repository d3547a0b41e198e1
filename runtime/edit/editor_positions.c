/* SPDX-License-Identifier: MIT */
/* Positions of the editor's handles: from the model, or, for edits that the model does not contain yet, as created. */
#include <math.h>
#include <string.h>

#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "runtime/edit/editor_state.h"

void sn_editor_bone_transform(const sn_editor *e, int bone, double transform[12])
{
    const sn_mat3x4 *matrix = &sn_body_output(e->body).matrices[bone];
    for (int i = 0; i < 12; ++i) {
        transform[i] = (double)matrix->m[i / 4][i % 4];
    }
}

void sn_editor_handle_position(const sn_editor *e, int handle, double start[3], double end[3])
{
    double transform[12];
    const sn_edit_handle *h = &e->handles.items[handle];
    const bool is_pending = e->is_pending[handle];
    if (!is_pending) {
        sn_editor_bone_transform(e, e->bones[handle], transform);
    }
    if (start && is_pending) {
        memcpy(start, e->world_position[handle][0], 3 * sizeof *start);
    } else if (start) {
        sn_affine_apply(transform, h->start, start);
    }
    if (end && is_pending) {
        memcpy(end, e->world_position[handle][1], 3 * sizeof *end);
    } else if (end) {
        sn_affine_apply(transform, h->end, end);
    }
}

static bool has_same_position(const sn_edit_handle *a, const sn_edit_handle *b)
{
    return memcmp(a->start, b->start, sizeof a->start) == 0 && memcmp(a->end, b->end, sizeof a->end) == 0;
}

/* Moves a rest position by the displacement of the nearest surface vertex. */
static void pose_rest_point(const sn_editor *e, const double rest[3], double world_position[3])
{
    const sn_model *model = e->model;
    double min_distance = INFINITY;
    int nearest = 0;
    for (int v = 0; v < model->counts.surface_vertex_count; ++v) {
        const float *x = model->surface_positions + 3 * (size_t)v;
        const double distance = sn_distance3((const double[]){(double)x[0], (double)x[1], (double)x[2]}, rest);
        nearest = distance < min_distance ? v : nearest;
        min_distance = fmin(min_distance, distance);
    }
    for (int d = 0; d < 3; ++d) {
        const size_t at = 3 * (size_t)nearest + (size_t)d;
        const bool is_known = model->counts.surface_vertex_count > 0;
        world_position[d] = rest[d] + (is_known ? e->surface.positions[at] - (double)model->surface_positions[at] : 0);
    }
}

void sn_editor_update_bone_map(sn_editor *e)
{
    bool is_any_pending = false;
    for (int i = 0; i < e->handles.count; ++i) {
        const sn_edit_handle *handle = &e->handles.items[i];
        /* a file may contain duplicate bone names; in an unedited model the order identifies them */
        const bool is_same_index =
            i < e->model_handles.count && strcmp(e->model_handles.items[i].name, handle->name) == 0;
        e->bones[i] = is_same_index ? i : sn_edit_handles_find(&e->model_handles, handle->name);
        e->is_pending[i] = e->bones[i] < 0 || !has_same_position(handle, &e->model_handles.items[e->bones[i]]);
        is_any_pending = is_any_pending || e->is_pending[i];
    }
    if (is_any_pending) {
        sn_posed_surface_update(&e->surface, e->body);
    }
    for (int i = 0; i < e->handles.count; ++i) {
        if (e->is_pending[i]) {
            pose_rest_point(e, e->handles.items[i].start, e->world_position[i][0]);
            pose_rest_point(e, e->handles.items[i].end, e->world_position[i][1]);
        }
    }
}

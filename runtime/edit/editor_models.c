/* SPDX-License-Identifier: MIT */
/* The editor's models: where its handles are in the body's, and how a weighed one becomes the body's. */
#include <math.h>
#include <string.h>

#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "runtime/edit/editor_state.h"

/* ---- where handles are ---- */

void sn_editor_transform(const sn_editor *e, int bone, double transform[12])
{
    const sn_mat3x4 *matrix = &sn_body_output(e->body).matrices[bone];
    for (int i = 0; i < 12; ++i) {
        transform[i] = (double)matrix->m[i / 4][i % 4];
    }
}

void sn_editor_place(const sn_editor *e, int handle, double start[3], double end[3])
{
    double transform[12];
    const sn_edit_handle *h = &e->handles.items[handle];
    const bool is_ahead = e->is_ahead[handle];
    if (!is_ahead) {
        sn_editor_transform(e, e->bones[handle], transform);
    }
    if (start && is_ahead) {
        memcpy(start, e->seen[handle][0], 3 * sizeof *start);
    } else if (start) {
        sn_affine_apply(transform, h->start, start);
    }
    if (end && is_ahead) {
        memcpy(end, e->seen[handle][1], 3 * sizeof *end);
    } else if (end) {
        sn_affine_apply(transform, h->end, end);
    }
}

static int bone_of(const sn_model *model, const char *name)
{
    int bone = sn_model_bone_count(model) - 1;
    while (bone >= 0 && strncmp(sn_model_bone_name(model, bone), name, SN_EDIT_NAME_SIZE - 1) != 0) {
        --bone;
    }
    return bone;
}

static bool is_same_place(const sn_edit_handle *a, const sn_edit_handle *b)
{
    return memcmp(a->start, b->start, sizeof a->start) == 0 && memcmp(a->end, b->end, sizeof a->end) == 0;
}

/* The flesh that rests nearest says how it has moved. */
static void see(const sn_editor *e, const double rest[3], double seen[3])
{
    const sn_model *model = e->model;
    double least = INFINITY;
    int nearest = 0;
    for (int v = 0; v < model->counts.surface_vertex_count; ++v) {
        const float *x = model->surface_positions + 3 * (size_t)v;
        const double distance = sn_distance3((const double[]){(double)x[0], (double)x[1], (double)x[2]}, rest);
        nearest = distance < least ? v : nearest;
        least = fmin(least, distance);
    }
    for (int d = 0; d < 3; ++d) {
        const size_t at = 3 * (size_t)nearest + (size_t)d;
        const bool is_known = model->counts.surface_vertex_count > 0;
        seen[d] = rest[d] + (is_known ? e->drawn.positions[at] - (double)model->surface_positions[at] : 0);
    }
}

void sn_editor_resolve(sn_editor *e)
{
    bool is_any_ahead = false;
    for (int i = 0; i < e->handles.count; ++i) {
        const sn_edit_handle *handle = &e->handles.items[i];
        /* a file may give two bones one name: where nothing was edited, the order tells them apart */
        const bool is_there = i < e->good.count && strcmp(e->good.items[i].name, handle->name) == 0;
        e->bones[i] = is_there ? i : sn_edit_handles_find(&e->good, handle->name);
        e->is_ahead[i] = e->bones[i] < 0 || !is_same_place(handle, &e->good.items[e->bones[i]]);
        is_any_ahead = is_any_ahead || e->is_ahead[i];
    }
    if (is_any_ahead) {
        sn_drawn_update(&e->drawn, e->body);
    }
    for (int i = 0; i < e->handles.count; ++i) {
        if (e->is_ahead[i]) {
            see(e, e->handles.items[i].start, e->seen[i][0]);
            see(e, e->handles.items[i].end, e->seen[i][1]);
        }
    }
}

/* ---- models ---- */

void sn_edit_model_release(sn_edit_model *made)
{
    sn_model_release(made->model);
    sn_blob_release(&made->blob);
    *made = (sn_edit_model){0};
}

/* What was locked stays where it is: the new bones have no motion to follow. */
static void keep_targets(sn_editor *e, const sn_model *next)
{
    bool has_target[SN_EDIT_HANDLE_LIMIT] = {false};
    double targets[SN_EDIT_HANDLE_LIMIT][12], compliances[SN_EDIT_HANDLE_LIMIT];
    for (int bone = 0; bone < sn_model_bone_count(next); ++bone) {
        const int before = bone_of(e->model, sn_model_bone_name(next, bone));
        compliances[bone] = before >= 0 ? e->compliances[before] : -1;
        if (before >= 0 && e->has_target[before]) {
            has_target[bone] = true;
            memcpy(targets[bone], e->targets[before], sizeof targets[bone]);
        } else if (before >= 0 && sn_body_locks(e->body, before) != 0) {
            has_target[bone] = true;
            sn_editor_transform(e, before, targets[bone]);
        }
    }
    memcpy(e->has_target, has_target, sizeof has_target);
    memcpy(e->compliances, compliances, (size_t)sn_model_bone_count(next) * sizeof *compliances);
    for (int bone = 0; bone < sn_model_bone_count(next); ++bone) {
        if (has_target[bone]) {
            memcpy(e->targets[bone], targets[bone], sizeof targets[bone]);
        }
    }
}

/* The bone that is held goes on under its new number. */
static void keep_held(sn_editor *e, const sn_model *next)
{
    if (e->action == SN_EDIT_DRAGS || e->action == SN_EDIT_TURNS) {
        const int bone = bone_of(next, sn_model_bone_name(e->model, e->bone));
        if (bone < 0) {
            sn_editor_let_go(e);
        }
        e->bone = bone;
    }
}

static sn_result take_model(sn_editor *e, const sn_edit_weighed *weighed)
{
    sn_edit_model next = {.blob = weighed->blob};
    sn_drawn drawn = {0};
    sn_result result = sn_model_load(next.blob.bytes, next.blob.size, &next.model);
    if (result == SN_OK) {
        result = sn_drawn_start(&drawn, next.model);
    }
    if (result == SN_OK) {
        keep_held(e, next.model);
        keep_targets(e, next.model);
        result = sn_body_set_rig(e->body, next.model);
    }
    if (result != SN_OK) {
        sn_drawn_finish(&drawn);
        sn_edit_model_release(&next);
        return result;
    }
    sn_drawn_finish(&e->drawn);
    sn_edit_model_release(&e->made[1]);
    e->made[1] = e->made[0];
    e->made[0] = next;
    e->model = next.model;
    e->drawn = drawn;
    e->good = e->asked; /* the handles may be moving on already */
    return SN_OK;
}

const sn_model *sn_editor_update(sn_editor *e)
{
    sn_edit_weighed weighed;
    if (!e->is_weighing || !sn_edit_weigher_take(e->weigher, &weighed)) {
        return NULL;
    }
    e->is_weighing = false;
    e->weigh_seconds = weighed.seconds;
    if (weighed.log.is_kept) {
        sn_log(weighed.log.level, "%s", weighed.log.line);
        sn_editor_tell(e, "%s", weighed.log.line);
    }
    const sn_result result = weighed.result == SN_OK ? take_model(e, &weighed) : weighed.result;
    if (result != SN_OK) {
        sn_editor_take_back(e);
        e->is_taken_back = true;
        return NULL;
    }
    sn_editor_resolve(e);
    if (!weighed.log.is_kept && !e->is_taken_back) {
        sn_editor_tell(e, "%d handles, weighed in %.0f ms", e->handles.count, 1e3 * weighed.seconds);
    }
    return e->model;
}

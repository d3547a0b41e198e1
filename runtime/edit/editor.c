/* SPDX-License-Identifier: MIT */
/* The editor's handles, their models, and what commands do to them. */
#include "runtime/edit/editor.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "runtime/edit/editor_state.h"
#include "runtime/edit/marks.h"

void sn_editor_tell(sn_editor *e, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(e->news, sizeof e->news, format, arguments);
    va_end(arguments);
    e->has_news = true;
}

const char *sn_editor_news(sn_editor *e)
{
    const bool has_news = e->has_news;
    e->has_news = false;
    return has_news ? e->news : NULL;
}

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

/* ---- edits ---- */

void sn_editor_begin_edit(sn_editor *e)
{
    if (e->history_count == SN_EDIT_HISTORY) {
        e->history_first = (e->history_first + 1) % SN_EDIT_HISTORY;
        --e->history_count;
    }
    e->history[(e->history_first + e->history_count++) % SN_EDIT_HISTORY] = e->handles;
}

static void ask(sn_editor *e)
{
    sn_editor_resolve(e);
    e->is_weighing = e->handles.edit != e->good.edit;
    if (e->is_weighing) {
        e->asked = e->handles;
        sn_edit_weigher_ask(e->weigher, &e->asked);
    } else {
        sn_edit_weigher_cancel(e->weigher);
    }
}

void sn_editor_end_edit(sn_editor *e)
{
    e->handles.edit = ++e->edit_count;
    e->is_taken_back = false;
    ask(e);
}

/* To the handles before the last edit, or, where nobody remembers them, the model's. */
static bool take_back(sn_editor *e)
{
    char name[SN_EDIT_NAME_SIZE] = "";
    const bool is_remembered = e->history_count > 0;
    sn_editor_let_go(e);
    if (e->selected >= 0) {
        memcpy(name, e->handles.items[e->selected].name, sizeof name);
    }
    e->handles = is_remembered ? e->history[(e->history_first + --e->history_count) % SN_EDIT_HISTORY] : e->good;
    e->selected = sn_edit_handles_find(&e->handles, name);
    e->hovered.handle = -1;
    ask(e);
    return is_remembered;
}

void sn_editor_undo(sn_editor *e)
{
    if (e->loop_count > 0) {
        --e->loop_count;
    } else if (e->history_count == 0) {
        sn_editor_tell(e, "nothing to take back");
    } else {
        take_back(e);
        sn_editor_tell(e, "taken back");
    }
}

void sn_editor_remove(sn_editor *e)
{
    if (e->selected < 0) {
        sn_editor_tell(e, "no handle is selected");
    } else if (e->handles.count == 1) {
        sn_editor_tell(e, "the last handle stays");
    } else {
        sn_editor_let_go(e);
        sn_editor_begin_edit(e);
        sn_editor_tell(e, "%s is gone", e->handles.items[e->selected].name);
        sn_edit_handles_remove(&e->handles, e->selected);
        e->selected = e->hovered.handle = -1;
        sn_editor_end_edit(e);
    }
}

bool sn_editor_close_loop(sn_editor *e)
{
    if (e->loop_count < 3 || e->handles.count + e->loop_count > SN_EDIT_HANDLE_LIMIT ||
        e->handles.edge_count + e->loop_count > SN_EDIT_EDGE_LIMIT) {
        sn_editor_tell(e, e->loop_count < 3 ? "a loop has three corners at least" : "there are too many handles");
        return false;
    }
    sn_editor_begin_edit(e);
    for (int i = 0; i < e->loop_count; ++i) {
        sn_edit_handle handle = {.shape = SN_HANDLE_SHAPE_CAGE, .parent = -1};
        memcpy(handle.start, e->loop[i].rest, sizeof handle.start);
        memcpy(handle.end, e->loop[i].rest, sizeof handle.end);
        sn_edit_handles_add(&e->handles, &handle);
    }
    sn_edit_handles_close(&e->handles, e->handles.count - e->loop_count, e->loop_count);
    e->loop_count = 0;
    sn_editor_end_edit(e);
    return true;
}

/* ---- tools ---- */

void sn_editor_set_tool(sn_editor *e, sn_edit_tool tool)
{
    e->tool = tool;
    e->loop_count = 0;
}

sn_edit_tool sn_editor_tool(const sn_editor *e)
{
    return e->tool;
}

void sn_editor_set_editing(sn_editor *e, bool is_editing)
{
    sn_editor_let_go(e);
    e->is_editing = is_editing;
    e->loop_count = 0;
}

bool sn_editor_is_editing(const sn_editor *e)
{
    return e->is_editing;
}

/* ---- locks ---- */

static bool is_posed(const sn_editor *e, int bone)
{
    return (e->action == SN_EDIT_DRAGS || e->action == SN_EDIT_TURNS) && e->bone == bone;
}

static void set_locks(sn_editor *e, int bone, unsigned locks)
{
    if (is_posed(e, bone)) {
        const unsigned held = e->action == SN_EDIT_DRAGS ? SN_LOCK_TRANSLATION : SN_LOCK_ROTATION;
        e->locks_before = locks;
        locks |= held & sn_bone_scalars(e->model, bone);
    } else if (locks == 0) {
        e->has_target[bone] = false;
    } else {
        sn_editor_transform(e, bone, e->targets[bone]);
        e->has_target[bone] = true;
    }
    sn_body_set_locks(e->body, bone, locks);
}

void sn_editor_toggle_locks(sn_editor *e, unsigned locks)
{
    const int bone = e->selected >= 0 ? e->bones[e->selected] : -1;
    if (bone < 0) {
        sn_editor_tell(e, e->selected < 0 ? "no handle is selected" : "its weights are not there yet");
        return;
    }
    const char *name = e->handles.items[e->selected].name;
    const unsigned scalars = sn_bone_scalars(e->model, bone), mask = locks & scalars;
    const unsigned before = is_posed(e, bone) ? e->locks_before : sn_body_locks(e->body, bone) & scalars;
    if (mask == 0) {
        sn_editor_tell(e, "%s has %s", name, scalars & SN_LOCK_TRANSLATION ? "a place alone" : "no place of its own");
        return;
    }
    const bool is_locked = (before & mask) == mask;
    set_locks(e, bone, is_locked ? before & ~mask : before | mask);
    sn_editor_tell(e, "%s: %s", name, is_locked ? "released" : "locked");
}

void sn_editor_free_all(sn_editor *e)
{
    for (int bone = 0; bone < sn_model_bone_count(e->model); ++bone) {
        set_locks(e, bone, 0);
    }
    sn_editor_tell(e, "all handles are free");
}

double sn_editor_compliance(const sn_editor *e)
{
    const int bone = e->selected >= 0 ? e->bones[e->selected] : -1;
    return bone >= 0 ? e->compliances[bone] : -1;
}

void sn_editor_set_compliance(sn_editor *e, double compliance)
{
    const int bone = e->selected >= 0 ? e->bones[e->selected] : -1;
    if (bone < 0) {
        sn_editor_tell(e, e->selected < 0 ? "no handle is selected" : "its weights are not there yet");
        return;
    }
    e->compliances[bone] = compliance;
    sn_body_set_compliance(e->body, bone, compliance);
    sn_editor_tell(e, "%s: compliance %.3g", e->handles.items[e->selected].name, compliance);
}

void sn_editor_rebind(sn_editor *e, sn_body_id body)
{
    SN_ASSERT(sn_body_model(body) == e->model);
    e->action = SN_EDIT_IDLE; /* what was held is gone */
    e->body = body;
    memset(e->has_target, 0, sizeof e->has_target);
    for (int bone = 0; bone < sn_model_bone_count(e->model); ++bone) {
        sn_body_set_compliance(body, bone, e->compliances[bone]);
    }
    sn_editor_resolve(e);
}

const sn_model *sn_editor_model(const sn_editor *e)
{
    return e->model;
}

void sn_editor_forget_targets(sn_editor *e)
{
    sn_editor_let_go(e);
    memset(e->has_target, 0, sizeof e->has_target);
}

/* ---- models ---- */

static void release(sn_edit_model *made)
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
        release(&next);
        return result;
    }
    sn_drawn_finish(&e->drawn);
    release(&e->made[1]);
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
        take_back(e);
        e->is_taken_back = true;
        return NULL;
    }
    sn_editor_resolve(e);
    if (!weighed.log.is_kept && !e->is_taken_back) {
        sn_editor_tell(e, "%d handles, weighed in %.0f ms", e->handles.count, 1e3 * weighed.seconds);
    }
    return e->model;
}

void sn_editor_pose(const sn_editor *e, sn_mat3x4 *bones, int count)
{
    SN_ASSERT(count == sn_model_bone_count(e->model));
    for (int bone = 0; bone < count; ++bone) {
        for (int i = 0; i < 12 && e->has_target[bone]; ++i) {
            bones[bone].m[i / 4][i % 4] = (float)e->targets[bone][i];
        }
    }
}

/* ---- marks ---- */

static void mark_loop(const sn_editor *e, sn_mark_list *list)
{
    for (int i = 0; i + 1 < e->loop_count; ++i) {
        sn_mark_edge(list, e->loop[i].seen, e->loop[i + 1].seen, true);
    }
    for (int i = 0; i < e->loop_count; ++i) {
        sn_handle_look look = {.is_ahead = true};
        memcpy(look.start, e->loop[i].seen, sizeof look.start);
        sn_mark_handle(list, SN_HANDLE_SHAPE_CAGE, &look);
    }
}

static void mark_edge(const sn_editor *e, sn_mark_list *list, int a, int b)
{
    double from[3], to[3];
    sn_editor_place(e, a, from, NULL);
    sn_editor_place(e, b, to, NULL);
    sn_mark_edge(list, from, to, e->is_ahead[a] || e->is_ahead[b]);
}

static void mark_lines(const sn_editor *e, sn_mark_list *list)
{
    const sn_edit_handles *h = &e->handles;
    for (int i = 0; i < h->edge_count; ++i) {
        mark_edge(e, list, h->edges[i][0], h->edges[i][1]);
    }
    for (int f = 0; f < h->face_count; ++f) {
        for (int32_t i = h->face_starts[f]; i < h->face_starts[f + 1]; ++i) {
            const int32_t next = h->corners[i + 1 < h->face_starts[f + 1] ? i + 1 : h->face_starts[f]];
            if (h->corners[i] < next) { /* each is there twice */
                mark_edge(e, list, h->corners[i], next);
            }
        }
    }
    for (int i = 0; i < h->count; ++i) {
        const sn_edit_handle *handle = &h->items[i];
        if (handle->parent >= 0) {
            double from[3], to[3];
            sn_editor_place(e, i, from, NULL);
            const bool is_bone = h->items[handle->parent].shape == SN_HANDLE_SHAPE_BONE;
            sn_editor_place(e, handle->parent, is_bone ? NULL : to, is_bone ? to : NULL);
            sn_mark_link(list, to, from);
        }
    }
}

int sn_editor_marks(const sn_editor *e, sn_render_mark *marks, int limit)
{
    sn_mark_list list = {.marks = marks, .limit = limit, .reach = SN_HANDLE_REACH * (float)e->model->diagonal};
    mark_lines(e, &list);
    for (int i = 0; i < e->handles.count; ++i) {
        const int bone = e->bones[i];
        sn_handle_look look = {.is_selected = i == e->selected,
                               .is_hovered = i == e->hovered.handle,
                               .is_end_hovered = i == e->hovered.handle && e->hovered.is_end,
                               .is_ahead = e->is_ahead[i],
                               .locks = bone >= 0 ? sn_body_locks(e->body, bone) : 0,
                               .scalars = bone >= 0 ? sn_bone_scalars(e->model, bone) : 0};
        sn_editor_place(e, i, look.start, look.end);
        sn_mark_handle(&list, e->handles.items[i].shape, &look);
    }
    if (e->action == SN_EDIT_DRAWS) {
        sn_handle_look look = {.is_ahead = true};
        memcpy(look.start, e->drawn_bone[0].seen, sizeof look.start);
        memcpy(look.end, e->drawn_bone[1].seen, sizeof look.end);
        sn_mark_handle(&list, SN_HANDLE_SHAPE_BONE, &look);
    }
    mark_loop(e, &list);
    return list.count;
}

/* ---- lifetime ---- */

sn_result sn_editor_create(const sn_model *model, sn_body_id body, sn_editor **editor)
{
    sn_editor *e = sn_alloc(1, sizeof *e);
    *editor = e;
    if (!e) {
        return SN_ERROR_MEMORY;
    }
    e->model = model;
    e->body = body;
    e->selected = e->hovered.handle = -1;
    for (int i = 0; i < SN_EDIT_HANDLE_LIMIT; ++i) {
        e->compliances[i] = -1;
    }
    sn_result result = sn_edit_handles_take(&e->handles, model);
    if (result == SN_OK) {
        result = sn_drawn_start(&e->drawn, model);
    }
    if (result == SN_OK) {
        result = sn_edit_weigher_create(model, &e->weigher);
    }
    if (result != SN_OK) {
        sn_editor_destroy(editor);
        return result;
    }
    e->good = e->handles;
    sn_editor_resolve(e);
    return SN_OK;
}

void sn_editor_destroy(sn_editor **editor)
{
    sn_editor *e = *editor;
    *editor = NULL;
    if (e) {
        sn_edit_weigher_destroy(&e->weigher);
        sn_drawn_finish(&e->drawn);
        release(&e->made[0]);
        release(&e->made[1]);
        sn_free(e, 1, sizeof *e);
    }
}

const sn_blob *sn_editor_blob(const sn_editor *e)
{
    return e->made[0].model ? &e->made[0].blob : NULL;
}

const sn_edit_handles *sn_editor_handles(const sn_editor *e)
{
    return &e->handles;
}

int sn_editor_selected(const sn_editor *e)
{
    return e->selected;
}

bool sn_editor_is_weighing(const sn_editor *e)
{
    return e->is_weighing;
}

double sn_editor_weigh_seconds(const sn_editor *e)
{
    return e->weigh_seconds;
}

/* SPDX-License-Identifier: MIT */
#include "runtime/session/scene_edit.h"

#include <stdarg.h>

#include "host/base/base.h"
#include "host/model/model.h"
#include "host/platform/platform.h"

__attribute__((format(printf, 2, 3))) static void show_message(sn_title *title, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sn_title_set_message(title, sn_now(), format, arguments);
    va_end(arguments);
}

static bool is_coupled(const sn_scene_edit *edit, int body)
{
    const sn_scene_script *script = sn_scene_get_script(edit->scene);
    return script->bodies[sn_scene_body_entry(edit->scene, body)].desc.solver == SN_SOLVER_COUPLED;
}

/* Dragged bones override the script's pose. */
static void pose(int body, sn_mat3x4 *bones, int count, void *user)
{
    const sn_scene_edit *edit = user;
    const sn_editor *editor = edit->editors[body];
    if (editor && sn_editor_model(editor) == sn_body_model(sn_scene_body_at(edit->scene, body))) {
        sn_editor_pose(editor, bones, count);
    }
}

/* ---- lifetime ---- */

sn_result sn_scene_edit_start(sn_scene_edit *edit, sn_scene *scene)
{
    const int count = sn_scene_body_count(scene);
    *edit = (sn_scene_edit){.scene = scene, .body_count = count, .selected = -1};
    edit->marker_limit = SN_TEXT_MARKER_LIMIT + SN_HANDLE_MARKER_LIMIT * SN_EDIT_HANDLE_LIMIT;
    edit->editors = sn_alloc((size_t)count, sizeof *edit->editors);
    edit->markers = edit->editors ? sn_alloc((size_t)edit->marker_limit, sizeof *edit->markers) : NULL;
    if (!edit->markers) {
        return SN_ERROR_MEMORY;
    }
    sn_scene_set_pose_callback(scene, pose, edit);
    int first = 0;
    while (first < count && !is_coupled(edit, first)) {
        ++first;
    }
    return first < count ? sn_scene_edit_select(edit, first) : SN_OK;
}

sn_result sn_scene_edit_finish(sn_scene_edit *edit)
{
    bool is_edited = false;
    for (int i = 0; edit->editors && i < edit->body_count; ++i) {
        is_edited = is_edited || (edit->editors[i] && sn_editor_blob(edit->editors[i]));
    }
    const sn_result result = is_edited ? sn_scene_restore_rigs(edit->scene) : SN_OK;
    for (int i = 0; edit->editors && i < edit->body_count; ++i) {
        sn_editor_destroy(&edit->editors[i]);
    }
    if (edit->scene) {
        sn_scene_set_pose_callback(edit->scene, NULL, NULL);
    }
    sn_free(edit->editors, (size_t)edit->body_count, sizeof *edit->editors);
    sn_free(edit->markers, (size_t)edit->marker_limit, sizeof *edit->markers);
    *edit = (sn_scene_edit){0};
    return result;
}

/* ---- the selected body ---- */

/* A body with too many bones to edit gets no editor; the reason is logged. */
static sn_result create_editor(sn_scene_edit *edit, int body, sn_body_id id)
{
    const sn_result result = sn_editor_create(sn_body_model(id), id, &edit->editors[body]);
    return result == SN_ERROR_UNSUPPORTED ? SN_OK : result;
}

sn_editor *sn_scene_edit_editor(const sn_scene_edit *edit)
{
    return edit->selected >= 0 ? edit->editors[edit->selected] : NULL;
}

sn_result sn_scene_edit_select(sn_scene_edit *edit, int body)
{
    if (!is_coupled(edit, body)) {
        return SN_OK;
    }
    if (body != edit->selected && sn_scene_edit_editor(edit)) { /* hidden handles cannot be edited */
        sn_editor_set_editing(sn_scene_edit_editor(edit), false);
    }
    edit->selected = body;
    edit->is_pointer_captured = false;
    const sn_body_id id = sn_scene_body_at(edit->scene, body);
    return edit->editors[body] ? SN_OK : create_editor(edit, body, id);
}

sn_result sn_scene_edit_select_next(sn_scene_edit *edit, int direction)
{
    int body = edit->selected;
    for (int i = 0; i < edit->body_count && edit->selected >= 0; ++i) {
        body = (body + direction + edit->body_count) % edit->body_count;
        if (is_coupled(edit, body)) {
            return sn_scene_edit_select(edit, body);
        }
    }
    return SN_OK;
}

/* ---- update ---- */

/* Recreates the editor of a body whose rig was replaced by a scene event. */
static sn_result recreate_editor(sn_scene_edit *edit, int body)
{
    const sn_body_id id = sn_scene_body_at(edit->scene, body);
    sn_editor_destroy(&edit->editors[body]);
    edit->is_pointer_captured = edit->is_pointer_captured && body != edit->selected;
    return body == edit->selected ? create_editor(edit, body, id) : SN_OK;
}

sn_result sn_scene_edit_restart(sn_scene_edit *edit)
{
    edit->is_pointer_captured = false;
    for (int i = 0; i < edit->body_count; ++i) {
        const sn_body_id id = sn_scene_body_at(edit->scene, i);
        if (edit->editors[i] && sn_editor_model(edit->editors[i]) == sn_body_model(id)) {
            sn_editor_rebind(edit->editors[i], id);
        } else if (edit->editors[i]) {
            SN_TRY(recreate_editor(edit, i));
        }
    }
    return SN_OK;
}

sn_result sn_scene_edit_update(sn_scene_edit *edit, sn_title *title)
{
    sn_result result = SN_OK;
    for (int i = 0; i < edit->body_count && result == SN_OK; ++i) {
        sn_editor *editor = edit->editors[i];
        if (editor && sn_editor_model(editor) != sn_body_model(sn_scene_body_at(edit->scene, i))) {
            result = recreate_editor(edit, i);
        } else if (editor && sn_editor_update(editor)) {
            result = sn_scene_adopt_rig(edit->scene, i);
        }
        const char *message = edit->editors[i] ? sn_editor_message(edit->editors[i]) : NULL;
        if (message) {
            show_message(title, "%s", message);
        }
    }
    return result;
}

/* ---- events ---- */

bool sn_scene_edit_event(sn_scene_edit *edit, const sn_edit_view *view, const sn_window_event *event)
{
    sn_editor *editor = sn_scene_edit_editor(edit);
    if (!editor || edit->are_handles_hidden || event->button != SN_BUTTON_LEFT) {
        return false;
    }
    if (event->type == SN_WINDOW_PRESS) {
        edit->pointer[0] = event->x;
        edit->pointer[1] = event->y;
        edit->is_pointer_captured = sn_editor_press(editor, view, edit->pointer, event->is_shift_held);
        return edit->is_pointer_captured;
    }
    if (!edit->is_pointer_captured || (event->type != SN_WINDOW_DRAG && event->type != SN_WINDOW_RELEASE)) {
        return false;
    }
    if (event->type == SN_WINDOW_DRAG) {
        edit->pointer[0] += event->x;
        edit->pointer[1] += event->y;
        sn_editor_drag(editor, view, edit->pointer);
    } else {
        edit->is_pointer_captured = false;
        sn_editor_release(editor, view, edit->pointer);
    }
    return true;
}

void sn_scene_edit_move_pointer(sn_scene_edit *edit, const sn_edit_view *view, const double pointer[2])
{
    sn_editor *editor = sn_scene_edit_editor(edit);
    if (editor && edit->is_pointer_captured) {
        sn_editor_drag(editor, view, edit->pointer);
    } else if (editor) {
        sn_editor_hover(editor, view, pointer);
    }
}

void sn_scene_edit_add_markers(const sn_scene_edit *edit, sn_marker_list *list)
{
    const sn_editor *editor = sn_scene_edit_editor(edit);
    if (editor && !edit->are_handles_hidden) {
        list->count += sn_editor_add_markers(editor, list->markers + list->count, list->limit - list->count);
    }
}

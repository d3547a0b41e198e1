/* SPDX-License-Identifier: MIT */
/* Handle editing in the player: passes events and keys to the editor, draws its markers, adopts its new models. */
#include <stdarg.h>
#include <stdio.h>

#include "host/platform/platform.h"
#include "runtime/edit/markers.h"
#include "runtime/session/player_state.h"

/* ---- lifetime ---- */

sn_result sn_player_edit_start(sn_player *p, const char *path)
{
    sn_player_edit *edit = &p->edit;
    snprintf(edit->path, sizeof edit->path, "%s", path);
    const bool is_coupled = p->body_desc.solver == SN_SOLVER_COUPLED;
    edit->marker_limit = SN_TEXT_MARKER_LIMIT + (is_coupled ? SN_HANDLE_MARKER_LIMIT * SN_EDIT_HANDLE_LIMIT : 0);
    edit->markers = sn_alloc((size_t)edit->marker_limit, sizeof *edit->markers);
    if (!edit->markers) {
        return SN_ERROR_MEMORY;
    }
    const sn_result result = is_coupled ? sn_editor_create(p->model, p->body, &edit->editor) : SN_OK;
    return result == SN_ERROR_UNSUPPORTED
               ? SN_OK
               : result; /* unsupported by the editor: already logged; the character still plays */
}

void sn_player_edit_finish(sn_player *p)
{
    sn_player_edit *edit = &p->edit;
    sn_editor_destroy(&edit->editor);
    sn_mesh_lines_finish(&edit->mesh);
    sn_bone_recording_finish(&edit->recording);
    sn_free(edit->markers, (size_t)edit->marker_limit, sizeof *edit->markers);
    *edit = (sn_player_edit){.are_handles_hidden = edit->are_handles_hidden};
}

/* ---- recording ---- */

static void stop_recording(sn_player *p)
{
    sn_player_edit *edit = &p->edit;
    const sn_blob *blob = edit->recording_blob.bytes ? &edit->recording_blob : NULL;
    char written[4096];
    edit->recording.is_running = false;
    if (sn_bone_recording_write(&edit->recording, edit->path, p->model, blob, written) == SN_OK) {
        sn_log(SN_LOG_INFO, "%s: %zu rows of %d bones%s", written, edit->recording.row_count,
               edit->recording.bone_count, blob ? "; the edited model is beside it" : "");
        sn_player_show_message(p, "recorded; see the terminal");
    } else {
        sn_player_show_message(p, "not recorded; see the terminal");
    }
    sn_bone_recording_finish(&edit->recording);
}

static void toggle_recording(sn_player *p)
{
    sn_bone_recording *recording = &p->edit.recording;
    const sn_blob *blob = p->edit.editor ? sn_editor_blob(p->edit.editor) : NULL;
    p->edit.recording_blob = recording->is_running ? p->edit.recording_blob : blob ? *blob : (sn_blob){0};
    if (recording->is_running) {
        stop_recording(p);
    } else if (sn_bone_recording_start(recording, p->model->counts.bone_count, p->desc.time_step) == SN_OK) {
        sn_player_show_message(p, "recording");
    }
}

void sn_player_edit_record(sn_player *p, double seconds)
{
    sn_bone_recording *recording = &p->edit.recording;
    if (recording->is_running && sn_bone_recording_add(recording, seconds, sn_body_output(p->body).matrices) != SN_OK) {
        stop_recording(p);
    }
}

/* ---- a frame ---- */

static sn_edit_view edit_view(const sn_player *p)
{
    int size[2];
    sn_window_size(p->desc.window, size);
    return (sn_edit_view){.camera = sn_player_get_camera(p),
                          .unit = (double)sn_window_scale(p->desc.window) / (size[1] > 0 ? size[1] : 1)};
}

sn_result sn_player_edit_update(sn_player *p)
{
    sn_editor *editor = p->edit.editor;
    sn_result result = SN_OK;
    if (!editor) {
        return SN_OK;
    }
    const sn_model *model = sn_editor_update(editor);
    if (model) {
        if (p->edit.recording
                .is_running) { /* its rows belong to the previous model, which stays valid until the next update */
            stop_recording(p);
        }
        result = sn_player_replace_model(p, model);
    }
    const sn_edit_view view = edit_view(p);
    if (p->edit.is_pointer_captured) { /* also when only the camera moved */
        sn_editor_drag(editor, &view, p->edit.pointer);
    } else {
        double pointer[2];
        sn_window_pointer(p->desc.window, pointer);
        sn_editor_hover(editor, &view, pointer);
    }
    const char *message = sn_editor_message(editor);
    if (message) {
        sn_player_show_message(p, "%s", message);
    }
    return result;
}

void sn_player_edit_pose(sn_player *p)
{
    if (p->edit.editor) {
        sn_editor_pose(p->edit.editor, p->matrices, p->model->counts.bone_count);
    }
}

void sn_player_edit_draw(sn_player *p, sn_render_scene *scene)
{
    sn_player_edit *edit = &p->edit;
    const sn_body_matrices output = sn_body_output(p->body);
    sn_marker_list list = {.markers = edit->markers, .limit = edit->marker_limit};
    const int part = sn_player_parts_highlighted(p);
    if ((edit->is_mesh_visible || part >= 0) && edit->mesh.edges) {
        list.visible_depth = SN_MESH_LINES_VISIBLE_DEPTH * (float)p->model->diagonal;
        if (p->body_desc.solver != SN_SOLVER_REDUCED) {
            sn_mesh_lines_set_flesh(&edit->mesh, p->body);
        } else {
            sn_mesh_lines_set_rig(&edit->mesh, p->model, output.matrices[0].m[0], output.mode_count);
        }
        if (edit->is_mesh_visible) {
            sn_mesh_lines_add_markers(&edit->mesh, &list);
        } else {
            sn_mesh_lines_add_part_markers(&edit->mesh, p->model->vertex_flesh_parts, part, &list);
        }
    }
    if (edit->editor && !edit->are_handles_hidden) {
        list.count += sn_editor_add_markers(edit->editor, edit->markers + list.count, edit->marker_limit - list.count);
    }
    sn_playback_add_markers(&p->playback, &p->title, &list);
    scene->overlay = (sn_render_overlay){.markers = edit->markers,
                                         .marker_count = list.count,
                                         .scale = sn_window_scale(p->desc.window),
                                         .hidden_alpha = SN_HIDDEN_ALPHA};
}

/* ---- events ---- */

bool sn_player_edit_event(sn_player *p, const sn_window_event *event)
{
    sn_player_edit *edit = &p->edit;
    const bool is_left = event->button == SN_BUTTON_LEFT;
    if (!edit->editor || edit->are_handles_hidden || !is_left) {
        return false;
    }
    const sn_edit_view view = edit_view(p);
    if (event->type == SN_WINDOW_PRESS) {
        edit->pointer[0] = event->x;
        edit->pointer[1] = event->y;
        edit->is_pointer_captured = sn_editor_press(edit->editor, &view, edit->pointer, event->is_shift_held);
        return edit->is_pointer_captured;
    }
    if (!edit->is_pointer_captured || (event->type != SN_WINDOW_DRAG && event->type != SN_WINDOW_RELEASE)) {
        return false;
    }
    if (event->type == SN_WINDOW_DRAG) {
        edit->pointer[0] += event->x;
        edit->pointer[1] += event->y;
        sn_editor_drag(edit->editor, &view, edit->pointer);
    } else {
        edit->is_pointer_captured = false;
        sn_editor_release(edit->editor, &view, edit->pointer);
    }
    return true;
}

/* Grows the marker array to fit all edges and the handles' markers. */
sn_result sn_player_edit_build_mesh(sn_player *p)
{
    sn_player_edit *edit = &p->edit;
    if (edit->mesh.edges) {
        return SN_OK;
    }
    sn_result result = sn_mesh_lines_start(&edit->mesh, p->model);
    const int limit = edit->marker_limit + edit->mesh.edge_count;
    sn_render_marker *markers = result == SN_OK ? sn_alloc((size_t)limit, sizeof *markers) : NULL;
    if (!markers) {
        sn_mesh_lines_finish(&edit->mesh);
        return SN_ERROR_MEMORY;
    }
    sn_free(edit->markers, (size_t)edit->marker_limit, sizeof *edit->markers);
    edit->markers = markers;
    edit->marker_limit = limit;
    return SN_OK;
}

__attribute__((format(printf, 2, 3))) static void show_message(sn_title *title, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sn_title_set_message(title, sn_now(), format, arguments);
    va_end(arguments);
}

static void set_tool(sn_editor *editor, sn_title *title, sn_edit_tool tool)
{
    static const char *const messages[] = {
        [SN_EDIT_SELECT] = "drag handles",
        [SN_EDIT_POINT] = "click to add a point",
        [SN_EDIT_BONE] = "drag to draw a bone",
        [SN_EDIT_CAGE] = "click the cage corners, Enter closes the cage; click an edge to add a corner"};
    const bool is_on = sn_editor_is_editing(editor) && sn_editor_tool(editor) == tool;
    const sn_edit_tool next = is_on ? SN_EDIT_SELECT : tool;
    sn_editor_set_editing(editor, true);
    sn_editor_set_tool(editor, next);
    const bool is_closed = next == SN_EDIT_CAGE && !sn_model_is_flat(sn_editor_model(editor));
    show_message(title, "%s", is_closed ? "click the body to add a cage, a face to add a corner" : messages[next]);
}

static void toggle_editing(sn_editor *editor, sn_title *title)
{
    const bool is_editing = !sn_editor_is_editing(editor);
    sn_editor_set_editing(editor, is_editing);
    sn_editor_set_tool(editor, SN_EDIT_SELECT);
    show_message(title, "%s", is_editing ? "editing: P point, B bone, C cage, Del remove, U undo" : "posing");
}

void sn_player_bone_compliance(sn_editor *editor, bool is_increase, double body_compliance)
{
    const double own = sn_editor_compliance(editor);
    sn_editor_set_compliance(
        editor, sn_player_step_parameter(SN_PLAYER_BONE_COMPLIANCE, own < 0 ? body_compliance : own, is_increase));
}

bool sn_player_execute_editor(sn_editor *editor, sn_title *title, sn_player_command command)
{
    switch (command.action) {
    case SN_PLAYER_EDIT:
        toggle_editing(editor, title);
        return true;
    case SN_PLAYER_TOOL_POINT:
        set_tool(editor, title, SN_EDIT_POINT);
        return true;
    case SN_PLAYER_TOOL_BONE:
        set_tool(editor, title, SN_EDIT_BONE);
        return true;
    case SN_PLAYER_TOOL_CAGE:
        set_tool(editor, title, SN_EDIT_CAGE);
        return true;
    case SN_PLAYER_CLOSE_CAGE:
        sn_editor_close_loop(editor);
        return true;
    case SN_PLAYER_REMOVE:
        sn_editor_remove(editor);
        return true;
    case SN_PLAYER_UNDO:
        sn_editor_undo(editor);
        return true;
    case SN_PLAYER_LOCK:
        sn_editor_toggle_locks(editor, command.locks);
        return true;
    case SN_PLAYER_FREE_ALL:
        sn_editor_free_all(editor);
        return true;
    default:
        return false;
    }
}

sn_result sn_player_edit_execute(sn_player *p, sn_player_command command)
{
    switch (command.action) {
    case SN_PLAYER_NOTHING:
        return SN_OK;
    case SN_PLAYER_RECORD:
        toggle_recording(p);
        return SN_OK;
    case SN_PLAYER_SHOW_MESH:
        p->edit.is_mesh_visible = !p->edit.is_mesh_visible;
        return p->edit.is_mesh_visible ? sn_player_edit_build_mesh(p) : SN_OK;
    case SN_PLAYER_SHOW_HANDLES:
        p->edit.are_handles_hidden = !p->edit.are_handles_hidden;
        if (p->edit.editor) { /* hidden handles cannot be dragged */
            sn_editor_set_editing(p->edit.editor, false);
            p->edit.is_pointer_captured = false;
        }
        return SN_OK;
    case SN_PLAYER_NEXT_BODY:
        return SN_OK;
    default:
        if (!p->edit.editor) {
            sn_player_show_message(p, "only coupled bodies have handles; see --coupled");
            return SN_OK;
        }
        if (command.action == SN_PLAYER_EDIT ||
            (command.action >= SN_PLAYER_TOOL_POINT && command.action <= SN_PLAYER_TOOL_CAGE)) {
            p->edit.is_pointer_captured = false;
        }
        sn_player_execute_editor(p->edit.editor, &p->title, command);
        return SN_OK;
    }
}

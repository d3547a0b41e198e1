/* SPDX-License-Identifier: MIT */
#include "runtime/session/scene_player.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "host/platform/platform.h"
#include "runtime/edit/bone_recording.h"
#include "runtime/input/grab_tool.h"
#include "runtime/input/interrupt.h"
#include "runtime/input/title.h"
#include "runtime/session/player_state.h"
#include "runtime/session/scene_edit.h"
#include "runtime/session/scene_panel.h"
#include "runtime/view/scene_view.h"
#include "runtime/window/swapchain.h"

#define STEP_LIMIT 8     /* maximum steps in one frame; the excess time is dropped */
#define IDLE_SECONDS 0.1 /* between polls of a window that displays nothing */

typedef struct scene_player {
    const sn_scene_player_desc *desc;
    sn_swapchain *swapchain;
    sn_renderer *renderer;
    sn_scene_view *view;
    sn_orbit orbit;
    sn_grab_tool grab_tool;
    sn_body_id grabbed;
    sn_scene_edit edit;
    sn_bone_recording recording; /* recording of the body that was selected at its start */
    int recording_body;
    const sn_model *recording_model; /* the body's model at the start of the recording */
    sn_blob recording_blob;          /* bytes of that model if the editor built it; empty: the scene's model */
    sn_title title;
    sn_scene_panel panel;
    sn_player_report *report;
    double solver_seconds, drawing_ms; /* accumulated over all frames */
    int frame_count;
    sn_playback playback;
    sn_scene_exit_reason end;
} scene_player;

__attribute__((format(printf, 2, 3))) static void show_message(scene_player *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sn_title_set_message(&p->title, sn_now(), format, arguments);
    va_end(arguments);
}

/* ---- the pointer ---- */

static void fill(scene_player *p, const int size[2], sn_render_scene *scene)
{
    const int picture[2] = {size[0] > 0 ? size[0] : 1, size[1] > 0 ? size[1] : 1};
    sn_orbit orbit = p->orbit;
    const double widening = sn_orbit_center(&orbit, sn_scene_view_stage(p->view), 16.0 / 9, picture,
                                            sn_panel_width(&p->panel.panel, picture));
    sn_scene_view_fill(p->view, &orbit, widening, scene);
}

static sn_camera current_camera(scene_player *p)
{
    sn_render_scene scene;
    int size[2];
    sn_window_size(p->desc->window, size);
    fill(p, size, &scene);
    return scene.camera;
}

static void release_grab(scene_player *p)
{
    sn_grab_tool_release(&p->grab_tool, p->grabbed);
    sn_grab_tool_finish(&p->grab_tool);
}

static sn_edit_view edit_view(scene_player *p)
{
    int size[2];
    sn_window_size(p->desc->window, size);
    return (sn_edit_view){.camera = current_camera(p),
                          .unit = (double)sn_window_scale(p->desc->window) / (size[1] > 0 ? size[1] : 1)};
}

/* Grabs the nearest body under the pointer and displays its handles. */
static sn_result try_grab(scene_player *p, const double pointer[2])
{
    const sn_camera camera = current_camera(p);
    double nearest = INFINITY;
    sn_result result = SN_OK;
    int grabbed = -1;
    release_grab(p);
    for (int i = 0; i < sn_scene_body_count(p->desc->scene) && result == SN_OK; ++i) {
        const sn_body_id body = sn_scene_body_at(p->desc->scene, i);
        result = sn_grab_tool_start(&p->grab_tool, sn_body_model(body));
        const double distance =
            result == SN_OK ? sn_grab_tool_hit_distance(&p->grab_tool, body, &camera, pointer) : INFINITY;
        if (distance < nearest) {
            nearest = distance;
            p->grabbed = body;
            grabbed = i;
        }
        sn_grab_tool_finish(&p->grab_tool);
    }
    if (result == SN_OK && grabbed >= 0) {
        result = sn_scene_edit_select(&p->edit, grabbed);
        result = result ? result : sn_grab_tool_start(&p->grab_tool, sn_body_model(p->grabbed));
        if (result == SN_OK) {
            p->report->grab_count += sn_grab_tool_grab(&p->grab_tool, p->grabbed, &camera, pointer, NULL, 0);
        }
    }
    return result;
}

static void follow_drag(scene_player *p, const sn_window_event *event)
{
    if (event->button == SN_BUTTON_LEFT && p->grab_tool.is_grabbing) {
        p->grab_tool.pointer[0] += event->x;
        p->grab_tool.pointer[1] += event->y;
    } else if (event->button == SN_BUTTON_RIGHT) {
        sn_orbit_pan(&p->orbit, sn_scene_view_stage(p->view), event->x, event->y);
    } else {
        sn_orbit_rotate(&p->orbit, event->x, event->y);
    }
}

/* ---- recording ---- */

static void stop_recording(scene_player *p)
{
    const sn_blob *blob = p->recording_blob.bytes ? &p->recording_blob : NULL;
    char written[4096];
    p->recording.is_running = false;
    if (sn_bone_recording_write(&p->recording, p->desc->name, p->recording_model, blob, written) == SN_OK) {
        sn_log(SN_LOG_INFO, "%s: %zu rows of %d bones", written, p->recording.row_count, p->recording.bone_count);
        show_message(p, "recorded; see the terminal");
    } else {
        show_message(p, "not recorded; see the terminal");
    }
    sn_bone_recording_finish(&p->recording);
}

static sn_result toggle_recording(scene_player *p)
{
    const int body = p->edit.selected >= 0 ? p->edit.selected : 0;
    if (p->recording.is_running) {
        stop_recording(p);
        return SN_OK;
    }
    const sn_editor *editor = p->edit.editors[body];
    const sn_blob *blob = editor ? sn_editor_blob(editor) : NULL;
    p->recording_body = body;
    p->recording_model = sn_body_model(sn_scene_body_at(p->desc->scene, body));
    p->recording_blob = blob ? *blob : (sn_blob){0};
    show_message(p, "recording");
    return sn_bone_recording_start(&p->recording, sn_model_bone_count(p->recording_model),
                                   sn_scene_time_step(p->desc->scene));
}

static void record(scene_player *p, double seconds)
{
    const sn_body_id body = sn_scene_body_at(p->desc->scene, p->recording_body);
    if (p->recording.is_running &&
        sn_bone_recording_add(&p->recording, seconds, sn_body_output(body).matrices) != SN_OK) {
        stop_recording(p);
    }
}

/* Ends a recording whose body has other bones. The previous model stays valid until the editors are updated again. */
static void stop_recording_of_replaced_rig(scene_player *p)
{
    if (p->recording.is_running &&
        sn_body_model(sn_scene_body_at(p->desc->scene, p->recording_body)) != p->recording_model) {
        stop_recording(p);
    }
}

/* ---- keys ---- */

static sn_result restart(scene_player *p)
{
    release_grab(p);
    if (p->recording.is_running) {
        stop_recording(p);
    }
    SN_TRY(sn_scene_restart(p->desc->scene));
    return sn_scene_edit_restart(&p->edit);
}

/* Changes the selected body, or all bodies if none is selected. */
static void change_parameter(scene_player *p, sn_player_parameter parameter, bool is_increase)
{
    static const double directions[2][3] = {{0, -1, 0}, {1, 0, 0}};
    const int selected = p->edit.selected, count = sn_scene_body_count(p->desc->scene);
    double value = 0;
    bool is_changed = false, is_rejected = false;
    for (int i = selected >= 0 ? selected : 0; i < (selected >= 0 ? selected + 1 : count); ++i) {
        sn_body_desc desc = sn_scene_parameters(p->desc->scene, i);
        if (sn_player_step_desc_parameter(parameter, is_increase, directions, &desc, &value)) {
            is_rejected |= sn_scene_set_parameters(p->desc->scene, i, sn_scene_parameter(parameter), &desc) != SN_OK;
            is_changed = true;
        }
    }
    const char *name = sn_player_parameter_name(parameter);
    if (is_rejected) {
        show_message(p, "rejected; see the terminal");
    } else if (is_changed) {
        show_message(p, "%s %.3g", name, value);
    } else {
        show_message(p, "%s: only for %s bodies", name, sn_player_parameter_solver(parameter));
    }
}

/* Actions that scenes do not support. */
static bool is_model_action(sn_player_action action)
{
    return action == SN_PLAYER_SECONDARY || action == SN_PLAYER_EXPRESSION || action == SN_PLAYER_FLOOR ||
           action == SN_PLAYER_SHOW_MESH;
}

static void execute_editor(scene_player *p, sn_player_command command)
{
    sn_editor *editor = sn_scene_edit_editor(&p->edit);
    const bool is_handle_parameter = command.parameter == SN_PLAYER_BONE_COMPLIANCE;
    const bool is_change = command.action == SN_PLAYER_DECREASE || command.action == SN_PLAYER_INCREASE;
    if (is_change && is_handle_parameter && editor) {
        sn_player_bone_compliance(editor, command.action == SN_PLAYER_INCREASE,
                                  sn_scene_parameters(p->desc->scene, p->edit.selected).compliance);
    } else if (is_change) {
        change_parameter(p, command.parameter, command.action == SN_PLAYER_INCREASE);
    } else if (command.action == SN_PLAYER_SHOW_HANDLES) {
        p->edit.are_handles_hidden = !p->edit.are_handles_hidden;
        p->edit.is_pointer_captured = false;
        if (editor) { /* hidden handles cannot be edited */
            sn_editor_set_editing(editor, false);
        }
    } else if (editor && sn_player_execute_editor(editor, &p->title, command)) {
        p->edit.is_pointer_captured = false;
    } else if (command.action != SN_PLAYER_NOTHING) {
        show_message(p, editor || is_model_action(command.action) ? "not available in a scene"
                                                                  : "no body of this scene has handles");
    }
}

static sn_result execute(scene_player *p, sn_player_command command)
{
    if (sn_playback_execute(&p->playback, &p->title, command.action)) {
        return SN_OK;
    }
    switch (command.action) {
    case SN_PLAYER_RESET:
        return restart(p);
    case SN_PLAYER_PANEL:
        return sn_panel_toggle(&p->panel.panel, p->desc->device, p->desc->window, p->swapchain);
    case SN_PLAYER_VIEW:
        p->orbit = sn_scene_view_orbit(p->view);
        break;
    case SN_PLAYER_PREVIOUS_CLIP:
    case SN_PLAYER_NEXT_CLIP:
        p->end = command.action == SN_PLAYER_NEXT_CLIP ? SN_SCENE_EXIT_NEXT : SN_SCENE_EXIT_PREVIOUS;
        p->playback.is_quit_requested = true;
        break;
    case SN_PLAYER_RECORD:
        return toggle_recording(p);
    case SN_PLAYER_NEXT_BODY:
        return sn_scene_edit_select_next(&p->edit, 1);
    default:
        execute_editor(p, command);
        break;
    }
    return SN_OK;
}

static sn_result handle_events(scene_player *p)
{
    sn_window_event event;
    sn_result result = SN_OK;
    while (result == SN_OK && sn_window_next_event(p->desc->window, &event)) {
        const sn_edit_view view = edit_view(p);
        if (sn_panel_event(&p->panel.panel, &event) || sn_scene_edit_event(&p->edit, &view, &event)) {
            continue;
        }
        switch (event.type) {
        case SN_WINDOW_KEY:
            result = execute(p, sn_player_key_command(event.key, event.is_repeated));
            break;
        case SN_WINDOW_PRESS:
            if (event.button == SN_BUTTON_LEFT) {
                result = try_grab(p, (const double[2]){event.x, event.y});
            }
            break;
        case SN_WINDOW_DRAG:
            follow_drag(p, &event);
            break;
        case SN_WINDOW_RELEASE:
            if (event.button == SN_BUTTON_LEFT) {
                release_grab(p);
            }
            break;
        case SN_WINDOW_SCROLL:
            sn_orbit_zoom(&p->orbit, event.y);
            break;
        case SN_WINDOW_DROP:
            show_message(p, "a scene does not accept dropped files; use play MODEL");
            break;
        default:
            break;
        }
    }
    return result;
}

/* ---- time ---- */

/* While handles are edited the scene does not restart. */
static bool is_editing(const scene_player *p)
{
    const sn_editor *editor = sn_scene_edit_editor(&p->edit);
    return editor && (p->edit.is_pointer_captured || sn_editor_is_editing(editor));
}

static sn_result advance(scene_player *p, double passed)
{
    sn_scene *scene = p->desc->scene;
    const double step = sn_scene_time_step(scene), length = sn_scene_get_script(scene)->seconds;
    const double seconds = sn_playback_seconds(&p->playback, fmin(passed, STEP_LIMIT * step), step);
    sn_result result = SN_OK;
    if (p->grab_tool.is_grabbing) {
        const sn_camera camera = current_camera(p);
        sn_grab_tool_drag(&p->grab_tool, p->grabbed, &camera);
    } else if (sn_scene_time(scene) >= length && !is_editing(p)) {
        result = restart(p);
    }
    if (result != SN_OK) {
        return result;
    }
    const sn_scene_report report = sn_scene_advance(scene, seconds);
    p->title.solver_seconds += report.world.solver_seconds;
    p->solver_seconds += report.world.solver_seconds;
    p->report->recovery_count += report.world.recovery_count;
    sn_panel_record(&p->panel.panel, report.world.solver_seconds, report.world.recovery_count);
    stop_recording_of_replaced_rig(p);
    record(p, seconds);
    if (report.world.recovery_count > 0) {
        show_message(p, "a body was reset, or a target rejected; see the terminal");
    }
    return SN_OK;
}

/* Updates everything that depends on models which bodies may have replaced. */
static sn_result follow_models(scene_player *p)
{
    if (p->grab_tool.surface.model && p->grab_tool.surface.model != sn_body_model(p->grabbed)) {
        release_grab(p);
    }
    return sn_scene_view_update(p->view);
}

static sn_result edit(scene_player *p)
{
    sn_result result = sn_scene_edit_update(&p->edit, &p->title);
    stop_recording_of_replaced_rig(p);
    result = result ? result : follow_models(p);
    if (result == SN_OK) {
        const sn_edit_view view = edit_view(p);
        double pointer[2];
        sn_window_pointer(p->desc->window, pointer);
        sn_scene_edit_move_pointer(&p->edit, &view, pointer);
    }
    return result;
}

static sn_result show_panel(scene_player *p)
{
    const sn_player_action action = sn_scene_panel_build(&p->panel, p->desc->window, p->desc->scene, &p->playback);
    if (p->panel.is_rejected) {
        show_message(p, "rejected; see the terminal");
    }
    return action == SN_PLAYER_NOTHING ? SN_OK : execute(p, (sn_player_command){.action = action});
}

static sn_result draw(scene_player *p, bool *is_drawn)
{
    sn_render_scene scene;
    int size[2];
    sn_window_size(p->desc->window, size);
    *is_drawn = false;
    if (size[0] == 0 || size[1] == 0) {
        return SN_OK;
    }
    fill(p, size, &scene);
    sn_marker_list list = {.markers = p->edit.markers, .limit = p->edit.marker_limit};
    sn_scene_edit_add_markers(&p->edit, &list);
    sn_playback_add_markers(&p->playback, &p->title, &list);
    scene.overlay = (sn_render_overlay){.markers = list.markers,
                                        .marker_count = list.count,
                                        .scale = sn_window_scale(p->desc->window),
                                        .hidden_alpha = SN_HIDDEN_ALPHA};
    const sn_result result = sn_swapchain_draw(p->swapchain, p->renderer, &scene, is_drawn);
    if (*is_drawn) {
        const double milliseconds = sn_renderer_frame_ms(p->renderer);
        p->title.drawing_ms += milliseconds;
        p->drawing_ms += milliseconds;
        ++p->title.frame_count;
        ++p->frame_count;
    }
    return result;
}

static sn_result run(scene_player *p)
{
    double before = sn_now();
    bool is_drawn = true;
    sn_result result = SN_OK;
    while (result == SN_OK && !p->playback.is_quit_requested && !sn_window_is_closing(p->desc->window) &&
           (p->desc->frame_limit == 0 || p->frame_count < p->desc->frame_limit) &&
           !sn_interrupt_is_requested(p->frame_count, p->desc->frame_limit)) {
        const double now = sn_now();
        result = handle_events(p);
        result = result ? result : edit(p);
        result = result ? result : show_panel(p);
        result = result ? result : advance(p, now - before);
        result = result ? result : follow_models(p);
        p->report->seconds += now - before;
        before = now;
        result = result ? result : draw(p, &is_drawn);
        const double since = sn_now() - p->title.update_time;
        const int count = p->title.frame_count;
        const char *title = sn_title_update(&p->title, sn_now(), p->desc->name, "scene", p->playback.is_paused);
        if (title) {
            p->panel.frames_per_second = since > 0 && since < 10 ? count / since : 0;
            sn_window_set_title(p->desc->window, title);
        }
        sn_window_update(p->desc->window, is_drawn ? 0 : IDLE_SECONDS);
    }
    return result;
}

/* ---- lifetime ---- */

static sn_result open_view(scene_player *p)
{
    const sn_swapchain_desc swapchain = {0};
    sn_renderer_desc renderer = sn_default_renderer_desc();
    int size[2];
    sn_result result = sn_scene_view_create(p->desc->scene, p->desc->name, &p->view);
    if (result == SN_OK) {
        result = sn_swapchain_create(p->desc->device, p->desc->window, &swapchain, &p->swapchain);
    }
    sn_window_show(p->desc->window);
    sn_window_size(p->desc->window, size);
    renderer.width = size[0] > 0 ? size[0] : renderer.width;
    renderer.height = size[1] > 0 ? size[1] : renderer.height;
    if (result == SN_OK) {
        renderer.matrix_limit = sn_scene_view_matrix_count(p->view);
        result = sn_renderer_create(p->desc->device, &renderer, &p->renderer);
    }
    return result == SN_OK ? sn_scene_view_upload(p->view, p->renderer) : result;
}

sn_result sn_scene_player_run(const sn_scene_player_desc *desc, sn_scene_exit_reason *end, sn_player_report *report)
{
    scene_player p = {.desc = desc, .report = report};
    sn_result result = open_view(&p);
    result = result ? result : sn_scene_edit_start(&p.edit, desc->scene);
    if (result == SN_OK) {
        p.orbit = sn_scene_view_orbit(p.view);
        show_message(&p, "F1: keys");
        result = run(&p);
    }
    const double count = p.frame_count > 0 ? p.frame_count : 1;
    report->frame_count += p.frame_count;
    report->solver_ms = 1e3 * p.solver_seconds / count;
    report->drawing_ms = p.drawing_ms / count;
    *end = p.end;
    release_grab(&p);
    if (p.recording.is_running) {
        stop_recording(&p);
    }
    sn_scene_view_destroy(&p.view);
    sn_panel_finish(&p.panel.panel);
    const sn_result finished = sn_scene_edit_finish(&p.edit);
    result = result ? result : finished;
    sn_renderer_destroy(&p.renderer);
    sn_swapchain_destroy(&p.swapchain);
    return result;
}

/* SPDX-License-Identifier: MIT */
#include "runtime/session/scene_player.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "host/base/clock.h"
#include "runtime/edit/take.h"
#include "runtime/input/hold.h"
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
    sn_hold hold;
    sn_body_id held;
    sn_scene_edit edit;
    sn_take take; /* recording of the body that was selected at its start */
    int take_body;
    const sn_model *take_model; /* the body's model at the start of the recording */
    sn_blob take_blob;          /* bytes of that model if the editor built it; empty: the scene's model */
    sn_title title;
    sn_scene_panel panel;
    sn_player_report *report;
    double solver_seconds, drawing_ms; /* accumulated over all frames */
    int frame_count;
    sn_playback playback;
    sn_scene_end end;
} scene_player;

__attribute__((format(printf, 2, 3))) static void tell(scene_player *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sn_title_tell(&p->title, sn_now(), format, arguments);
    va_end(arguments);
}

/* ---- the pointer ---- */

static void fill(scene_player *p, const int size[2], sn_render_scene *scene)
{
    const double wanted = 16.0 / 9, aspect = size[1] > 0 ? (double)size[0] / size[1] : wanted;
    sn_scene_view_fill(p->view, &p->orbit, fmax(wanted / aspect, 1), scene);
}

static sn_camera look(scene_player *p)
{
    sn_render_scene scene;
    int size[2];
    sn_window_size(p->desc->window, size);
    fill(p, size, &scene);
    return scene.camera;
}

static void let_go(scene_player *p)
{
    sn_hold_let_go(&p->hold, p->held);
    sn_hold_finish(&p->hold);
}

static sn_edit_view view_of(scene_player *p)
{
    int size[2];
    sn_window_size(p->desc->window, size);
    return (sn_edit_view){.camera = look(p),
                          .unit = (double)sn_window_scale(p->desc->window) / (size[1] > 0 ? size[1] : 1)};
}

/* Grabs the nearest body under the pointer and displays its handles. */
static sn_result take_hold(scene_player *p, const double pointer[2])
{
    const sn_camera camera = look(p);
    double nearest = INFINITY;
    sn_result result = SN_OK;
    int held = -1;
    let_go(p);
    for (int i = 0; i < sn_scene_body_count(p->desc->scene) && result == SN_OK; ++i) {
        const sn_body_id body = sn_scene_body_at(p->desc->scene, i);
        result = sn_hold_start(&p->hold, sn_body_model(body));
        const double distance = result == SN_OK ? sn_hold_distance(&p->hold, body, &camera, pointer) : INFINITY;
        if (distance < nearest) {
            nearest = distance;
            p->held = body;
            held = i;
        }
        sn_hold_finish(&p->hold);
    }
    if (result == SN_OK && held >= 0) {
        result = sn_scene_edit_select(&p->edit, held);
        result = result ? result : sn_hold_start(&p->hold, sn_body_model(p->held));
        if (result == SN_OK) {
            p->report->grab_count += sn_hold_take(&p->hold, p->held, &camera, pointer, NULL, 0);
        }
    }
    return result;
}

static void follow_drag(scene_player *p, const sn_window_event *event)
{
    if (event->button == SN_BUTTON_LEFT && p->hold.is_held) {
        p->hold.pointer[0] += event->x;
        p->hold.pointer[1] += event->y;
    } else if (event->button == SN_BUTTON_RIGHT) {
        sn_orbit_move(&p->orbit, sn_scene_view_stage(p->view), event->x, event->y);
    } else {
        sn_orbit_turn(&p->orbit, event->x, event->y);
    }
}

/* ---- recording ---- */

static void stop_take(scene_player *p)
{
    const sn_blob *blob = p->take_blob.bytes ? &p->take_blob : NULL;
    char written[4096];
    p->take.is_running = false;
    if (sn_take_write(&p->take, p->desc->name, p->take_model, blob, written) == SN_OK) {
        sn_log(SN_LOG_INFO, "%s: %zu rows of %d bones", written, p->take.row_count, p->take.bone_count);
        tell(p, "recorded; see the terminal");
    } else {
        tell(p, "not recorded; see the terminal");
    }
    sn_take_finish(&p->take);
}

static sn_result toggle_take(scene_player *p)
{
    const int body = p->edit.selected >= 0 ? p->edit.selected : 0;
    if (p->take.is_running) {
        stop_take(p);
        return SN_OK;
    }
    const sn_editor *editor = p->edit.editors[body];
    const sn_blob *blob = editor ? sn_editor_blob(editor) : NULL;
    p->take_body = body;
    p->take_model = sn_body_model(sn_scene_body_at(p->desc->scene, body));
    p->take_blob = blob ? *blob : (sn_blob){0};
    tell(p, "recording");
    return sn_take_start(&p->take, sn_model_bone_count(p->take_model), sn_scene_time_step(p->desc->scene));
}

static void record(scene_player *p, double seconds)
{
    const sn_body_id body = sn_scene_body_at(p->desc->scene, p->take_body);
    if (p->take.is_running && sn_take_add(&p->take, seconds, sn_body_output(body).matrices) != SN_OK) {
        stop_take(p);
    }
}

/* Ends a recording whose body has other bones. The previous model stays valid until the editors are updated again. */
static void end_take_of_old_bones(scene_player *p)
{
    if (p->take.is_running && sn_body_model(sn_scene_body_at(p->desc->scene, p->take_body)) != p->take_model) {
        stop_take(p);
    }
}

/* ---- keys ---- */

static sn_result restart(scene_player *p)
{
    let_go(p);
    if (p->take.is_running) {
        stop_take(p);
    }
    const sn_result result = sn_scene_restart(p->desc->scene);
    return result ? result : sn_scene_edit_restart(&p->edit);
}

/* Changes the selected body, or all bodies if none is selected. */
static void change_parameter(scene_player *p, sn_player_parameter parameter, bool is_increase)
{
    static const double directions[2][3] = {{0, -1, 0}, {1, 0, 0}};
    const int selected = p->edit.selected, count = sn_scene_body_count(p->desc->scene);
    double value = 0;
    bool is_changed = false, is_refused = false;
    for (int i = selected >= 0 ? selected : 0; i < (selected >= 0 ? selected + 1 : count); ++i) {
        sn_body_desc desc = sn_scene_parameters(p->desc->scene, i);
        if (sn_player_change_desc(parameter, is_increase, directions, &desc, &value)) {
            is_refused |= sn_scene_set_parameters(p->desc->scene, i, sn_scene_parameter(parameter), &desc) != SN_OK;
            is_changed = true;
        }
    }
    const char *name = sn_player_parameter_name(parameter);
    if (is_refused) {
        tell(p, "rejected; see the terminal");
    } else if (is_changed) {
        tell(p, "%s %.3g", name, value);
    } else {
        tell(p, "%s: only for %s bodies", name, sn_player_parameter_solver(parameter));
    }
}

/* Actions that scenes do not support. */
static bool is_of_models(sn_player_action action)
{
    return action == SN_PLAYER_SECONDARY || action == SN_PLAYER_EXPRESSION || action == SN_PLAYER_FLOOR ||
           action == SN_PLAYER_SHOW_MESH;
}

static void obey_editor(scene_player *p, sn_player_command command)
{
    sn_editor *editor = sn_scene_edit_editor(&p->edit);
    const bool is_of_handle = command.parameter == SN_PLAYER_BONE_COMPLIANCE;
    const bool is_change = command.action == SN_PLAYER_DECREASE || command.action == SN_PLAYER_INCREASE;
    if (is_change && is_of_handle && editor) {
        sn_player_bone_compliance(editor, command.action == SN_PLAYER_INCREASE,
                                  sn_scene_parameters(p->desc->scene, p->edit.selected).compliance);
    } else if (is_change) {
        change_parameter(p, command.parameter, command.action == SN_PLAYER_INCREASE);
    } else if (command.action == SN_PLAYER_SHOW_HANDLES) {
        p->edit.are_handles_hidden = !p->edit.are_handles_hidden;
        p->edit.is_pointer_held = false;
        if (editor) { /* hidden handles cannot be edited */
            sn_editor_set_editing(editor, false);
        }
    } else if (editor && sn_player_obey_editor(editor, &p->title, command)) {
        p->edit.is_pointer_held = false;
    } else if (command.action != SN_PLAYER_NOTHING) {
        tell(p,
             editor || is_of_models(command.action) ? "not available in a scene" : "no body of this scene has handles");
    }
}

static sn_result obey(scene_player *p, sn_player_command command)
{
    if (sn_playback_obey(&p->playback, &p->title, command.action)) {
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
        p->end = command.action == SN_PLAYER_NEXT_CLIP ? SN_SCENE_NEXT : SN_SCENE_PREVIOUS;
        p->playback.is_quitting = true;
        break;
    case SN_PLAYER_RECORD:
        return toggle_take(p);
    case SN_PLAYER_NEXT_BODY:
        return sn_scene_edit_select_next(&p->edit, 1);
    default:
        obey_editor(p, command);
        break;
    }
    return SN_OK;
}

static sn_result handle_events(scene_player *p)
{
    sn_window_event event;
    sn_result result = SN_OK;
    while (result == SN_OK && sn_window_next_event(p->desc->window, &event)) {
        const sn_edit_view view = view_of(p);
        if (sn_panel_event(&p->panel.panel, &event) || sn_scene_edit_event(&p->edit, &view, &event)) {
            continue;
        }
        switch (event.kind) {
        case SN_WINDOW_KEY:
            result = obey(p, sn_player_key(event.key, event.is_repeated));
            break;
        case SN_WINDOW_PRESS:
            if (event.button == SN_BUTTON_LEFT) {
                result = take_hold(p, (const double[2]){event.x, event.y});
            }
            break;
        case SN_WINDOW_DRAG:
            follow_drag(p, &event);
            break;
        case SN_WINDOW_RELEASE:
            if (event.button == SN_BUTTON_LEFT) {
                let_go(p);
            }
            break;
        case SN_WINDOW_SCROLL:
            sn_orbit_zoom(&p->orbit, event.y);
            break;
        case SN_WINDOW_DROP:
            tell(p, "a scene does not accept dropped files; use play MODEL");
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
    return editor && (p->edit.is_pointer_held || sn_editor_is_editing(editor));
}

static sn_result advance(scene_player *p, double passed)
{
    sn_scene *scene = p->desc->scene;
    const double step = sn_scene_time_step(scene), length = sn_scene_get_script(scene)->seconds;
    const double seconds = sn_playback_seconds(&p->playback, fmin(passed, STEP_LIMIT * step), step);
    sn_result result = SN_OK;
    if (p->hold.is_held) {
        const sn_camera camera = look(p);
        sn_hold_pull(&p->hold, p->held, &camera);
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
    sn_panel_note(&p->panel.panel, report.world.solver_seconds, report.world.recovery_count);
    end_take_of_old_bones(p);
    record(p, seconds);
    if (report.world.recovery_count > 0) {
        tell(p, "a body was reset, or a target rejected; see the terminal");
    }
    return SN_OK;
}

/* Updates everything that depends on models which bodies may have replaced. */
static sn_result follow_models(scene_player *p)
{
    if (p->hold.drawn.model && p->hold.drawn.model != sn_body_model(p->held)) {
        let_go(p);
    }
    return sn_scene_view_update(p->view);
}

static sn_result edit(scene_player *p)
{
    sn_result result = sn_scene_edit_update(&p->edit, &p->title);
    end_take_of_old_bones(p);
    result = result ? result : follow_models(p);
    if (result == SN_OK) {
        const sn_edit_view view = view_of(p);
        double pointer[2];
        sn_window_pointer(p->desc->window, pointer);
        sn_scene_edit_point(&p->edit, &view, pointer);
    }
    return result;
}

static sn_result show_panel(scene_player *p)
{
    const sn_player_action action = sn_scene_panel_show(&p->panel, p->desc->window, p->desc->scene, &p->playback);
    if (p->panel.is_refused) {
        tell(p, "rejected; see the terminal");
    }
    return action == SN_PLAYER_NOTHING ? SN_OK : obey(p, (sn_player_command){.action = action});
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
    sn_mark_list list = {.marks = p->edit.marks, .limit = p->edit.mark_limit};
    sn_scene_edit_mark(&p->edit, &list);
    sn_playback_mark(&p->playback, &p->title, &list);
    scene.overlay = (sn_render_overlay){.marks = list.marks,
                                        .mark_count = list.count,
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
    while (result == SN_OK && !p->playback.is_quitting && !sn_window_is_closing(p->desc->window) &&
           (p->desc->frame_limit == 0 || p->frame_count < p->desc->frame_limit) &&
           !sn_interrupt_ends(p->frame_count, p->desc->frame_limit)) {
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

sn_result sn_scene_player_run(const sn_scene_player_desc *desc, sn_scene_end *end, sn_player_report *report)
{
    scene_player p = {.desc = desc, .report = report};
    sn_result result = open_view(&p);
    result = result ? result : sn_scene_edit_start(&p.edit, desc->scene);
    if (result == SN_OK) {
        p.orbit = sn_scene_view_orbit(p.view);
        tell(&p, "F1: keys");
        result = run(&p);
    }
    const double count = p.frame_count > 0 ? p.frame_count : 1;
    report->frame_count += p.frame_count;
    report->solver_ms = 1e3 * p.solver_seconds / count;
    report->drawing_ms = p.drawing_ms / count;
    *end = p.end;
    let_go(&p);
    if (p.take.is_running) {
        stop_take(&p);
    }
    sn_scene_view_destroy(&p.view);
    sn_panel_finish(&p.panel.panel);
    const sn_result finished = sn_scene_edit_finish(&p.edit);
    result = result ? result : finished;
    sn_renderer_destroy(&p.renderer);
    sn_swapchain_destroy(&p.swapchain);
    return result;
}

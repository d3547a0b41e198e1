/* SPDX-License-Identifier: MIT */
/* Input of the player: keys, mouse, dropped files. */
#include <string.h>

#include "runtime/session/player_state.h"

static sn_result change_parameter(sn_player *p, sn_player_parameter parameter, bool is_increase)
{
    const char *name = sn_player_parameter_name(parameter);
    double directions[2][3], value = 0;
    memcpy(directions[0], p->gravity_direction, sizeof directions[0]);
    memcpy(directions[1], p->wind_direction, sizeof directions[1]);
    if (parameter == SN_PLAYER_BONE_COMPLIANCE && p->edit.editor) {
        sn_player_bone_compliance(p->edit.editor, is_increase, p->body_desc.compliance);
        return SN_OK;
    }
    if (!sn_player_change_desc(parameter, is_increase, directions, &p->body_desc, &value)) {
        sn_player_tell(p, "%s: only for %s bodies", name, sn_player_parameter_solver(parameter));
        return SN_OK;
    }
    sn_player_tell(p, "%s %.3g", name, value);
    return sn_player_apply_desc(p);
}

static sn_result toggle_secondary(sn_player *p)
{
    p->is_secondary_off = !p->is_secondary_off;
    sn_player_tell(p, "secondary motion %s", p->is_secondary_off ? "off" : "on");
    return p->body_desc.solver == SN_SOLVER_LAYERED ? sn_player_show_flesh(p, !p->is_secondary_off)
                                                    : sn_player_apply_desc(p);
}

/* Cycles through all expressions, then none. Weights change at once, and the flesh reacts. */
static void change_expression(sn_player *p)
{
    const int count = sn_model_expression_count(p->model);
    p->expression = p->expression + 1 < count ? p->expression + 1 : -1;
    for (int i = 0; i < count; ++i) {
        p->expression_weights[i] = i == p->expression ? 1 : 0;
    }
    sn_player_tell(p, "expression: %s",
                   p->expression >= 0 ? sn_model_expression_name(p->model, p->expression) : "none");
}

sn_result sn_player_obey(sn_player *p, sn_player_command command)
{
    if (sn_playback_obey(&p->playback, &p->title, command.action)) {
        return SN_OK;
    }
    switch (command.action) {
    case SN_PLAYER_RESET:
        if (p->edit.editor) {
            sn_editor_forget_targets(p->edit.editor);
        }
        sn_player_restart(p);
        break;
    case SN_PLAYER_PANEL:
        return sn_panel_toggle(&p->panel, p->desc.device, p->desc.window, p->swapchain);
    case SN_PLAYER_VIEW:
        p->orbit = sn_orbit_start(&p->stage);
        break;
    case SN_PLAYER_PREVIOUS_CLIP:
        return sn_player_change_motion(p, -1);
    case SN_PLAYER_NEXT_CLIP:
        return sn_player_change_motion(p, 1);
    case SN_PLAYER_SECONDARY:
        return toggle_secondary(p);
    case SN_PLAYER_EXPRESSION:
        change_expression(p);
        break;
    case SN_PLAYER_FLOOR:
        p->is_floor_off = !p->is_floor_off;
        sn_player_tell(p, "floor %s", p->is_floor_off ? "off" : "on");
        return sn_player_lay_floor(p);
    case SN_PLAYER_DECREASE:
    case SN_PLAYER_INCREASE:
        return change_parameter(p, command.parameter, command.action == SN_PLAYER_INCREASE);
    default:
        return sn_player_edit_obey(p, command);
    }
    return SN_OK;
}

static void take_hold(sn_player *p, const sn_window_event *event)
{
    const double pointer[2] = {event->x, event->y};
    const sn_camera camera = sn_player_look(p);
    if (!p->is_secondary_off) {
        p->report.grab_count += sn_hold_take(&p->hold, p->body, &camera, pointer, p->solid_shapes, p->solid_count);
    }
}

/* The left button drags flesh, or rotates the camera if it hit no flesh; the middle button always rotates the camera.
 */
static void follow_drag(sn_player *p, const sn_window_event *event)
{
    if (event->button == SN_BUTTON_LEFT && p->hold.is_held) {
        p->hold.pointer[0] += event->x;
        p->hold.pointer[1] += event->y;
    } else if (event->button == SN_BUTTON_RIGHT) {
        sn_orbit_move(&p->orbit, &p->stage, event->x, event->y);
    } else {
        sn_orbit_turn(&p->orbit, event->x, event->y);
    }
}

static sn_result handle_event(sn_player *p, const sn_window_event *event)
{
    if (sn_panel_event(&p->panel, event) || sn_player_edit_event(p, event)) {
        return SN_OK;
    }
    switch (event->kind) {
    case SN_WINDOW_KEY:
        return sn_player_obey(p, sn_player_key(event->key, event->is_repeated));
    case SN_WINDOW_PRESS:
        if (event->button == SN_BUTTON_LEFT) {
            take_hold(p, event);
        }
        break;
    case SN_WINDOW_DRAG:
        follow_drag(p, event);
        break;
    case SN_WINDOW_RELEASE:
        if (event->button == SN_BUTTON_LEFT) {
            sn_hold_let_go(&p->hold, p->body);
        }
        break;
    case SN_WINDOW_SCROLL:
        sn_orbit_zoom(&p->orbit, event->y);
        break;
    case SN_WINDOW_DROP:
        p->is_file_dropped = true;
        break;
    }
    return SN_OK;
}

sn_result sn_player_handle_events(sn_player *p)
{
    sn_window_event event;
    sn_result result = SN_OK;
    while (result == SN_OK && sn_window_next_event(p->desc.window, &event)) {
        result = handle_event(p, &event);
    }
    return result;
}

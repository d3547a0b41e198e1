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
    if (!sn_player_step_desc_parameter(parameter, is_increase, directions, &p->body_desc, &value)) {
        sn_player_show_message(p, "%s: only for %s bodies", name, sn_player_parameter_solver(parameter));
        return SN_OK;
    }
    sn_player_show_message(p, "%s %.3g", name, value);
    return sn_player_apply_desc(p);
}

static sn_result toggle_secondary(sn_player *p)
{
    p->is_secondary_off = !p->is_secondary_off;
    sn_player_show_message(p, "secondary motion %s", p->is_secondary_off ? "off" : "on");
    return p->body_desc.solver == SN_SOLVER_LAYERED ? sn_player_set_flesh_drawn(p, !p->is_secondary_off)
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
    sn_player_show_message(p, "expression: %s",
                           p->expression >= 0 ? sn_model_expression_name(p->model, p->expression) : "none");
}

sn_result sn_player_execute(sn_player *p, sn_player_command command)
{
    if (sn_playback_execute(&p->playback, &p->title, command.action) || sn_player_parts_execute(p, command)) {
        return SN_OK;
    }
    switch (command.action) {
    case SN_PLAYER_RESET:
        if (p->edit.editor) {
            sn_editor_clear_targets(p->edit.editor);
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
        sn_player_show_message(p, "floor %s", p->is_floor_off ? "off" : "on");
        return sn_player_update_floor(p);
    case SN_PLAYER_DECREASE:
    case SN_PLAYER_INCREASE:
        return change_parameter(p, command.parameter, command.action == SN_PLAYER_INCREASE);
    default:
        return sn_player_edit_execute(p, command);
    }
    return SN_OK;
}

static void try_grab(sn_player *p, const sn_window_event *event)
{
    const double pointer[2] = {event->x, event->y};
    const sn_camera camera = sn_player_get_camera(p);
    if (!p->is_secondary_off) {
        p->report.grab_count +=
            sn_grab_tool_grab(&p->grab_tool, p->body, &camera, pointer, p->solid_shapes, p->solid_count);
    }
}

/* The left button drags flesh, or rotates the camera if it hit no flesh; the middle button always rotates the camera.
 */
static void follow_drag(sn_player *p, const sn_window_event *event)
{
    if (event->button == SN_BUTTON_LEFT && p->grab_tool.is_grabbing) {
        p->grab_tool.pointer[0] += event->x;
        p->grab_tool.pointer[1] += event->y;
    } else if (event->button == SN_BUTTON_RIGHT) {
        sn_orbit_pan(&p->orbit, &p->stage, event->x, event->y);
    } else {
        sn_orbit_rotate(&p->orbit, event->x, event->y);
    }
}

static sn_result handle_event(sn_player *p, const sn_window_event *event)
{
    if (sn_panel_event(&p->panel, event) || sn_player_edit_event(p, event)) {
        return SN_OK;
    }
    sn_player_parts_event(p, event);
    switch (event->type) {
    case SN_WINDOW_KEY:
        return sn_player_execute(p, sn_player_key_command(event->key, event->is_repeated));
    case SN_WINDOW_PRESS:
        if (event->button == SN_BUTTON_LEFT) {
            try_grab(p, event);
        }
        break;
    case SN_WINDOW_DRAG:
        follow_drag(p, event);
        break;
    case SN_WINDOW_RELEASE:
        if (event->button == SN_BUTTON_LEFT) {
            sn_grab_tool_release(&p->grab_tool, p->body);
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
    while (sn_window_next_event(p->desc.window, &event)) {
        SN_TRY(handle_event(p, &event));
    }
    return SN_OK;
}

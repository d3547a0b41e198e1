/* SPDX-License-Identifier: MIT */
/* The settings panel of a character. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/session/player_state.h"

static sn_result press(sn_player *p, sn_player_action action)
{
    return sn_player_execute(p, (sn_player_command){.action = action});
}

static sn_result show_buttons(sn_player *p)
{
    sn_ui *ui = p->panel.ui;
    if (sn_ui_button(ui, p->playback.is_paused ? "Play" : "Pause", "Space", false)) {
        SN_TRY(press(p, SN_PLAYER_PAUSE));
    }
    if (sn_ui_button(ui, "Step", "one time step (.)", true)) {
        SN_TRY(press(p, SN_PLAYER_STEP));
    }
    if (sn_ui_button(ui, "Reset", "restart at rest (R)", true)) {
        SN_TRY(press(p, SN_PLAYER_RESET));
    }
    if (sn_ui_button(ui, p->edit.recording.is_running ? "Stop" : "Record bones",
                     "record the bones to a file beside the model (O)", true)) {
        SN_TRY(press(p, SN_PLAYER_RECORD));
    }
    return SN_OK;
}

/* Applies parameters. If they are rejected, the error is already logged and the body keeps its parameters. */
static void change(sn_player *p, const sn_body_desc *desc)
{
    const sn_body_desc previous = p->body_desc;
    p->body_desc = *desc;
    if (sn_player_apply_desc(p) != SN_OK) {
        p->body_desc = previous;
        sn_player_show_message(p, "rejected; see the terminal");
    }
}

typedef unsigned show_parameter_list(const sn_panel *panel, const sn_panel_body *body, sn_body_desc *desc);

static void show_parameters(sn_player *p, show_parameter_list *show)
{
    double directions[2][3];
    memcpy(directions[0], p->gravity_direction, sizeof directions[0]);
    memcpy(directions[1], p->wind_direction, sizeof directions[1]);
    const sn_panel_body body = {.model = p->model, .directions = directions, .start = p->start_desc};
    sn_body_desc desc = p->body_desc;
    if (show(&p->panel, &body, &desc)) {
        desc.model = p->model;
        change(p, &desc);
    }
}

static const char *name_motion(int index, void *user)
{
    return sn_player_motion_name_at(user, index);
}

static sn_result show_motion(sn_player *p)
{
    sn_ui *ui = p->panel.ui;
    const sn_ui_number time = {
        "Time", "position in the motion; moving it restarts the flesh at rest", "%.2f s", 0, p->motion_seconds, false};
    int index = p->motion_index;
    double seconds = p->time;
    if (!sn_ui_section(ui, "Motion", true)) {
        return SN_OK;
    }
    if (sn_ui_combo(ui, "Clip", "[ and ] select the previous and next", name_motion, p, sn_player_motion_count(p),
                    &index)) {
        return sn_player_select_motion(p, index);
    }
    if (p->motion_seconds > 0 && sn_ui_slider(ui, &time, &seconds)) {
        sn_player_seek(p, seconds);
    }
    return SN_OK;
}

static void show_expressions(sn_player *p)
{
    const int count = sn_model_expression_count(p->model);
    if (count == 0 || !sn_ui_section(p->panel.ui, "Expressions", false)) {
        return;
    }
    for (int i = 0; i < count; ++i) {
        const sn_ui_number number = {sn_model_expression_name(p->model, i), NULL, "%.2f", 0, 1, false};
        double weight = (double)p->expression_weights[i];
        sn_ui_push(p->panel.ui, i); /* names may be duplicated or empty */
        if (sn_ui_slider(p->panel.ui, &number, &weight)) {
            p->expression_weights[i] =
                (float)fmin(fmax(weight, 0), 1); /* typed numbers are not limited to the slider's range */
        }
        sn_ui_pop(p->panel.ui);
    }
}

sn_result sn_player_build_panel(sn_player *p)
{
    char device_name[300];
    if (!sn_panel_begin(&p->panel, p->desc.window, "Settings (Tab)")) {
        return SN_OK;
    }
    if (p->desc.is_on_device) {
        snprintf(device_name, sizeof device_name, "%s", p->desc.device->properties.deviceName);
    } else {
        snprintf(device_name, sizeof device_name, "%d thread%s", p->desc.worker_count,
                 p->desc.worker_count == 1 ? "" : "s");
    }
    sn_result result = show_buttons(p);
    show_parameters(p, sn_panel_main_parameters);
    int part = p->parts.selected;
    if (p->parts.editor && sn_panel_parts(&p->panel, p->parts.editor, &part)) {
        sn_player_parts_select(p, part);
    }
    result = result ? result : show_motion(p);
    show_expressions(p);
    show_parameters(p, sn_panel_other_parameters);
    sn_panel_statistics(&p->panel, p->body, device_name, p->frames_per_second);
    if (p->desc.recorder) {
        sn_ui_value(p->panel.ui, "Recording", "%s", "everything (--record)");
    }
    sn_panel_end(&p->panel);
    return result;
}

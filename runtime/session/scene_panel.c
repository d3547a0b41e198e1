/* SPDX-License-Identifier: MIT */
#include "runtime/session/scene_panel.h"

#include <stdio.h>

#include "compute/world/world.h"
#include "host/model/model.h"
#include "host/world/inspect.h"

unsigned sn_scene_parameter(sn_player_parameter parameter)
{
    static const unsigned bits[SN_PLAYER_PARAMETER_COUNT] = {[SN_PLAYER_STIFFNESS] = SN_SCENE_STIFFNESS,
                                                             [SN_PLAYER_DAMPING] = SN_SCENE_DAMPING,
                                                             [SN_PLAYER_GRAVITY] = SN_SCENE_GRAVITY,
                                                             [SN_PLAYER_AMOUNT] = SN_SCENE_AMOUNT,
                                                             [SN_PLAYER_WIND] = SN_SCENE_WIND,
                                                             [SN_PLAYER_POISSON] = SN_SCENE_POISSON,
                                                             [SN_PLAYER_COMPLIANCE] = SN_SCENE_COMPLIANCE,
                                                             [SN_PLAYER_SUBSTEPS] = SN_SCENE_SUBSTEPS,
                                                             [SN_PLAYER_MASS] = SN_SCENE_MASS};
    return bits[parameter];
}

typedef struct name_context {
    const sn_scene *scene;
    char text[96]; /* valid until the next name */
} name_context;

static const char *name_body(int index, void *user)
{
    name_context *n = user;
    if (index == 0) {
        return "all";
    }
    const sn_scene_script *script = sn_scene_get_script(n->scene);
    const sn_scene_body *entry = &script->bodies[sn_scene_body_entry(n->scene, index - 1)];
    const char *name = script->characters[entry->character].name;
    snprintf(n->text, sizeof n->text, "%d: %.80s", index, name ? name : "body");
    return n->text;
}

static sn_player_action show_buttons(sn_ui *ui, const sn_playback *playback)
{
    sn_player_action action = SN_PLAYER_NOTHING;
    action = sn_ui_button(ui, playback->is_paused ? "Play" : "Pause", "Space", false) ? SN_PLAYER_PAUSE : action;
    action = sn_ui_button(ui, "Step", "one time step (.)", true) ? SN_PLAYER_STEP : action;
    action = sn_ui_button(ui, "Reset", "restart the scene (R)", true) ? SN_PLAYER_RESET : action;
    action = sn_ui_button(ui, "<", "previous scene ([)", true) ? SN_PLAYER_PREVIOUS_CLIP : action;
    action = sn_ui_button(ui, ">", "next scene (])", true) ? SN_PLAYER_NEXT_CLIP : action;
    return action;
}

/* Applies a change to the selected body, or to all bodies of the same solver. */
static void change(sn_scene_panel *p, sn_scene *scene, unsigned changed, const sn_body_desc *desc)
{
    unsigned bits = 0;
    for (int i = 0; i < SN_PLAYER_PARAMETER_COUNT; ++i) {
        bits |= changed >> i & 1 ? sn_scene_parameter((sn_player_parameter)i) : 0;
    }
    for (int i = 0; i < sn_scene_body_count(scene) && bits; ++i) {
        if ((p->body == 0 || p->body == i + 1) && sn_scene_parameters(scene, i).solver == desc->solver) {
            p->is_rejected |= sn_scene_set_parameters(scene, i, bits, desc) != SN_OK;
        }
    }
}

static void show_parameters(sn_scene_panel *p, sn_scene *scene, int displayed_body)
{
    static const double directions[2][3] = {{0, -1, 0}, {1, 0, 0}};
    sn_body_desc desc = sn_scene_parameters(scene, displayed_body);
    const sn_scene_script *script = sn_scene_get_script(scene);
    const sn_panel_body body = {.model = sn_body_model(sn_scene_body_at(scene, displayed_body)),
                                .directions = directions,
                                .start = script->bodies[sn_scene_body_entry(scene, displayed_body)].desc,
                                .is_scene_body = true};
    unsigned changed = sn_panel_main_parameters(&p->panel, &body, &desc);
    changed |= sn_panel_other_parameters(&p->panel, &body, &desc);
    change(p, scene, changed, &desc);
}

sn_player_action sn_scene_panel_build(sn_scene_panel *p, sn_window *window, sn_scene *scene,
                                      const sn_playback *playback)
{
    name_context names = {.scene = scene};
    const int count = sn_scene_body_count(scene);
    p->is_rejected = false;
    if (!sn_panel_begin(&p->panel, window, "Settings (Tab)")) {
        return SN_PLAYER_NOTHING;
    }
    const sn_player_action action = show_buttons(p->panel.ui, playback);
    p->body = p->body <= count ? p->body : 0;
    sn_ui_combo(p->panel.ui, "Body", "body whose parameters are shown", name_body, &names, count + 1, &p->body);
    const int displayed_body = p->body > 0 ? p->body - 1 : 0;
    const sn_body_id body = sn_scene_body_at(scene, displayed_body);
    const sn_solver_table *table = sn_body_inspect(body).table;
    show_parameters(p, scene, displayed_body);
    sn_panel_statistics(&p->panel, body,
                        table == &sn_gpu_table || table == &sn_gpu_coupled_table ? "a device" : "threads",
                        p->frames_per_second);
    sn_ui_value(p->panel.ui, "Time", "%.2f s", sn_scene_time(scene));
    sn_panel_end(&p->panel);
    return action;
}

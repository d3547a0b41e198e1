/* SPDX-License-Identifier: MIT */
/* The settings panel of a scene: for one body, or for all bodies of one solver. */
#ifndef SN_RUNTIME_SESSION_SCENE_PANEL_H
#define SN_RUNTIME_SESSION_SCENE_PANEL_H

#include "runtime/input/playback.h"
#include "runtime/panel/panel.h"
#include "scenes/script/scene.h"

typedef struct sn_scene_panel {
    sn_panel panel;
    int body; /* 0: all bodies; else body index + 1 */
    double frames_per_second;
    bool is_rejected; /* a change of this frame was rejected; the reason is logged */
} sn_scene_panel;

/* Converts a key's parameter to the scene's SN_SCENE_... flag; 0: none. */
unsigned sn_scene_parameter(sn_player_parameter parameter);

/* Builds the panel for this frame if it is visible. Returns the action of a pressed button, or SN_PLAYER_NOTHING. */
sn_player_action sn_scene_panel_build(sn_scene_panel *panel, sn_window *window, sn_scene *scene,
                                      const sn_playback *playback);

#endif

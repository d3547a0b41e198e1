/* SPDX-License-Identifier: MIT */
/* The panel of settings of a scene: of one of its bodies, or of all that step alike. */
#ifndef SN_RUNTIME_SESSION_SCENE_PANEL_H
#define SN_RUNTIME_SESSION_SCENE_PANEL_H

#include "runtime/input/playback.h"
#include "runtime/panel/panel.h"
#include "scenes/script/scene.h"

typedef struct sn_scene_panel {
    sn_panel panel;
    int body; /* 0: all; else it and one */
    double frames_per_second;
    bool is_refused; /* something that was changed in this frame; it has had its line */
} sn_scene_panel;

/* Which of a scene's parameters a key's is (SN_SCENE_...); 0: none. */
unsigned sn_scene_parameter(sn_player_parameter parameter);

/* Of this frame, where it is shown. What its buttons ask for, or SN_PLAYER_NOTHING. */
sn_player_action sn_scene_panel_show(sn_scene_panel *panel, sn_window *window, sn_scene *scene,
                                     const sn_playback *playback);

#endif

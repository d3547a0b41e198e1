/* SPDX-License-Identifier: MIT */
/* A scene in a window: it runs to its end and begins again; the pointer pulls flesh, turns the camera, and edits the
 * handles of coupled bodies. Keys: those of player_keys.h; the ones for clips go to other scenes, and those for
 * parameters change the selected body, whatever the script says. */
#ifndef SN_RUNTIME_SESSION_SCENE_PLAYER_H
#define SN_RUNTIME_SESSION_SCENE_PLAYER_H

#include "runtime/session/player.h"
#include "scenes/script/scene.h"

typedef enum sn_scene_end { SN_SCENE_CLOSED, SN_SCENE_PREVIOUS, SN_SCENE_NEXT } sn_scene_end;

typedef struct sn_scene_player_desc {
    sn_window *window;
    sn_gpu_device *device; /* made for the window's extensions */
    sn_scene *scene;       /* must outlive the call */
    const char *name;
    int frame_limit; /* drawn frames until it ends; 0: none */
} sn_scene_player_desc;

/* Until the window is closed, all frames are drawn, or another scene is asked for. The report's numbers are added to
 * what it holds. */
sn_result sn_scene_player_run(const sn_scene_player_desc *desc, sn_scene_end *end, sn_player_report *report);

#endif

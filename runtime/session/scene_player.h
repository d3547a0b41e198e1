/* SPDX-License-Identifier: MIT */
/* Plays a scene in a window, in a loop. The pointer drags flesh, rotates the camera and edits handles of coupled
 * bodies. Keys: player_keys.h; the clip keys switch scenes, and the parameter keys override the script for the selected
 * body. */
#ifndef SN_RUNTIME_SESSION_SCENE_PLAYER_H
#define SN_RUNTIME_SESSION_SCENE_PLAYER_H

#include "runtime/session/player.h"
#include "scenes/script/scene.h"

typedef enum sn_scene_exit_reason {
    SN_SCENE_EXIT_CLOSED,
    SN_SCENE_EXIT_PREVIOUS,
    SN_SCENE_EXIT_NEXT
} sn_scene_exit_reason;

typedef struct sn_scene_player_desc {
    sn_window *window;
    sn_gpu_device *device; /* created with the window's extensions */
    sn_scene *scene;       /* must outlive the call */
    const char *name;
    int frame_limit; /* drawn frames until it stops; 0: no limit */
} sn_scene_player_desc;

/* Runs until the window is closed, frame_limit frames are drawn, or another scene is requested. Adds to the report's
 * counts and times. */
sn_result sn_scene_player_run(const sn_scene_player_desc *desc, sn_scene_exit_reason *end, sn_player_report *report);

#endif

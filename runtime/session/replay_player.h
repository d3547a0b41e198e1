/* SPDX-License-Identifier: MIT */
/* Plays a recording in a window at its recorded speed, in a loop. The user controls the camera; keys pause, step,
 * restart and display help. */
#ifndef SN_RUNTIME_SESSION_REPLAY_PLAYER_H
#define SN_RUNTIME_SESSION_REPLAY_PLAYER_H

#include "runtime/session/player.h"
#include "sinew/record.h"

typedef struct sn_replay_player_desc {
    sn_window *window;
    sn_gpu_device *device;        /* created with the window's extensions */
    const sn_replay_desc *replay; /* must outlive the call */
    int frame_limit;              /* drawn frames until it stops; 0: no limit */
} sn_replay_player_desc;

/* Runs until the window is closed or frame_limit frames are drawn. *first_difference: the first step, in any run, whose
 * result differs from the recording, or -1. */
sn_result sn_replay_player_run(const sn_replay_player_desc *desc, int *first_difference, sn_player_report *report);

#endif

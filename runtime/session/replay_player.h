/* SPDX-License-Identifier: MIT */
/* A recording in a window: in the time that it was recorded in, to its end, and again. The camera is the user's; keys
 * pause, step, begin again and tell what keys do. */
#ifndef SN_RUNTIME_SESSION_REPLAY_PLAYER_H
#define SN_RUNTIME_SESSION_REPLAY_PLAYER_H

#include "runtime/session/player.h"
#include "sinew/record.h"

typedef struct sn_replay_player_desc {
    sn_window *window;
    sn_gpu_device *device;        /* made for the window's extensions */
    const sn_replay_desc *replay; /* must outlive the call */
    int frame_limit;              /* drawn frames until it ends; 0: none */
} sn_replay_player_desc;

/* Until the window is closed or all frames are drawn. first_difference: of any run, or -1. */
sn_result sn_replay_player_run(const sn_replay_player_desc *desc, int *first_difference, sn_player_report *report);

#endif

/* SPDX-License-Identifier: MIT */
/* sinew play --replay: a recording in a window, or to pictures. */
#ifndef SN_TOOLS_PLAY_REPLAY_H
#define SN_TOOLS_PLAY_REPLAY_H

#include <stdbool.h>

typedef struct sn_play_replay_arguments {
    const char *replay;
    const char *model; /* that it was recorded with, or null */
    const char *out, *sheet, *device;
    int frames; /* 0: of pictures one a step; of a window no limit */
    int width, height, threads;
    bool is_on_device, is_single, is_headless, is_validated, is_json;
} sn_play_replay_arguments;

/* An exit code. */
int sn_play_replay(const sn_play_replay_arguments *arguments);

#endif

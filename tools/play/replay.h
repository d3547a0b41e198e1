/* SPDX-License-Identifier: MIT */
/* sinew play --replay: plays a recording in a window or to pictures. */
#ifndef SN_TOOLS_PLAY_REPLAY_H
#define SN_TOOLS_PLAY_REPLAY_H

#include "tools/play/arguments.h"

/* Returns an exit code. model_path: the model of the recording, or null if the recording contains it. --frames 0: all
 * steps for pictures, no limit for a window. */
int sn_play_replay(const sn_play_arguments *arguments, const char *recording, const char *model_path);

#endif

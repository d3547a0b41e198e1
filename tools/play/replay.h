/* SPDX-License-Identifier: MIT */
/* sinew play --replay: a recording in a window, or to pictures. */
#ifndef SN_TOOLS_PLAY_REPLAY_H
#define SN_TOOLS_PLAY_REPLAY_H

#include "tools/play/arguments.h"

/* An exit code. recording: its path; model_path: of the model that it was recorded with, or null. Of frames, 0 says: of
 * pictures one a step; of a window no limit. */
int sn_play_replay(const sn_play_arguments *arguments, const char *recording, const char *model_path);

#endif

/* SPDX-License-Identifier: MIT */
/* What keys do alike in every player: it pauses, steps, ends and tells its keys. */
#ifndef SN_RUNTIME_INPUT_PLAYBACK_H
#define SN_RUNTIME_INPUT_PLAYBACK_H

#include "runtime/edit/text.h"
#include "runtime/input/player_keys.h"
#include "runtime/input/title.h"

typedef struct sn_playback {
    bool is_paused, is_step_due, is_quitting, is_help_shown;
} sn_playback;

/* Whether the action is one of these; the title tells what it did. */
bool sn_playback_obey(sn_playback *playback, sn_title *title, sn_player_action action);

/* How long to play in a frame that took `passed`: one step that is due, which is done then, or nothing in a pause. */
double sn_playback_seconds(sn_playback *playback, double passed, double time_step);

/* Over the picture: the keys, while they are asked for, and what the title tells. */
void sn_playback_mark(const sn_playback *playback, const sn_title *title, sn_mark_list *list);

#endif

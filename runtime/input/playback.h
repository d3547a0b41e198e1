/* SPDX-License-Identifier: MIT */
/* Playback control that all players share: pause, step, quit and key help. */
#ifndef SN_RUNTIME_INPUT_PLAYBACK_H
#define SN_RUNTIME_INPUT_PLAYBACK_H

#include "runtime/edit/text.h"
#include "runtime/input/player_keys.h"
#include "runtime/input/title.h"

typedef struct sn_playback {
    bool is_paused, is_step_due, is_quit_requested, is_help_visible;
} sn_playback;

/* Executes one of these actions and reports it in the title; false if it is another action. */
bool sn_playback_execute(sn_playback *playback, sn_title *title, sn_player_action action);

/* Seconds to simulate in a frame that took `passed` seconds: a time step if one was requested (the request is cleared),
 * 0 while paused. */
double sn_playback_seconds(sn_playback *playback, double passed, double time_step);

/* Adds overlay markers for the key help, if it is visible, and for the title's message. */
void sn_playback_add_markers(const sn_playback *playback, const sn_title *title, sn_marker_list *list);

#endif

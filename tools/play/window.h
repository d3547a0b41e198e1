/* SPDX-License-Identifier: MIT */
/* What `sinew play` shows of a character in a window, where others are dropped in its place, or in a headset. */
#ifndef SN_TOOLS_PLAY_WINDOW_H
#define SN_TOOLS_PLAY_WINDOW_H

#include "runtime/session/file_loader.h"
#include "runtime/session/player.h"
#include "tools/play/opened.h"

/* A character, with what stands around it. */
typedef struct sn_shown {
    sn_loaded_file dropped; /* the first was not */
    sn_solid solids[SN_SOLID_LIMIT];
    sn_player_character character;
} sn_shown;

/* Zero it, set the first four, play; what is played is the arguments' operand. */
typedef struct sn_played {
    const sn_play_arguments *arguments;
    const sn_opened *opened;
    const sn_model *model;
    sn_recorder *recorder; /* or null */
    sn_arena arena;
    sn_player *player;
    sn_shown shows[2];        /* what is shown, and what was dropped to be shown in its place */
    int playable;             /* the one that is */
    sn_file_loader *dropping; /* on its way, or null */
    sn_player_report report;
} sn_played;

/* Until the window closes, or the headset's user ends it. */
sn_result sn_play_in_window(sn_played *played);
sn_result sn_play_in_headset(sn_played *played);
/* Before the recorder is finished; of one that was not played, too. */
void sn_played_stop(sn_played *played);
/* After that, and before the device and the model go. */
void sn_played_finish(sn_played *played);

#endif

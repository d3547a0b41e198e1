/* SPDX-License-Identifier: MIT */
/* Plays a character in a window, where dropped files replace it, or in a headset. */
#ifndef SN_TOOLS_PLAY_WINDOW_H
#define SN_TOOLS_PLAY_WINDOW_H

#include "runtime/session/file_loader.h"
#include "runtime/session/player.h"
#include "tools/play/opened.h"

/* A character with its obstacles. */
typedef struct sn_shown {
    sn_loaded_file dropped; /* the dropped file, if the character came from one */
    sn_solid solids[SN_SOLID_LIMIT];
    sn_player_character character;
} sn_shown;

/* Zero it, set the first four members, then play. The first operand of the arguments is played. */
typedef struct sn_played {
    const sn_play_arguments *arguments;
    const sn_opened *opened;
    const sn_model *model;
    sn_recorder *recorder; /* or null */
    sn_arena arena;
    sn_player *player;
    sn_shown shows[2];        /* the character on screen, and the one that replaces it */
    int playable;             /* index of the character on screen */
    sn_file_loader *dropping; /* file that is being loaded, or null */
    sn_player_report report;
} sn_played;

/* Runs until the window closes or the headset's user exits. */
sn_result sn_play_in_window(sn_played *played);
sn_result sn_play_in_headset(sn_played *played);
/* Call it before the recorder is finished; accepts one that was not played. */
void sn_played_stop(sn_played *played);
/* Call it after sn_played_stop and before the device and the model are destroyed. */
void sn_played_finish(sn_played *played);

#endif

/* SPDX-License-Identifier: MIT */
/* Plays a character in a window, where dropped files replace it, or in a headset. */
#ifndef SN_TOOLS_PLAY_WINDOW_H
#define SN_TOOLS_PLAY_WINDOW_H

#include "runtime/session/file_loader.h"
#include "runtime/session/player.h"
#include "tools/play/play_device.h"

/* A character with its obstacles. */
typedef struct sn_play_character {
    sn_loaded_file dropped; /* the dropped file, if the character came from one */
    sn_solid solids[SN_SOLID_LIMIT];
    sn_player_character character;
} sn_play_character;

/* Zero it, set the first five members, then play. The first operand of the arguments is played. */
typedef struct sn_play_session {
    const sn_play_arguments *arguments;
    const sn_play_device *play_device;
    const sn_model *model;
    const sn_cook_desc *cook; /* how the model was cooked; null: it was opened */
    sn_recorder *recorder;    /* or null */
    sn_arena arena;
    sn_player *player;
    sn_play_character play_characters[2]; /* the character on screen, and the one that replaces it */
    int playable;                         /* index of the character on screen */
    sn_file_loader *dropping;             /* file that is being loaded, or null */
    sn_player_report report;
} sn_play_session;

/* Runs until the window closes or the headset's user exits. */
sn_result sn_play_in_window(sn_play_session *session);
sn_result sn_play_in_headset(sn_play_session *session);
/* Call it before the recorder is finished; accepts one that was not played. */
void sn_play_session_stop(sn_play_session *session);
/* Call it after sn_play_session_stop and before the device and the model are destroyed. */
void sn_play_session_finish(sn_play_session *session);

#endif

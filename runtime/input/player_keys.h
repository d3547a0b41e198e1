/* SPDX-License-Identifier: MIT */
/* What keys do in the player. */
#ifndef SN_RUNTIME_INPUT_PLAYER_KEYS_H
#define SN_RUNTIME_INPUT_PLAYER_KEYS_H

#include "sinew/world.h"

typedef enum sn_player_action {
    SN_PLAYER_NOTHING,
    SN_PLAYER_QUIT,
    SN_PLAYER_HELP,
    SN_PLAYER_PAUSE,
    SN_PLAYER_STEP,
    SN_PLAYER_RESET,
    SN_PLAYER_VIEW,
    SN_PLAYER_PANEL, /* of settings */
    SN_PLAYER_PREVIOUS_CLIP,
    SN_PLAYER_NEXT_CLIP,
    SN_PLAYER_SECONDARY,
    SN_PLAYER_EXPRESSION,
    SN_PLAYER_DECREASE, /* of a parameter */
    SN_PLAYER_INCREASE,
    /* of the handles */
    SN_PLAYER_EDIT,
    SN_PLAYER_TOOL_POINT,
    SN_PLAYER_TOOL_BONE,
    SN_PLAYER_TOOL_CAGE,
    SN_PLAYER_CLOSE_CAGE,
    SN_PLAYER_REMOVE,
    SN_PLAYER_UNDO,
    SN_PLAYER_LOCK, /* locks: of what */
    SN_PLAYER_FREE_ALL,
    SN_PLAYER_RECORD,
    SN_PLAYER_FLOOR,
    SN_PLAYER_NEXT_BODY, /* of a scene: its handles are seen */
    SN_PLAYER_SHOW_HANDLES,
    SN_PLAYER_SHOW_MESH
} sn_player_action;

typedef enum sn_player_parameter {
    SN_PLAYER_STIFFNESS,
    SN_PLAYER_DAMPING,
    SN_PLAYER_GRAVITY,
    SN_PLAYER_AMOUNT,
    SN_PLAYER_WIND,
    /* of coupled bodies */
    SN_PLAYER_POISSON,
    SN_PLAYER_COMPLIANCE,
    SN_PLAYER_SUBSTEPS,
    SN_PLAYER_MASS,
    SN_PLAYER_BONE_COMPLIANCE, /* of the selected handle */
    SN_PLAYER_PARAMETER_COUNT
} sn_player_parameter;

typedef struct sn_player_command {
    sn_player_action action;
    sn_player_parameter parameter; /* of decrease and increase */
    unsigned locks;                /* of lock: SN_LOCK_* */
} sn_player_command;

/* A key as in window.h. What a held key repeats is nothing, but for steps and parameters. */
sn_player_command sn_player_key(int key, bool is_repeated);

/* Line by line, null at the end. */
const char *sn_player_help(int line);

const char *sn_player_parameter_name(sn_player_parameter parameter);
/* Whose bodies have it, of one that not all have. */
const char *sn_player_parameter_solver(sn_player_parameter parameter);
/* One press: in steps of a factor (the square root of 2; of compliance that of 10) or, where 0 is nothing special, of
 * an amount, within a range; below it is 0, but for stiffness and substeps. A value from outside of the range is first
 * brought into it. */
double sn_player_change(sn_player_parameter parameter, double value, bool is_increase);

/* One press on a body's parameters; `value` is what that one then is. False: its solver has not got it, or it is a
 * handle's. Directions are of gravity and wind, unit, where these are 0. */
bool sn_player_change_desc(sn_player_parameter parameter, bool is_increase, const double directions[2][3],
                           sn_body_desc *desc, double *value);

#endif

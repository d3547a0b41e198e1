/* SPDX-License-Identifier: MIT */
/* Key bindings of the player, and the parameters that keys change. */
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
    SN_PLAYER_PANEL, /* settings panel */
    SN_PLAYER_PREVIOUS_CLIP,
    SN_PLAYER_NEXT_CLIP,
    SN_PLAYER_SECONDARY,
    SN_PLAYER_COMPARE, /* shows the flesh as it was cooked, or as it is edited */
    SN_PLAYER_EXPRESSION,
    SN_PLAYER_DECREASE, /* of a parameter */
    SN_PLAYER_INCREASE,
    /* handle editing */
    SN_PLAYER_EDIT,
    SN_PLAYER_TOOL_POINT,
    SN_PLAYER_TOOL_BONE,
    SN_PLAYER_TOOL_CAGE,
    SN_PLAYER_CLOSE_CAGE,
    SN_PLAYER_REMOVE,
    SN_PLAYER_UNDO,
    SN_PLAYER_LOCK, /* toggles sn_player_command.locks */
    SN_PLAYER_FREE_ALL,
    SN_PLAYER_RECORD,
    SN_PLAYER_FLOOR,
    SN_PLAYER_NEXT_BODY, /* of a scene: selects it and displays its handles */
    SN_PLAYER_SHOW_HANDLES,
    SN_PLAYER_SHOW_MESH
} sn_player_action;

typedef enum sn_player_parameter {
    SN_PLAYER_STIFFNESS,
    SN_PLAYER_DAMPING,
    SN_PLAYER_GRAVITY,
    SN_PLAYER_AMOUNT,
    SN_PLAYER_WIND,
    /* coupled bodies */
    SN_PLAYER_POISSON,
    SN_PLAYER_COMPLIANCE,
    SN_PLAYER_SUBSTEPS,
    SN_PLAYER_MASS,
    SN_PLAYER_BONE_COMPLIANCE, /* of the selected handle */
    SN_PLAYER_PARAMETER_COUNT
} sn_player_parameter;

typedef struct sn_player_command {
    sn_player_action action;
    sn_player_parameter parameter; /* for SN_PLAYER_DECREASE and SN_PLAYER_INCREASE */
    unsigned locks;                /* for SN_PLAYER_LOCK: SN_LOCK_* flags */
} sn_player_command;

/* Command of a key (codes: window.h). Auto-repeat of a held key is ignored except for steps, parameters and undo. */
sn_player_command sn_player_key_command(int key, bool is_repeated);

/* One line of the key help; null after the last. */
const char *sn_player_help_line(int line);

const char *sn_player_parameter_name(sn_player_parameter parameter);
/* Name of the solver whose bodies have the parameter, for parameters that not all bodies have. */
const char *sn_player_parameter_solver(sn_player_parameter parameter);
/* The value after one key press, within the parameter's range. The step is a factor (sqrt(2); sqrt(10) for compliance)
 * or an amount. Below the range the value is 0, except for parameters that cannot be 0. A value outside the range is
 * first clamped. */
double sn_player_step_parameter(sn_player_parameter parameter, double value, bool is_increase);

/* Applies one key press to a body's parameters and writes the new value. False: the solver does not have the parameter,
 * or it belongs to a handle. directions: unit vectors of gravity and wind, used where these are 0. */
bool sn_player_step_desc_parameter(sn_player_parameter parameter, bool is_increase, const double directions[2][3],
                                   sn_body_desc *desc, double *value);

#endif

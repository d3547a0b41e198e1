/* SPDX-License-Identifier: MIT */
/* What `sinew play`, and a verb that plays characters its way, is told. */
#ifndef SN_TOOLS_PLAY_ARGUMENTS_H
#define SN_TOOLS_PLAY_ARGUMENTS_H

#include "tools/play/play.h"

typedef struct sn_play_arguments {
    sn_string_list operands, clips;
    sn_simulation_parameters parameters;
    const char *rig, *out, *sheet, *device, *scene, *record, *replay; /* or null */
    int frames, size[2];
    double xr_height; /* metres, or 0 */
    bool is_headless, is_xr, is_validated, is_flat, is_list, is_json, has_handles, has_mesh;
    const sn_play_live *live; /* of another verb, or null */
} sn_play_arguments;

/* SN_CONTINUE, or an exit code after its line. live: as sn_play_characters has it. */
int sn_play_arguments_parse(const sn_play_live *live, int argument_count, char **arguments, sn_play_arguments *parsed);

/* Whether bodies step on the device. */
bool sn_play_is_on_device(const sn_play_arguments *arguments);

/* SN_ERROR_ARGUMENT (one line) where the recording would take the place of what is played: the model or file, the
 * scene's file, the rig, clips, the motion, colliders. */
sn_result sn_play_check_record(const sn_play_arguments *arguments);

#endif

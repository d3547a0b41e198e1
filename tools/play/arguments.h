/* SPDX-License-Identifier: MIT */
/* The arguments of `sinew play` and of verbs that play characters in the same way. */
#ifndef SN_TOOLS_PLAY_ARGUMENTS_H
#define SN_TOOLS_PLAY_ARGUMENTS_H

#include "runtime/camera/stage.h"
#include "tools/play/play.h"

typedef struct sn_play_arguments {
    sn_string_list operands, clips;
    sn_simulation_parameters parameters;
    const char *rig, *out, *sheet, *device, *scene, *record, *replay; /* or null */
    const char *view_name, *backdrop_name;                            /* or null */
    sn_stage_view view;
    sn_backdrop backdrop;
    float background[3]; /* of SN_BACKDROP_PLAIN: linear */
    int frames, size[2];
    int every;        /* frames from one picture to the next */
    double xr_height; /* in metres; 0: the model's own height */
    bool is_headless, is_xr, is_validated, is_flat, is_list, is_json, has_handles, has_mesh;
    const sn_play_live *live; /* callbacks of another verb, or null */
} sn_play_arguments;

/* Returns SN_CONTINUE, or an exit code after one line on stderr. live: as in sn_play_characters. */
int sn_play_arguments_parse(const sn_play_live *live, int argument_count, char **arguments, sn_play_arguments *parsed);

/* Returns true if bodies are simulated on the GPU. */
bool sn_play_is_on_device(const sn_play_arguments *arguments);

/* SN_ERROR_ARGUMENT if the recording would overwrite an input: the model or file, the scene file, the rig, a clip, the
 * motion or a collider. */
sn_result sn_play_check_record(const sn_play_arguments *arguments);

#endif

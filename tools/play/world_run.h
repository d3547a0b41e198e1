/* SPDX-License-Identifier: MIT */
/* A character in a world without a window: what `play MODEL --headless --record F` records, and then draws from the
 * recording. */
#ifndef SN_TOOLS_PLAY_WORLD_RUN_H
#define SN_TOOLS_PLAY_WORLD_RUN_H

#include "tools/simulation/simulation.h"

typedef struct sn_world_run_desc {
    const sn_model *model;
    const char *name; /* for messages */
    const sn_simulation_parameters *parameters;
    const sn_backend *backend; /* or null */
    sn_recorder *recorder;
    int frame_count, size[2]; /* of the pictures, for the floor's sake */
    int *run_count;           /* of frames, when it is over: fewer where a signal ended it */
} sn_world_run_desc;

/* A step a frame, as the player's window has them: the motion, gusts, solids and the floor. */
sn_result sn_world_run(const sn_world_run_desc *desc, sn_arena *arena);

#endif

/* SPDX-License-Identifier: MIT */
/* Simulates a character in a world without a window, for `play MODEL --headless --record F`; the pictures are rendered
 * from the recording. */
#ifndef SN_TOOLS_PLAY_WORLD_RUN_H
#define SN_TOOLS_PLAY_WORLD_RUN_H

#include "tools/simulation/simulation.h"

typedef struct sn_world_run_desc {
    const sn_model *model;
    const char *name; /* for messages */
    const sn_simulation_parameters *parameters;
    const sn_backend *backend; /* or null */
    sn_recorder *recorder;
    int frame_count, size[2]; /* picture size, which determines the floor */
    int *run_count;           /* number of frames run; fewer than frame_count after a signal */
} sn_world_run_desc;

/* Steps once per frame with the motion, gusts, obstacles and floor of the player's window. */
sn_result sn_world_run(const sn_world_run_desc *desc, sn_arena *arena);

#endif

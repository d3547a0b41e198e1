/* SPDX-License-Identifier: MIT */
/* Records one body of a scene frame by frame for bake. */
#ifndef SN_TOOLS_BAKE_SCENE_RECORDING_H
#define SN_TOOLS_BAKE_SCENE_RECORDING_H

#include "host/model/model.h"
#include "tools/bake/recording.h"
#include "tools/simulation/scene_body_state.h"

typedef struct sn_scene_recording_desc {
    const char *scene; /* scene file or name of a built-in scene */
    int body;          /* index among all copies of all bodies, in the script's order */
    double fps;        /* 0: one frame per step */
    double seconds;    /* 0: the scene's length */
    int threads;
} sn_scene_recording_desc;

/* Zero it, open it, run it, close it. */
typedef struct sn_scene_recording {
    const sn_scene_recording_desc *desc;
    sn_scene *scene;
    sn_scene_body_state body;
    sn_model model; /* the body's model with the scene's units; shares all other data */
    int frame_count, steps_per_frame;
} sn_scene_recording;

/* Opens the scene at time 0. The desc and the arena must outlive the recording. */
sn_result sn_scene_recording_open(sn_scene_recording *recording, const sn_scene_recording_desc *desc, sn_arena *arena);
void sn_scene_recording_close(sn_scene_recording *recording);

/* Runs the scene; frame 0 is its initial state. The result lives in the arena and refers to the model. */
sn_result sn_scene_recording_run(sn_scene_recording *recording, sn_arena *arena, sn_recording *result_recording);

#endif

/* SPDX-License-Identifier: MIT */
/* One body of a scene, frame by frame: what bake writes. */
#ifndef SN_TOOLS_BAKE_SCENE_RECORDING_H
#define SN_TOOLS_BAKE_SCENE_RECORDING_H

#include "host/model/model.h"
#include "tools/bake/recording.h"
#include "tools/simulation/played_body.h"

typedef struct sn_scene_recording_desc {
    const char *scene; /* a scene file, or a built-in one's name */
    int body;          /* of all copies of all bodies, in the script's order */
    double fps;        /* 0: a frame a step */
    double seconds;    /* 0: the scene's own */
    int threads;
} sn_scene_recording_desc;

/* Zero it, open it, run it, close it. */
typedef struct sn_scene_recording {
    const sn_scene_recording_desc *desc;
    sn_scene *scene;
    sn_played_body body;
    sn_model model; /* the body's, with the scene's units as its file's: it borrows all else */
    int frame_count, steps_per_frame;
} sn_scene_recording;

/* The scene at time 0. The desc and the arena must outlive the recording. */
sn_result sn_scene_recording_open(sn_scene_recording *recording, const sn_scene_recording_desc *desc, sn_arena *arena);
void sn_scene_recording_close(sn_scene_recording *recording);

/* Frame 0 is the scene as it begins. What is made lives in the arena, and borrows the model. */
sn_result sn_scene_recording_run(sn_scene_recording *recording, sn_arena *arena, sn_recording *made);

#endif

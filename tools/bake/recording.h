/* SPDX-License-Identifier: MIT */
/* A simulation's output, frame by frame: what bake writes. */
#ifndef SN_TOOLS_BAKE_RECORDING_H
#define SN_TOOLS_BAKE_RECORDING_H

#include "author/bake/bake.h"
#include "tools/simulation/simulation.h"

typedef struct sn_recording_desc {
    const char *model_path; /* for messages */
    const char *floor;      /* or null */
    double fps;             /* 0: the clip's own, or a frame a step */
    double seconds;         /* 0: the motion's own */
    bool is_loop;           /* the end flows into the beginning */
    bool is_rig_only;       /* without physics */
} sn_recording_desc;

/* Frames of a recording are fewer. */
#define SN_FRAME_LIMIT 1e6

/* Periods that a loop takes at most to come to the same motion again. */
#define SN_LOOP_LIMIT 12

typedef struct sn_recording {
    sn_bake_motion motion;
    const char *clip_name;
    int period_count;  /* of a loop: until it was steady, or given up */
    double difference; /* of a loop: the last two periods', in diagonals, before they were blended */
    int recoveries;
} sn_recording;

/* Flesh that is to be baked itself, frame by frame. Zero it, open it in an arena, take each frame's. */
typedef struct sn_recorded_surface {
    size_t width;               /* numbers of a frame */
    float *positions, *normals; /* (frame_count x surface_vertex_count x 3) */
    double *position, *normal;  /* (surface_vertex_count x 3) of one: for who fills it */
} sn_recorded_surface;
sn_result sn_recorded_surface_open(sn_recorded_surface *surface, const sn_model *model, int frame_count,
                                   sn_arena *arena);
void sn_recorded_surface_take(sn_recorded_surface *surface, int frame);

/* Runs the simulation of the parameters, whose time step is made to fit the frames. Arrays live in the arena. */
sn_result sn_recording_make(const sn_recording_desc *desc, const sn_model *model,
                            const sn_simulation_parameters *parameters, sn_arena *arena, sn_recording *recording);

#endif

/* SPDX-License-Identifier: MIT */
/* Records a simulation frame by frame for bake. */
#ifndef SN_TOOLS_BAKE_RECORDING_H
#define SN_TOOLS_BAKE_RECORDING_H

#include "author/bake/bake.h"
#include "tools/simulation/simulation.h"

typedef struct sn_recording_desc {
    const char *model_path; /* for messages */
    const char *floor;      /* or null */
    double fps;             /* frames per second; 0: the clip's rate, or one frame per step */
    double seconds;         /* 0: the motion's length */
    bool is_loop;           /* make the motion periodic */
    bool is_rig_only;       /* without simulation */
} sn_recording_desc;

/* Upper bound of the number of frames. */
#define SN_FRAME_LIMIT 1e6

/* Maximum number of periods until a loop must be periodic. */
#define SN_LOOP_LIMIT 12

typedef struct sn_recording {
    sn_bake_motion motion;
    const char *clip_name;
    int period_count;  /* for a loop: periods until it was periodic, or the limit was reached */
    double difference; /* for a loop: difference of the last two periods before blending, in diagonals */
    int recoveries;
} sn_recording;

/* Recorded vertex positions of rendered flesh. Zero it, open it in an arena, append each frame. */
typedef struct sn_recorded_surface {
    size_t width;               /* values per frame */
    float *positions, *normals; /* (frame_count x surface_vertex_count x 3) */
    double *position, *normal;  /* (surface_vertex_count x 3) of one frame, filled by the caller */
} sn_recorded_surface;
sn_result sn_recorded_surface_open(sn_recorded_surface *surface, const sn_model *model, int frame_count,
                                   sn_arena *arena);
void sn_recorded_surface_append(sn_recorded_surface *surface, int frame);

/* Records the model's clips, each from rest, one after the other: recording->motion.clips has their ranges. Counts of
 * periods and the difference are the largest of all clips. */
sn_result sn_recording_run_all(const sn_recording_desc *desc, const sn_model *model,
                               const sn_simulation_parameters *parameters, sn_arena *arena, sn_recording *recording);

/* Runs the simulation with the parameters' time step adjusted to divide the frame length. Arrays live in the arena. */
sn_result sn_recording_run(const sn_recording_desc *desc, const sn_model *model,
                           const sn_simulation_parameters *parameters, sn_arena *arena, sn_recording *recording);

#endif

/* SPDX-License-Identifier: MIT */
/* Rendering for `play --headless`: simulates and renders a character frame by frame to files. */
#ifndef SN_TOOLS_PLAY_PICTURES_H
#define SN_TOOLS_PLAY_PICTURES_H

#include "runtime/camera/stage.h"
#include "runtime/render/renderer.h"
#include "tools/play/frames.h"
#include "tools/play/overlays.h"
#include "tools/simulation/device_body.h"
#include "tools/simulation/simulation.h"

typedef struct sn_pictures_desc {
    sn_gpu_device *device;
    const sn_model *model; /* must have a surface */
    const char *name;      /* for messages */
    const sn_simulation_parameters *parameters;
    const char *out, *sheet;  /* picture folder, and contact sheet file or null */
    int frame_count, size[2]; /* number of pictures */
    int every;                /* steps from one picture to the next, >= 1 */
    sn_stage_view view;
    sn_backdrop backdrop;
    const float *background;                  /* of SN_BACKDROP_PLAIN: linear */
    bool is_on_device, has_handles, has_mesh; /* simulate on the GPU; overlays */
} sn_pictures_desc;

/* Zero it, draw, read the timings, close it. */
typedef struct sn_pictures {
    const sn_pictures_desc *desc;
    sn_simulation simulation;
    sn_device_body
        device_body; /* used for reduced bodies with --backend gpu; the simulation then only provides the motion */
    sn_stage stage;
    sn_renderer *renderer;
    sn_render_model *render_model;
    sn_render_model *solid_models[SN_SOLID_LIMIT]; /* models of the simulation's obstacles */
    float *transforms;                             /* ((bone_count + mode_count) x 12) */
    double *step_ms, *draw_ms;                     /* (number of steps), (frame_count) */
    sn_frames frames;
    sn_overlays markers; /* overlays of --show-handles and --show-mesh */
} sn_pictures;

/* Renders all frames. The desc, the objects it refers to and the arena must outlive the pictures. */
sn_result sn_pictures_render(sn_pictures *pictures, const sn_pictures_desc *desc, sn_arena *arena);
/* Call it before the device is destroyed; accepts a zeroed struct. The timings live as long as the arena. */
void sn_pictures_close(sn_pictures *pictures);

#endif

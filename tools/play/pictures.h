/* SPDX-License-Identifier: MIT */
/* What `play --headless` draws: a character simulated and drawn, frame by frame, to files. */
#ifndef SN_TOOLS_PLAY_PICTURES_H
#define SN_TOOLS_PLAY_PICTURES_H

#include "runtime/camera/stage.h"
#include "runtime/render/renderer.h"
#include "tools/play/frames.h"
#include "tools/play/marks.h"
#include "tools/simulation/device_body.h"
#include "tools/simulation/simulation.h"

typedef struct sn_pictures_desc {
    sn_gpu_device *device;
    const sn_model *model; /* with a surface */
    const char *name;      /* for messages */
    const sn_simulation_parameters *parameters;
    const char *out, *sheet; /* a folder, and a picture of eight frames or null */
    int frame_count, size[2];
    bool is_on_device, has_handles, has_mesh; /* where it steps; what is drawn over it */
} sn_pictures_desc;

/* Zero it; draw; read what it took; close it. */
typedef struct sn_pictures {
    const sn_pictures_desc *desc;
    sn_simulation simulation;
    sn_device_body device_body; /* with --backend gpu, of a reduced body; the simulation then has the motion alone */
    sn_stage stage;
    sn_renderer *renderer;
    sn_render_model *render_model;
    sn_render_model *solid_models[SN_SOLID_LIMIT]; /* of the simulation's solids */
    float *transforms;                             /* ((bone_count + mode_count) x 12) */
    double *step_ms, *draw_ms;                     /* (frame_count) */
    sn_frames frames;
    sn_marks markers; /* with --show-handles, --show-mesh */
} sn_pictures;

/* The desc, what it names and the arena must outlive them. */
sn_result sn_pictures_draw(sn_pictures *pictures, const sn_pictures_desc *desc, sn_arena *arena);
/* Before the device goes. Accepts ones that were not drawn; the times live as long as the arena. */
void sn_pictures_close(sn_pictures *pictures);

#endif

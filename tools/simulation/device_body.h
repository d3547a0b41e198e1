/* SPDX-License-Identifier: MIT */
/* One reduced body on a Vulkan device: read back after every step for sim --backend gpu, rendered in place for play. */
#ifndef SN_TOOLS_SIMULATION_DEVICE_BODY_H
#define SN_TOOLS_SIMULATION_DEVICE_BODY_H

#include "compute/core/timer.h"
#include "compute/reduced/reduced.h"
#include "host/reduced/view.h"
#include "tools/simulation/simulation.h"

/* Maximum number of steps in flight. */
#define SN_DEVICE_STEP_LIMIT 4

typedef struct sn_device_body {
    sn_gpu_device *device;
    sn_gpu_reduced *reduced;
    sn_gpu_timer timer; /* one time span per step in flight */
    uint32_t step_count;
    const sn_model *model;
    sn_reduced_view view; /* the model at the selected level of detail */
    int body, recovery_count;
    double time_step;
    double *pose, *pose_before;     /* (bone_count x 12) of the last two steps */
    double *morphs, *morphs_before; /* (3 pair_count x 3) rig rows of the morph pairs, of the last two steps */
    double *fields;                 /* (morph_field_count) scratch */
    double *coordinates, *velocity; /* (coordinate_count x 3) Z_n, Z_n - Z_(n-1), of the view */
    double milliseconds;            /* duration of the last step, including the wait for the device */
} sn_device_body;

/* Pose and morph weights of the rig. */
typedef struct sn_rig_pose {
    const double *bones; /* (bone_count x 12) */
    const float *morphs; /* (morph_count) weights */
} sn_rig_pose;

/* Zero it, open it, step it, close it. Opens a body at rest in `pose`. The device, the model and the arena must outlive
 * it. */
sn_result sn_device_body_open(sn_device_body *device_body, sn_gpu_device *device, const sn_model *model,
                              const sn_simulation_parameters *parameters, const sn_rig_pose *pose, sn_arena *arena);
void sn_device_body_close(sn_device_body *device_body);

/* Handles a clip that wraps around with a jump to `pose`, as sn_simulation_step does; call it before the step. */
void sn_device_body_apply_loop_jump(sn_device_body *device_body, const sn_loop *loop, const sn_rig_pose *pose);

/* Submits one step without waiting; later submissions may render its result. Collider grids are those of the first
 * step. Requires that the step SN_DEVICE_STEP_LIMIT before this one is complete. */
sn_result sn_device_body_submit(sn_device_body *device_body, const sn_rig_pose *pose,
                                const sn_surroundings *surroundings);
/* GPU time of one of the last steps, which must be complete, in ms; 0 without timestamps. */
sn_result sn_device_body_milliseconds(sn_device_body *device_body, uint32_t step, double *milliseconds);

/* Steps once and reads the result back. */
sn_result sn_device_body_step(sn_device_body *device_body, const sn_rig_pose *pose, const sn_surroundings *surroundings,
                              sn_reduced_report *report);

/* Kinetic energy of the last step, 1/2 |u_n - u_(n-1)|^2_M / h^2, in double precision. */
double sn_device_body_kinetic(const sn_device_body *device_body);

#endif

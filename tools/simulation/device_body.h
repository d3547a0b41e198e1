/* SPDX-License-Identifier: MIT */
/* One body on a Vulkan device: read back after every step for sim --backend gpu, drawn from where it is for play. */
#ifndef SN_TOOLS_SIMULATION_DEVICE_BODY_H
#define SN_TOOLS_SIMULATION_DEVICE_BODY_H

#include "compute/core/timer.h"
#include "compute/reduced/reduced.h"
#include "host/reduced/view.h"
#include "tools/simulation/simulation.h"

/* Steps that may be under way. */
#define SN_DEVICE_STEP_LIMIT 4

typedef struct sn_device_body {
    sn_gpu_device *device;
    sn_gpu_reduced *reduced;
    sn_gpu_timer timer; /* a span a step that may be under way */
    uint32_t step_count;
    const sn_model *model;
    sn_reduced_view view; /* of the level of detail */
    int body, recovery_count;
    double time_step;
    double *pose, *pose_before;     /* (bone_count x 12) of the last steps */
    double *morphs, *morphs_before; /* (3 pair_count x 3) the morph pairs' rows of the rig, likewise */
    double *fields;                 /* (morph_field_count) scratch */
    double *coordinates, *velocity; /* (coordinate_count x 3) Z_n, Z_n - Z_(n-1), of the view */
    double milliseconds;            /* of the last step, until the device had done it */
} sn_device_body;

/* Where the rig is. */
typedef struct sn_rig_pose {
    const double *bones; /* (bone_count x 12) */
    const float *morphs; /* (morph_count) weights */
} sn_rig_pose;

/* Zero it, open it, step it, close it: a body at rest in `pose`. The device, the model and the arena must outlive it.
 */
sn_result sn_device_body_open(sn_device_body *device_body, sn_gpu_device *device, const sn_model *model,
                              const sn_simulation_parameters *parameters, const sn_rig_pose *pose, sn_arena *arena);
void sn_device_body_close(sn_device_body *device_body);

/* Before a step with which a clip that jumps begins again in `pose`: as of sn_simulation_step. */
void sn_device_body_cut(sn_device_body *device_body, const sn_loop *loop, const sn_rig_pose *pose);

/* One step, which is not waited for: what is submitted next may draw it. The grids of colliders are those of the first.
 * The step before the last SN_DEVICE_STEP_LIMIT must be done. */
sn_result sn_device_body_submit(sn_device_body *device_body, const sn_rig_pose *pose,
                                const sn_surroundings *surroundings);
/* Of the device, for one of the last steps, which must be done; 0 where it has no timestamps. */
sn_result sn_device_body_milliseconds(sn_device_body *device_body, uint32_t step, double *milliseconds);

/* One step, read back. */
sn_result sn_device_body_step(sn_device_body *device_body, const sn_rig_pose *pose, const sn_surroundings *surroundings,
                              sn_reduced_report *report);

/* Of the last step's movement, 1/2 |u_n - u_(n-1)|^2_M / h^2, in double. */
double sn_device_body_kinetic(const sn_device_body *device_body);

#endif

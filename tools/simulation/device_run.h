/* SPDX-License-Identifier: MIT */
/* One position-based body on a Vulkan device, without a world: its place, and steps that are submitted there. */
#ifndef SN_TOOLS_SIMULATION_DEVICE_RUN_H
#define SN_TOOLS_SIMULATION_DEVICE_RUN_H

#include "compute/core/timer.h"
#include "compute/world/world.h"
#include "host/solver/solver.h"

/* Steps that may be under way. */
#define SN_DEVICE_RUN_STEPS 2

/* Zero it, say whether it is_single_precision, open it, step it, close it. */
typedef struct sn_device_run {
    bool is_single_precision; /* in float throughout */
    sn_gpu *gpu;              /* null: it is not open */
    void *world;
    sn_gpu_timer timer;
    uint64_t submissions[SN_DEVICE_RUN_STEPS];
    uint32_t step_count;
    int collider_count; /* reserved */
} sn_device_run;

/* The device must outlive it. */
sn_result sn_device_run_open(sn_device_run *run, sn_gpu_device *device);
/* After its body. */
void sn_device_run_close(sn_device_run *run);

/* A step of the place's one body to the pose, which is not waited for. */
sn_result sn_device_run_step(sn_device_run *run, const sn_solver_table *table, void *body, const double *pose,
                             const sn_surroundings *surroundings);
/* How long a step took, one of the last SN_DEVICE_RUN_STEPS. */
sn_result sn_device_run_milliseconds(sn_device_run *run, uint32_t step, double *milliseconds);

/* Where a vertex shader finds the body's matrices: of bones, or of bones and flesh. */
typedef struct sn_device_run_matrices {
    VkBuffer buffer;
    uint32_t first;
} sn_device_run_matrices;
sn_device_run_matrices sn_device_run_find_matrices(const void *body, bool is_flesh_drawn);
/* Its flesh is drawn from the next step on. */
sn_result sn_device_run_embed(const sn_device_run *run, void *body, const sn_embedding *embedding);

#endif

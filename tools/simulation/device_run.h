/* SPDX-License-Identifier: MIT */
/* One position-based body on a Vulkan device without a sn_world: its GPU world and its submitted steps. */
#ifndef SN_TOOLS_SIMULATION_DEVICE_RUN_H
#define SN_TOOLS_SIMULATION_DEVICE_RUN_H

#include "compute/core/timer.h"
#include "compute/world/world.h"
#include "host/solver/solver.h"

/* Maximum number of steps in flight. */
#define SN_DEVICE_RUN_STEPS 2

/* Zero it, set is_single_precision, open it, step it, close it. */
typedef struct sn_device_run {
    bool is_single_precision; /* single precision only */
    sn_gpu *gpu;              /* null if not open */
    void *world;
    sn_gpu_timer timer;
    uint64_t submissions[SN_DEVICE_RUN_STEPS];
    uint32_t step_count;
    int collider_count; /* reserved collider slots */
} sn_device_run;

/* The device must outlive the run. */
sn_result sn_device_run_open(sn_device_run *run, sn_gpu_device *device);
/* Call it after closing the body. */
void sn_device_run_close(sn_device_run *run);

/* Submits a step of the body to the pose, without waiting. */
sn_result sn_device_run_step(sn_device_run *run, const sn_solver_table *table, void *body, const double *pose,
                             const sn_surroundings *surroundings);
/* Duration of one of the last SN_DEVICE_RUN_STEPS steps, in ms. */
sn_result sn_device_run_milliseconds(sn_device_run *run, uint32_t step, double *milliseconds);

/* The body's matrices on the device for the vertex shader: bones, or bones and flesh. */
typedef struct sn_device_run_matrices {
    VkBuffer buffer;
    uint32_t first;
} sn_device_run_matrices;
sn_device_run_matrices sn_device_run_find_matrices(const void *body, bool is_flesh_drawn);
/* Renders the embedded flesh from the next step on. */
sn_result sn_device_run_embed(const sn_device_run *run, void *body, const sn_embedding *embedding);

#endif

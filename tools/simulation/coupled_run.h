/* SPDX-License-Identifier: MIT */
/* One coupled body without a world, on a thread or on a Vulkan device, whose flesh can be looked at. */
#ifndef SN_TOOLS_SIMULATION_COUPLED_RUN_H
#define SN_TOOLS_SIMULATION_COUPLED_RUN_H

#include "compute/core/timer.h"
#include "compute/world/world.h"
#include "host/coupled/coupled.h"
#include "host/solver/solver.h"

/* Steps that may be under way on a device. */
#define SN_COUPLED_RUN_STEPS 2

/* Zero it, say whether it is_single, open it, step it, close it. */
typedef struct sn_coupled_run {
    const sn_solver_table *table;
    void *work, *shared, *body; /* of the table; a device's work is its place */
    sn_coupled_body *now;       /* as it was read last */
    int bone_count;
    int sweep_count; /* of a step */
    /* on a device */
    bool is_single; /* in float throughout */
    sn_gpu *gpu;    /* or null */
    sn_gpu_timer timer;
    uint64_t submissions[SN_COUPLED_RUN_STEPS];
    uint32_t step_count;
    int collider_count, recovery_count; /* reserved; told */
} sn_coupled_run;

/* At rest in the pose; locks (bone_count). Null device: on the calling thread. It and the model must outlive it. */
sn_result sn_coupled_run_open(sn_coupled_run *run, sn_gpu_device *device, const sn_model *model,
                              const sn_solver_desc *desc, const uint8_t *locks, const double *pose);
void sn_coupled_run_close(sn_coupled_run *run);

/* A step; on a device it is submitted, and not waited for. is_sound: false where the body had to be put back; of a
 * device's the next reading says so. */
sn_result sn_coupled_run_step(sn_coupled_run *run, const double *pose, const sn_surroundings *surroundings,
                              bool *is_sound);
/* What the last step left, for what is asked below; waits for a device. bones (bone_count x 12): where they are. */
sn_result sn_coupled_run_read(sn_coupled_run *run, double *bones, bool *is_sound);

/* (vertex_count x 3) of the tets: the flesh, and as the bones skin them. */
void sn_coupled_run_positions(const sn_coupled_run *run, double *flesh, double *rig);
sn_xpbd_energy sn_coupled_run_energy(const sn_coupled_run *run);

/* Of one on a device: where a vertex shader finds its matrices, bones and modes of zeros; how long a step took, one of
 * the last SN_COUPLED_RUN_STEPS. */
VkBuffer sn_coupled_run_matrices(const sn_coupled_run *run, uint32_t *first);
sn_result sn_coupled_run_milliseconds(sn_coupled_run *run, uint32_t step, double *milliseconds);

#endif

/* SPDX-License-Identifier: MIT */
/* One coupled body without a world, on a thread or on a Vulkan device, whose flesh can be looked at. */
#ifndef SN_TOOLS_SIMULATION_COUPLED_RUN_H
#define SN_TOOLS_SIMULATION_COUPLED_RUN_H

#include "host/coupled/coupled.h"
#include "tools/simulation/device_run.h"

/* Zero it, say whether its device is_single_precision, open it, step it, close it. */
typedef struct sn_coupled_run {
    const sn_solver_table *table;
    void *work, *shared, *body; /* of the table; a device's work is its place */
    sn_coupled_body *now;       /* as it was read last */
    int bone_count;
    int sweep_count;      /* of a step */
    sn_device_run device; /* that it steps on; its gpu is null on a thread */
    int recovery_count;   /* told, on a device */
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

#endif

/* SPDX-License-Identifier: MIT */
/* One coupled body without a world, on the CPU or on a Vulkan device, with access to its flesh. */
#ifndef SN_TOOLS_SIMULATION_COUPLED_RUN_H
#define SN_TOOLS_SIMULATION_COUPLED_RUN_H

#include "host/coupled/coupled.h"
#include "tools/simulation/device_run.h"

/* Zero it, set device.is_single_precision, open it, step it, close it. */
typedef struct sn_coupled_run {
    const sn_solver_table *table;
    void *work, *shared, *body; /* objects of the solver table; on a device, work is the GPU world */
    sn_coupled_body *state;     /* state as of the last reading */
    int bone_count;
    int sweep_count;      /* sweeps per step */
    sn_device_run device; /* device.gpu is null on the CPU */
    int recovery_count;   /* recoveries already reported, on a device */
} sn_coupled_run;

/* Opens a body at rest in the pose; locks (bone_count). A null device steps on the calling thread. The device and the
 * model must outlive the run. */
sn_result sn_coupled_run_open(sn_coupled_run *run, sn_gpu_device *device, const sn_model *model,
                              const sn_solver_desc *desc, const uint8_t *locks, const double *pose);
void sn_coupled_run_close(sn_coupled_run *run);

/* Steps once; on a device the step is submitted without waiting. is_valid is false if the body had to be recovered; on
 * a device sn_coupled_run_read reports this. */
sn_result sn_coupled_run_step(sn_coupled_run *run, const double *pose, const sn_surroundings *surroundings,
                              bool *is_valid);
/* Reads the state after the last step for the functions below; waits for a device. bones (bone_count x 12): the
 * simulated bones. */
sn_result sn_coupled_run_read(sn_coupled_run *run, double *bones, bool *is_valid);

/* Tet vertex positions (vertex_count x 3): simulated, and skinned by the bones. */
void sn_coupled_run_positions(const sn_coupled_run *run, double *flesh, double *rig);
sn_xpbd_energy sn_coupled_run_energy(const sn_coupled_run *run);

#endif

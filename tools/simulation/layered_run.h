/* SPDX-License-Identifier: MIT */
/* One layered body without a world, on the CPU or on a Vulkan device, with access to its flesh. */
#ifndef SN_TOOLS_SIMULATION_LAYERED_RUN_H
#define SN_TOOLS_SIMULATION_LAYERED_RUN_H

#include "runtime/session/loop.h"
#include "tools/simulation/device_run.h"

/* Zero it, set device.is_single_precision, open it, step it, close it. */
typedef struct sn_layered_run {
    const sn_model *model;
    const sn_solver_table *table;
    void *work, *shared, *body; /* objects of the solver table; on a device, work is the GPU world */
    int sweep_count;            /* tet sweeps per step */
    sn_device_run device;       /* device.gpu is null on the CPU */
    int recovery_count;         /* recoveries already reported, on a device */
} sn_layered_run;

/* Opens a body at rest in the pose (bone_count x 12). A null device steps on the calling thread. The device and the
 * model must outlive the run. */
sn_result sn_layered_run_open(sn_layered_run *run, sn_gpu_device *device, const sn_model *model,
                              const sn_solver_desc *desc, const double *pose);
void sn_layered_run_close(sn_layered_run *run);

/* Steps once; on a device the step is submitted without waiting. is_valid is false if the body had to be recovered; on
 * a device sn_layered_run_read reports this. */
sn_result sn_layered_run_step(sn_layered_run *run, const double *pose, const sn_surroundings *surroundings,
                              bool *is_valid);
/* Reads the state; waits for a device. Returns false if the body was recovered since the last call. */
bool sn_layered_run_read(sn_layered_run *run);
/* Handles a clip that wraps around to this pose: the flesh moves with the jump, or is put at rest. */
void sn_layered_run_apply_loop_jump(sn_layered_run *run, const sn_loop *loop, const double *pose);

/* Tet vertex positions (vertex_count x 3): simulated, and by the rig alone. For the rig, vertices attached to bones
 * move rigidly with them, all others by the rig's weights. */
void sn_layered_run_flesh(const sn_layered_run *run, double *positions);
void sn_layered_rig_positions(const sn_model *model, const double *pose, double *positions);
sn_body_motion sn_layered_run_motion(const sn_layered_run *run);

#endif

/* SPDX-License-Identifier: MIT */
/* One layered body without a world, on a thread or on a Vulkan device, whose flesh can be looked at. */
#ifndef SN_TOOLS_SIMULATION_LAYERED_RUN_H
#define SN_TOOLS_SIMULATION_LAYERED_RUN_H

#include "runtime/session/loop.h"
#include "tools/simulation/device_run.h"

/* Zero it, say whether its device is_single_precision, open it, step it, close it. */
typedef struct sn_layered_run {
    const sn_model *model;
    const sn_solver_table *table;
    void *work, *shared, *body; /* of the table; a device's work is its place */
    int sweep_count;            /* of a step over the tets */
    sn_device_run device;       /* that it steps on; its gpu is null on a thread */
    int recovery_count;         /* told, on a device */
} sn_layered_run;

/* At rest in the pose (bone_count x 12). Null device: on the calling thread. It and the model must outlive it. */
sn_result sn_layered_run_open(sn_layered_run *run, sn_gpu_device *device, const sn_model *model,
                              const sn_solver_desc *desc, const double *pose);
void sn_layered_run_close(sn_layered_run *run);

/* A step; on a device it is submitted, and not waited for. is_sound: false where the body had to be put back; of a
 * device's, looking says so. */
sn_result sn_layered_run_step(sn_layered_run *run, const double *pose, const sn_surroundings *surroundings,
                              bool *is_sound);
/* Waits for a device. False where its body has been put back since it was looked at. */
bool sn_layered_run_look(sn_layered_run *run);
/* Where a clip begins again, in this pose: with the flesh moved as the clip jumps, or at rest. */
void sn_layered_run_cut(sn_layered_run *run, const sn_loop *loop, const double *pose);

/* (vertex_count x 3) of the tets: the flesh; and in a pose the rig alone: what bones carry, as they do, the rest by the
 * rig's weights. */
void sn_layered_run_flesh(const sn_layered_run *run, double *positions);
void sn_layered_rig_positions(const sn_model *model, const double *pose, double *positions);
sn_body_motion sn_layered_run_motion(const sn_layered_run *run);

#endif

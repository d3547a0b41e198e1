/* SPDX-License-Identifier: MIT */
/* Layered bodies on the device: the twin of host/layered, on top of compute/xpbd. Bones go from where they were to the
 * step's pose on the device, which is told both and no more: rotations and stretches apart, as on the CPU, substep by
 * substep, and the vertices that they carry with them. Flesh stays there; what draws it is compute/xpbd/embedded.h.
 *
 * Everything is done in the CPU's order and precision, so that float bodies of the CPU of the same model end in the
 * same bits wherever a device's arithmetic is exact (as software Vulkan's is). A model should be coloured
 * (sn_layered_desc.is_coloured): along the curve few tets may be solved at once. In float throughout
 * (sn_gpu_xpbd_desc.is_single, and on devices without doubles) bones and what they carry round as floats do.
 *
 * Recordings and waits are as in compute/xpbd/xpbd.h: what may wait is not for the time between a recording and its
 * submission. */
#ifndef SN_COMPUTE_LAYERED_LAYERED_H
#define SN_COMPUTE_LAYERED_LAYERED_H

#include "compute/xpbd/xpbd.h"
#include "host/layered/layered.h"
#include "host/model/model.h"

typedef struct sn_gpu_layered sn_gpu_layered;
sn_result sn_gpu_layered_create(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc, sn_gpu_layered **layered);
/* Waits for the device. Nulls the pointer; accepts null. */
void sn_gpu_layered_destroy(sn_gpu_layered **layered);

/* Uploads a model, which must outlive `layered`. Waits for the device. */
sn_result sn_gpu_layered_add_model(sn_gpu_layered *layered, const sn_layered_model *model, int *index);

/* The skin of a cooked model that the model was made of: samples of its surface, which feel wind. Waits for the device;
 * before its bodies. */
sn_result sn_gpu_layered_set_skin(sn_gpu_layered *layered, int model, const sn_model *cooked);

/* At rest in the pose (bone_count x 12); null: at rest. Its index is free again once it is removed. Waits for the
 * device. Settings in float. */
sn_result sn_gpu_layered_add_body(sn_gpu_layered *layered, int model, const sn_layered_settings *settings,
                                  const double *pose, int *body);
void sn_gpu_layered_remove_body(sn_gpu_layered *layered, int body);

/* The state stays. May wait for the device. */
sn_result sn_gpu_layered_set_settings(sn_gpu_layered *layered, int body, const sn_layered_settings *settings);
/* Where the next steps' bones go (bone_count x 12). False where the pose is not finite: they stay. */
bool sn_gpu_layered_set_pose(sn_gpu_layered *layered, int body, const double *pose);
/* The air's velocity around a body whose model has a skin, from the next step on, and how many times as heavy it is as
 * its flesh says. */
void sn_gpu_layered_set_wind(sn_gpu_layered *layered, int body, const double *wind, double mass);
/* As those of host/layered. Waits for the device. */
sn_result sn_gpu_layered_reset(sn_gpu_layered *layered, int body, const double *pose);

/* Its bodies have the same indices: surroundings, soft pins, impulses, statuses. Not its settings, steps or resets. */
sn_gpu_xpbd *sn_gpu_layered_flesh(sn_gpu_layered *layered);

/* Records one step of all bodies, as sn_gpu_xpbd_record_step. */
void sn_gpu_layered_record_step(sn_gpu_layered *layered, VkCommandBuffer commands);
/* Bones' matrices (bone_count x 12) at a fraction of the way between the last two recorded steps: known here. */
void sn_gpu_layered_bones(const sn_gpu_layered *layered, int body, double fraction, float *matrices);

/* What the last submitted recording left: a body of the CPU of the same model takes everything but settings; null: the
 * reading alone, which may be null. Waits for the device. */
sn_result sn_gpu_layered_get(sn_gpu_layered *layered, int body, sn_layered_body *to, sn_gpu_xpbd_reading *reading);
/* The other way, settings too. Waits for the device. */
sn_result sn_gpu_layered_put(sn_gpu_layered *layered, int body, const sn_layered_body *from);

#endif

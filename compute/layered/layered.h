/* SPDX-License-Identifier: MIT */
/* Layered bodies on the device: the implementation of host/layered, on top of compute/xpbd. The host sends the bone
 * poses at both ends of a step; the device interpolates them in each substep, with rotations and stretches separate as
 * on the CPU, and moves the vertices that are attached to bones. The flesh stays on the device; it is rendered by
 * compute/xpbd/embedded.h.
 *
 * All operations have the CPU's order and precision, so that results equal those of the CPU's float bodies of the same
 * model bit by bit, where the device's arithmetic is exact (as in software Vulkan). A model should be coloured
 * (sn_layered_desc.is_coloured); otherwise few tets can be solved in parallel. In single precision
 * (sn_gpu_xpbd_desc.is_single_precision, or a device without doubles) bones and attached vertices are rounded to float.
 *
 * Recordings and waits are as in compute/xpbd/xpbd.h: functions that may wait are not allowed between a recording and
 * its submission. */
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

/* Sets the skin of the cooked model that the model was created from: surface samples that wind acts on. Call before
 * adding its bodies. Waits for the device. */
sn_result sn_gpu_layered_set_skin(sn_gpu_layered *layered, int model, const sn_model *cooked);

/* Adds a body at rest in the pose (bone_count x 12); null: the rest pose. Its index is reused after removal. Waits for
 * the device. Settings with is_double are not supported. */
sn_result sn_gpu_layered_add_body(sn_gpu_layered *layered, int model, const sn_layered_settings *settings,
                                  const double *pose, int *body);
void sn_gpu_layered_remove_body(sn_gpu_layered *layered, int body);

/* The state stays. May wait for the device. */
sn_result sn_gpu_layered_set_settings(sn_gpu_layered *layered, int body, const sn_layered_settings *settings);
/* Sets the bone pose (bone_count x 12) of the following steps. Returns false and keeps the last one if the pose is not
 * finite. */
bool sn_gpu_layered_set_pose(sn_gpu_layered *layered, int body, const double *pose);
/* Sets the wind velocity around a body whose model has a skin, from the next step on, and the body's mass relative to
 * its flesh's own. */
void sn_gpu_layered_set_wind(sn_gpu_layered *layered, int body, const double *wind, double mass);
/* As sn_layered_body_reset. Waits for the device. */
sn_result sn_gpu_layered_reset(sn_gpu_layered *layered, int body, const double *pose);

/* The position-based solver of the flesh, with the same body indices: for surroundings, soft pins, impulses and
 * statuses. Do not use its settings, steps or resets. */
sn_gpu_xpbd *sn_gpu_layered_flesh(sn_gpu_layered *layered);

/* Records one step of all bodies, as sn_gpu_xpbd_record_step. */
void sn_gpu_layered_record_step(sn_gpu_layered *layered, VkCommandBuffer commands);
/* Bone matrices (bone_count x 12), interpolated between the last two recorded steps; computed on the host. */
void sn_gpu_layered_bones(const sn_gpu_layered *layered, int body, double fraction, float *matrices);

/* Downloads the result of the last submitted recording, except the settings, to a CPU body of the same model; null:
 * only the reading, which may be null. Waits for the device. */
sn_result sn_gpu_layered_download(sn_gpu_layered *layered, int body, sn_layered_body *to, sn_gpu_xpbd_reading *reading);
/* Uploads a CPU body including its settings. Waits for the device. */
sn_result sn_gpu_layered_upload(sn_gpu_layered *layered, int body, const sn_layered_body *from);

#endif

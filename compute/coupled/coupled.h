/* SPDX-License-Identifier: MIT */
/* Coupled bodies on the device: the twin of host/coupled, on top of compute/xpbd. A body that one workgroup takes goes
 * through all substeps of a step in one dispatch: sweep, fit, projection, contacts, velocities. Of larger ones the
 * coupling is a dispatch of its own in each substep. Skinning matrices lie where the vertex shader reads them.
 *
 * What the CPU does over vertices in float is done in float; the small systems of handles, and what goes into them, are
 * in double, as on the CPU: the residual of the fit is a small difference of large sums, and the same order and
 * precision give the same bits as the CPU wherever a device's arithmetic is exact (as software Vulkan's is), so that
 * whatever the CPU's tests say of stability holds for the device. Without doubles (sn_gpu_xpbd_desc.is_single, and on
 * devices that have none) all of that is in float, and bodies part from the CPU's by what that rounds. There are no
 * sines in it. What locks make constant is prepared on the CPU, once for all bodies with the same locks, compliances
 * and settings.
 *
 * Recordings and waits are as in compute/xpbd/xpbd.h: what may wait is not for the time between a recording and its
 * submission. */
#ifndef SN_COMPUTE_COUPLED_COUPLED_H
#define SN_COMPUTE_COUPLED_COUPLED_H

#include "compute/xpbd/xpbd.h"
#include "host/coupled/coupled.h"
#include "host/model/model.h"

typedef struct sn_gpu_coupled sn_gpu_coupled;
sn_result sn_gpu_coupled_create(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc, sn_gpu_coupled **coupled);
/* Waits for the device. Nulls the pointer; accepts null. */
void sn_gpu_coupled_destroy(sn_gpu_coupled **coupled);

/* Uploads a rig and its model, which must outlive `coupled`. Waits for the device. */
sn_result sn_gpu_coupled_add_rig(sn_gpu_coupled *coupled, const sn_coupled_rig *rig, int *index);

/* Matrices of zeros after those of its bodies, from the next body on: modes, where a vertex shader asks for some. */
void sn_gpu_coupled_set_empty_matrices(sn_gpu_coupled *coupled, int rig, int count);

/* The skin of a model that the rig was made for, or none: samples of its surface, which feel wind. Waits for the
 * device, as adding a rig does; before its bodies. */
sn_result sn_gpu_coupled_set_skin(sn_gpu_coupled *coupled, int rig, const sn_model *model);

/* At rest, all handles free; its index is free again once it is removed. Waits for the device. Settings in float. */
sn_result sn_gpu_coupled_add_body(sn_gpu_coupled *coupled, int rig, const sn_coupled_settings *settings, int *body);
void sn_gpu_coupled_remove_body(sn_gpu_coupled *coupled, int body);

/* As those of host/coupled. Those with a result may wait for the device: where a system is needed that no body has had,
 * and where handles have moved since they were last read. */
sn_result sn_gpu_coupled_set_settings(sn_gpu_coupled *coupled, int body, const sn_coupled_settings *settings);
sn_result sn_gpu_coupled_set_rig(sn_gpu_coupled *coupled, int body, int rig, const int32_t *from);
sn_result sn_gpu_coupled_set_locks(sn_gpu_coupled *coupled, int body, int handle, unsigned locks);
unsigned sn_gpu_coupled_locks(const sn_gpu_coupled *coupled, int body, int handle);
void sn_gpu_coupled_set_target(sn_gpu_coupled *coupled, int body, int handle, const double *transform);
sn_result sn_gpu_coupled_set_compliance(sn_gpu_coupled *coupled, int body, int handle, double compliance);
sn_result sn_gpu_coupled_reset(sn_gpu_coupled *coupled, int body);
sn_result sn_gpu_coupled_teleport(sn_gpu_coupled *coupled, int body, const double *transform);
/* Its flesh goes on as an edited copy of its model, as sn_gpu_xpbd_edit_body. */
sn_result sn_gpu_coupled_edit_flesh(sn_gpu_coupled *coupled, int body, const sn_xpbd_model *edited);
/* The air's velocity around a body whose rig has a skin, from the next step on, and how many times as heavy it is as
 * its flesh says. */
void sn_gpu_coupled_set_wind(sn_gpu_coupled *coupled, int body, const double *wind, double mass);
/* Exact pins (stiffness INFINITY) are in the systems; soft ones are the flesh's alone. */
sn_result sn_gpu_coupled_pin(sn_gpu_coupled *coupled, int body, int vertex, double stiffness);
sn_result sn_gpu_coupled_unpin(sn_gpu_coupled *coupled, int body, int vertex);

/* Its bodies have the same indices: soft pins, impulses, surroundings, statuses. Not its settings, steps, resets or
 * exact pins. */
sn_gpu_xpbd *sn_gpu_coupled_flesh(sn_gpu_coupled *coupled);

/* Records one step of all bodies, as sn_gpu_xpbd_record_step. */
void sn_gpu_coupled_record_step(sn_gpu_coupled *coupled, VkCommandBuffer commands);
/* The matrices, (handle_count x 12) floats a body, at a fraction of the way between the last two steps. */
void sn_gpu_coupled_record_matrices(sn_gpu_coupled *coupled, VkCommandBuffer commands, double fraction);
/* Another buffer takes its place when bodies are added. First matrix: in units of 12 floats. */
const sn_gpu_buffer *sn_gpu_coupled_matrices(const sn_gpu_coupled *coupled);
uint32_t sn_gpu_coupled_first_matrix(const sn_gpu_coupled *coupled, int body);

/* What the last submitted recording left. Waits for the device. Transforms (handle_count x 12) as
 * sn_coupled_body_transforms, after the last step and, unless null, the one before it. */
sn_result sn_gpu_coupled_transforms(sn_gpu_coupled *coupled, int body, double *transforms, double *before);
sn_result sn_gpu_coupled_impulse(sn_gpu_coupled *coupled, int body, int handle, double *impulse);
/* A body of the CPU of the same rig takes everything but settings; null: the reading alone, which may be null. */
sn_result sn_gpu_coupled_get(sn_gpu_coupled *coupled, int body, sn_coupled_body *to, sn_gpu_xpbd_reading *reading);
/* The other way, settings too. Both of the last two steps are then where it is. */
sn_result sn_gpu_coupled_put(sn_gpu_coupled *coupled, int body, const sn_coupled_body *from);
/* After that: where the last step and the one before it had the handles, for what is shown. */
void sn_gpu_coupled_put_shown(sn_gpu_coupled *coupled, int body, const double *transforms, const double *before);

#endif

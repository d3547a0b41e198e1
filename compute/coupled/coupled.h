/* SPDX-License-Identifier: MIT */
/* Coupled bodies on the device: the implementation of host/coupled, on top of compute/xpbd. A body that is processed by
 * one workgroup does all substeps of a step in one dispatch: sweep, fit, projection, contacts, velocities. For larger
 * bodies the coupling is a separate dispatch in each substep. Skinning matrices are written to a buffer for the vertex
 * shader.
 *
 * Sums over vertices that the CPU computes in float are in float here. The small systems of handles and their inputs
 * are in double, as on the CPU: the residual of the fit is a small difference of large sums. The same order and
 * precision give the same bits as the CPU where the device's arithmetic is exact (as in software Vulkan), so the
 * stability that the CPU's tests establish holds for the device. Without doubles (sn_gpu_xpbd_desc.is_single_precision,
 * or a device without shaderFloat64) everything is in float, and results differ by the rounding. No trigonometric
 * functions are used. Data that depends on locks is prepared on the CPU, once for all bodies with the same locks,
 * compliances and settings.
 *
 * Recordings and waits are as in compute/xpbd/xpbd.h: functions that may wait are not allowed between a recording and
 * its submission. */
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

/* Adds zero matrices after those of the rig's bodies, for modes that a vertex shader expects. Affects bodies added
 * later. */
void sn_gpu_coupled_set_empty_matrices(sn_gpu_coupled *coupled, int rig, int count);

/* Sets the skin of a model that matches the rig: surface samples that wind acts on. Call before adding its bodies.
 * Waits for the device. */
sn_result sn_gpu_coupled_set_skin(sn_gpu_coupled *coupled, int rig, const sn_model *model);

/* Adds a body at rest with all handles free. Its index is reused after removal. Waits for the device. Settings with
 * is_double are not supported. */
sn_result sn_gpu_coupled_add_body(sn_gpu_coupled *coupled, int rig, const sn_coupled_settings *settings, int *body);
void sn_gpu_coupled_remove_body(sn_gpu_coupled *coupled, int body);

/* As the functions of host/coupled. Those with a result may wait for the device: if a new system is needed, or if
 * handles have moved since they were last read. */
sn_result sn_gpu_coupled_set_settings(sn_gpu_coupled *coupled, int body, const sn_coupled_settings *settings);
sn_result sn_gpu_coupled_set_rig(sn_gpu_coupled *coupled, int body, int rig, const int32_t *from);
sn_result sn_gpu_coupled_set_locks(sn_gpu_coupled *coupled, int body, int handle, unsigned locks);
unsigned sn_gpu_coupled_locks(const sn_gpu_coupled *coupled, int body, int handle);
void sn_gpu_coupled_set_target(sn_gpu_coupled *coupled, int body, int handle, const double *transform);
sn_result sn_gpu_coupled_set_compliance(sn_gpu_coupled *coupled, int body, int handle, double compliance);
sn_result sn_gpu_coupled_reset(sn_gpu_coupled *coupled, int body);
sn_result sn_gpu_coupled_teleport(sn_gpu_coupled *coupled, int body, const double *transform);
/* Switches the flesh to an edited copy of its model, as sn_gpu_xpbd_edit_body. */
sn_result sn_gpu_coupled_edit_flesh(sn_gpu_coupled *coupled, int body, const sn_xpbd_model *edited);
/* Sets the wind velocity around a body whose rig has a skin, from the next step on, and the body's mass relative to its
 * flesh's own. */
void sn_gpu_coupled_set_wind(sn_gpu_coupled *coupled, int body, const double *wind, double mass);
/* Hard pins (stiffness INFINITY) are part of the systems; soft pins concern the flesh only. */
sn_result sn_gpu_coupled_pin(sn_gpu_coupled *coupled, int body, int vertex, double stiffness);
sn_result sn_gpu_coupled_unpin(sn_gpu_coupled *coupled, int body, int vertex);

/* The position-based solver of the flesh, with the same body indices: for soft pins, impulses, surroundings and
 * statuses. Do not use its settings, steps, resets or hard pins. */
sn_gpu_xpbd *sn_gpu_coupled_flesh(sn_gpu_coupled *coupled);

/* Records one step of all bodies, as sn_gpu_xpbd_record_step. */
void sn_gpu_coupled_record_step(sn_gpu_coupled *coupled, VkCommandBuffer commands);
/* Records the matrices, (handle_count x 12) floats per body, interpolated between the last two steps. */
void sn_gpu_coupled_record_matrices(sn_gpu_coupled *coupled, VkCommandBuffer commands, double fraction);
/* The buffer changes when bodies are added. First matrix: in units of 12 floats. */
const sn_gpu_buffer *sn_gpu_coupled_matrices(const sn_gpu_coupled *coupled);
uint32_t sn_gpu_coupled_first_matrix(const sn_gpu_coupled *coupled, int body);

/* Results of the last submitted recording. Waits for the device. Transforms (handle_count x 12) as
 * sn_coupled_body_transforms, after the last step and, unless null, before it. */
sn_result sn_gpu_coupled_transforms(sn_gpu_coupled *coupled, int body, double *transforms, double *before);
sn_result sn_gpu_coupled_impulse(sn_gpu_coupled *coupled, int body, int handle, double *impulse);
/* Downloads everything but the settings to a CPU body of the same rig; null: only the reading, which may be null. */
sn_result sn_gpu_coupled_download(sn_gpu_coupled *coupled, int body, sn_coupled_body *to, sn_gpu_xpbd_reading *reading);
/* Uploads a CPU body including its settings. The states of both of the last two steps are then equal to it. */
sn_result sn_gpu_coupled_upload(sn_gpu_coupled *coupled, int body, const sn_coupled_body *from);
/* Call after sn_gpu_coupled_upload: sets the handle transforms of the last two steps, for interpolation. */
void sn_gpu_coupled_set_output_transforms(sn_gpu_coupled *coupled, int body, const double *transforms,
                                          const double *before);

#endif

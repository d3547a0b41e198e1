/* SPDX-License-Identifier: MIT */
/* Position-based bodies on the device: the implementation of host/xpbd. Bodies whose displacements fit into shared
 * memory, and large numbers of bigger ones, take one workgroup each and all substeps in one dispatch. A few large
 * bodies take a dispatch for every part of a substep. Nothing is read back.
 *
 * Constraints that share no vertex are solved in parallel, in runs that preserve the order of the CPU's sweep. All
 * other operations have the CPU's order and precision. Hence, where the device's additions, multiplications, divisions
 * and roots are exact, as in software Vulkan, the results equal those of the CPU's float bodies bit by bit (except for
 * numbers below 1e-38, which devices may flush to 0). With is_single_precision the results agree, but not bit by bit. A
 * model should be coloured (sn_xpbd_desc.is_coloured); otherwise runs are short. On one device, the same calls give the
 * same bits, independent of the other bodies and of the division into dispatches.
 *
 * Functions that may wait for the device and reallocate buffers say so. They are not allowed between a recording and
 * its submission. Recorded commands must be submitted in the order of recording. */
#ifndef SN_COMPUTE_XPBD_XPBD_H
#define SN_COMPUTE_XPBD_XPBD_H

#include "compute/core/grids.h"
#include "host/xpbd/xpbd.h"

/* Which bodies take several dispatches per substep. The results are the same. */
typedef enum sn_gpu_xpbd_split {
    SN_GPU_XPBD_SPLIT_FEW, /* large bodies that are too few to occupy the device */
    SN_GPU_XPBD_SPLIT_ALL,
    SN_GPU_XPBD_SPLIT_NONE /* for comparison: sweeps beyond the loop limit of software Vulkan are skipped */
} sn_gpu_xpbd_split;

typedef struct sn_gpu_xpbd_desc {
    int recording_limit; /* recordings in flight on the device; the caller waits for older ones */
    int dispatch_sweeps; /* maximum sweeps of a body per dispatch; 0: the loop limit of software Vulkan */
    int shared_bytes;    /* maximum shared memory for a body's displacements; 0: what 32 KiB leave for it */
    sn_gpu_xpbd_split split;
    bool is_single_precision; /* single precision throughout, as on devices without shaderFloat64 */
} sn_gpu_xpbd_desc;

/* recording_limit = 4. */
sn_gpu_xpbd_desc sn_default_gpu_xpbd_desc(void);

/* Models and bodies on one device. The device must outlive it. */
typedef struct sn_gpu_xpbd sn_gpu_xpbd;
sn_result sn_gpu_xpbd_create(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc, sn_gpu_xpbd **xpbd);
/* Waits for the device. Nulls the pointer; accepts null. */
void sn_gpu_xpbd_destroy(sn_gpu_xpbd **xpbd);

/* Uploads a model, which must outlive `xpbd`. Waits for the device. SN_ERROR_UNSUPPORTED beyond 400,000 vertices. */
sn_result sn_gpu_xpbd_add_model(sn_gpu_xpbd *xpbd, const sn_xpbd_model *model, int *index);
/* Call after edits of the model: uploads all of its constraints for all of its bodies, whose states stay. Waits for the
 * device. */
sn_result sn_gpu_xpbd_update_model(sn_gpu_xpbd *xpbd, int model);

/* Switches one body to an edited copy of its model (sn_xpbd_body_editable_model), which must outlive the body or the
 * next call. Call again after each edit of the copy. Otherwise as update_model. */
sn_result sn_gpu_xpbd_edit_body(sn_gpu_xpbd *xpbd, int body, const sn_xpbd_model *edited);

/* Adds a body at rest. Its index is reused after removal. Waits for the device. Settings with is_double are not
 * supported. */
sn_result sn_gpu_xpbd_add_body(sn_gpu_xpbd *xpbd, int model, const sn_xpbd_settings *settings, int *body);
void sn_gpu_xpbd_remove_body(sn_gpu_xpbd *xpbd, int body);
/* The state stays. May wait for the device when sweep_count exceeds 1 for the first time. */
sn_result sn_gpu_xpbd_set_settings(sn_gpu_xpbd *xpbd, int body, const sn_xpbd_settings *settings);

/* As the functions of host/xpbd. Pinning a vertex of a body that has stepped reads back its position and waits for the
 * device; more pins or impulses than ever before, over all bodies, may also wait. SN_ERROR_UNSUPPORTED beyond
 * SN_GPU_XPBD_PIN_LIMIT pins of a body, or the same number of impulses between two steps. */
#define SN_GPU_XPBD_PIN_LIMIT 10000
sn_result sn_gpu_xpbd_pin(sn_gpu_xpbd *xpbd, int body, int vertex, double stiffness);
void sn_gpu_xpbd_unpin(sn_gpu_xpbd *xpbd, int body, int vertex);
void sn_gpu_xpbd_move_pin(sn_gpu_xpbd *xpbd, int body, int vertex, const double *position);
sn_result sn_gpu_xpbd_apply_impulse(sn_gpu_xpbd *xpbd, int body, int vertex, const double *impulse);
void sn_gpu_xpbd_reset(sn_gpu_xpbd *xpbd, int body);

/* Sets the colliders of a body for all following steps; null: none. They are copied except for their grids, which are
 * uploaded and must outlive their use. Bodies with equal colliders and substep counts share one upload. More colliders
 * than ever before, and new grids, may wait for the device. SN_ERROR_UNSUPPORTED beyond SN_GPU_XPBD_COLLIDER_LIMIT. */
#define SN_GPU_XPBD_COLLIDER_LIMIT 10000
sn_result sn_gpu_xpbd_set_surroundings(sn_gpu_xpbd *xpbd, int body, const sn_surroundings *surroundings);
/* Reserves memory for `count` moving colliders that all bodies with the same substep count share, so that setting them
 * does not wait, even between a recording and its submission. */
sn_result sn_gpu_xpbd_reserve_colliders(sn_gpu_xpbd *xpbd, int count);
/* Call before colliders use a grid at the address of a destroyed one. */
sn_result sn_gpu_xpbd_add_grid(sn_gpu_xpbd *xpbd, const sn_grid *grid);
/* Copies the grids of another solver of the device, before any grid is added. Waits for the device. */
sn_result sn_gpu_xpbd_copy_grids(sn_gpu_xpbd *xpbd, const sn_gpu_grids *grids, const sn_gpu_buffer *buffer);

/* Records one step of all bodies. Includes barriers against shader accesses of earlier commands and for those of later
 * ones. Outside of rendering. */
void sn_gpu_xpbd_record_step(sn_gpu_xpbd *xpbd, VkCommandBuffer commands);
/* Number of dispatches of the last recording. */
int sn_gpu_xpbd_dispatch_count(const sn_gpu_xpbd *xpbd);

typedef struct sn_gpu_xpbd_reading {
    sn_xpbd_report report; /* of the last step */
    int recovery_count;    /* since the body was added */
} sn_gpu_xpbd_reading;
/* Downloads the result of the last submitted recording: positions, velocities and pins, but not the settings, to a CPU
 * body of the same model or a copy of it; null: only the reading, which may be null. Waits for the device. */
sn_result sn_gpu_xpbd_download(sn_gpu_xpbd *xpbd, int body, sn_xpbd_body *to, sn_gpu_xpbd_reading *reading);
/* Uploads the state of a CPU body, e.g. to teleport a body or to set positions and velocities. Waits for the device. */
sn_result sn_gpu_xpbd_upload(sn_gpu_xpbd *xpbd, int body, const sn_xpbd_body *from);

/* Displacements of all bodies' rows from rest, a vec4 each (w is internal), and a body's first row: row r is vertex
 * order[r] of its model, at origin + rest + displacement. The origin is in the status (shaders/shared/xpbd.h), indexed
 * by body. Buffers change when bodies are added. */
const sn_gpu_buffer *sn_gpu_xpbd_displacements(const sn_gpu_xpbd *xpbd);
const sn_gpu_buffer *sn_gpu_xpbd_statuses(const sn_gpu_xpbd *xpbd);
uint32_t sn_gpu_xpbd_first_row(const sn_gpu_xpbd *xpbd, int body);

#endif

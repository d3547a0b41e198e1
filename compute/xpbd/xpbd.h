/* SPDX-License-Identifier: MIT */
/* Position-based bodies on the device: the twin of host/xpbd. Bodies whose displacements fit into shared memory, and
 * crowds of larger ones, take one workgroup each and all substeps in one dispatch; few large ones a dispatch for every
 * part of a substep. Nothing is read back.
 *
 * Constraints that share no vertex are solved at once, in runs that keep the order of the CPU's sweep, and everything
 * else is done in its order and precision. So where the device's additions, multiplications, divisions and roots are
 * exact, as those of software Vulkan are, float bodies of the CPU end in the same bits (but for numbers below 1e-38,
 * which devices may take for 0). In float throughout they keep to what they do, but not to the bits. A model should be
 * coloured (sn_xpbd_desc.is_coloured): along the curve runs are short. The same calls give the same bits on one device,
 * whatever bodies stand beside one, and however a step is cut into dispatches.
 *
 * What may wait for the device and replace buffers, which each function says, is not for the time between a recording
 * and its submission. What is recorded must be submitted, in the order of recording. */
#ifndef SN_COMPUTE_XPBD_XPBD_H
#define SN_COMPUTE_XPBD_XPBD_H

#include "compute/core/memory.h"
#include "host/xpbd/xpbd.h"

/* Which bodies take several dispatches a substep. The results are the same. */
typedef enum sn_gpu_xpbd_split {
    SN_GPU_XPBD_SPLIT_FEW, /* large ones, where they are so few that the device would idle */
    SN_GPU_XPBD_SPLIT_ALL,
    SN_GPU_XPBD_SPLIT_NONE /* for comparison: what software Vulkan cannot loop through is left undone */
} sn_gpu_xpbd_split;

typedef struct sn_gpu_xpbd_desc {
    int recording_limit; /* recordings that may be under way on the device; the caller waits for older ones */
    int dispatch_sweeps; /* at most, of a body in one dispatch. 0: as many as software Vulkan can loop */
    int shared_bytes;    /* at most, of shared memory for a body's displacements. 0: 31 KiB */
    sn_gpu_xpbd_split split;
    bool
        is_single; /* in float throughout, as on a device that has no doubles (shaderFloat64): where doubles are slow */
} sn_gpu_xpbd_desc;

/* 4 recordings. */
sn_gpu_xpbd_desc sn_default_gpu_xpbd_desc(void);

/* Models and bodies on one device, which must outlive it. */
typedef struct sn_gpu_xpbd sn_gpu_xpbd;
sn_result sn_gpu_xpbd_create(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc, sn_gpu_xpbd **xpbd);
/* Waits for the device. Nulls the pointer; accepts null. */
void sn_gpu_xpbd_destroy(sn_gpu_xpbd **xpbd);

/* Uploads a model, which must outlive `xpbd`. Waits for the device. SN_ERROR_UNSUPPORTED beyond 400 thousand vertices.
 */
sn_result sn_gpu_xpbd_add_model(sn_gpu_xpbd *xpbd, const sn_xpbd_model *model, int *index);
/* After edits of the model: bodies follow, and their state stays. Waits for the device; uploads all of its
 * constraints. */
sn_result sn_gpu_xpbd_update_model(sn_gpu_xpbd *xpbd, int model);

/* One body alone goes on with an edited copy of its model (sn_xpbd_body_own_model), which must live as long as it, or
 * until it is told of another; again after each edit of the copy. As update_model. */
sn_result sn_gpu_xpbd_edit_body(sn_gpu_xpbd *xpbd, int body, const sn_xpbd_model *edited);

/* A body at rest; its index is free again once it is removed. Waits for the device. Settings are in float. */
sn_result sn_gpu_xpbd_add_body(sn_gpu_xpbd *xpbd, int model, const sn_xpbd_settings *settings, int *body);
void sn_gpu_xpbd_remove_body(sn_gpu_xpbd *xpbd, int body);
/* The state stays. May wait for the device, where there are more sweeps than one for the first time. */
sn_result sn_gpu_xpbd_set_settings(sn_gpu_xpbd *xpbd, int body, const sn_xpbd_settings *settings);

/* As those of host/xpbd. Pinning a vertex of a body that has stepped reads its place, and waits for the device; more
 * pins or impulses than ever before, over all bodies, may wait, too. SN_ERROR_UNSUPPORTED beyond
 * SN_GPU_XPBD_PIN_LIMIT pins of a body, or as many impulses between two steps. */
#define SN_GPU_XPBD_PIN_LIMIT 10000
sn_result sn_gpu_xpbd_pin(sn_gpu_xpbd *xpbd, int body, int vertex, double stiffness);
void sn_gpu_xpbd_unpin(sn_gpu_xpbd *xpbd, int body, int vertex);
void sn_gpu_xpbd_move_pin(sn_gpu_xpbd *xpbd, int body, int vertex, const double *position);
sn_result sn_gpu_xpbd_apply_impulse(sn_gpu_xpbd *xpbd, int body, int vertex, const double *impulse);
void sn_gpu_xpbd_reset(sn_gpu_xpbd *xpbd, int body);

/* The colliders around a body, for all steps until they are set again; null: none. They are copied but for their grids,
 * which are uploaded and must live as long as a body has them: bodies with the same colliders and as many substeps
 * share one upload. More than ever before, and the first grids, may wait for the device. SN_ERROR_UNSUPPORTED beyond
 * SN_GPU_XPBD_COLLIDER_LIMIT. */
#define SN_GPU_XPBD_COLLIDER_LIMIT 10000
sn_result sn_gpu_xpbd_set_surroundings(sn_gpu_xpbd *xpbd, int body, const sn_surroundings *surroundings);
/* Room for as many colliders as any bodies will have, which all move and are the same for all bodies with as many
 * substeps: setting them then waits for nothing, also between a recording and its submission. */
sn_result sn_gpu_xpbd_reserve_colliders(sn_gpu_xpbd *xpbd, int count);
/* Before a body's colliders have a grid that came to the address of another. */
sn_result sn_gpu_xpbd_add_grid(sn_gpu_xpbd *xpbd, const sn_grid *grid);

/* Records one step of all bodies. Waits for writes and reads of earlier commands' shaders, and is ready for shaders of
 * later ones. Outside of rendering. */
void sn_gpu_xpbd_record_step(sn_gpu_xpbd *xpbd, VkCommandBuffer commands);
/* Dispatches of the last recording. */
int sn_gpu_xpbd_dispatch_count(const sn_gpu_xpbd *xpbd);

typedef struct sn_gpu_xpbd_reading {
    sn_xpbd_report report; /* of the last step */
    int recovery_count;    /* since the body was added */
} sn_gpu_xpbd_reading;
/* What the last submitted recording left: a body of the CPU of the same model, or a copy, takes places, velocities and
 * pins, but not settings; null: the reading alone, which may be null. Waits for the device. */
sn_result sn_gpu_xpbd_get(sn_gpu_xpbd *xpbd, int body, sn_xpbd_body *to, sn_gpu_xpbd_reading *reading);
/* The other way: a body goes on where one of the CPU is. (So bodies are teleported, and places and velocities set.)
 * Waits for the device. */
sn_result sn_gpu_xpbd_put(sn_gpu_xpbd *xpbd, int body, const sn_xpbd_body *from);

/* Displacements from rest of all bodies' rows, a vec4 each (the last number is not theirs), and where a body's begin:
 * row r is vertex order[r] of its model, at origin + rest + displacement. What draws them reads the origin from the
 * statuses (shaders/shared/xpbd.h), which lie in the order of bodies' indices. Buffers change when bodies are added. */
const sn_gpu_buffer *sn_gpu_xpbd_displacements(const sn_gpu_xpbd *xpbd);
const sn_gpu_buffer *sn_gpu_xpbd_statuses(const sn_gpu_xpbd *xpbd);
uint32_t sn_gpu_xpbd_first_row(const sn_gpu_xpbd *xpbd, int body);

#endif

/* SPDX-License-Identifier: MIT */
/* Matrices of position-based bodies for vertex shaders: bone matrices and, for flesh that is rendered, a matrix at each
 * tet vertex to which the surface is bound (host/model/embedding.h). Nothing is read back. For interpolation, the flesh
 * of such bodies is copied before each step. */
#ifndef SN_COMPUTE_XPBD_EMBEDDED_H
#define SN_COMPUTE_XPBD_EMBEDDED_H

#include "compute/xpbd/xpbd.h"
#include "host/model/embedding.h"

/* Embedded surfaces of the bodies of one position-based solver, which must outlive it. */
typedef struct sn_gpu_embedded sn_gpu_embedded;
sn_result sn_gpu_embedded_create(sn_gpu_device *device, sn_gpu_xpbd *xpbd, int recording_limit,
                                 sn_gpu_embedded **embedded);
/* Waits for the device. Nulls the pointer; accepts null. */
void sn_gpu_embedded_destroy(sn_gpu_embedded **embedded);

/* Uploads the nodes of a surface on the flesh, which must outlive `embedded`, unless equal nodes were uploaded. Waits
 * for the device. */
sn_result sn_gpu_embedded_add_surface(sn_gpu_embedded *embedded, const sn_embedding *embedding,
                                      const sn_xpbd_model *flesh, int *surface);

typedef struct sn_gpu_embedded_desc {
    int bone_count;
    int empty_count;   /* zero matrices after the bones, for modes that a vertex shader expects */
    bool writes_bones; /* also write bone matrices without flesh; else another solver writes them */
    uint32_t bones;    /* with an external bone buffer (set_bones): first float in it */
} sn_gpu_embedded_desc;
/* Adds or updates a body of the solver, initially without a surface. Waits for the device. */
sn_result sn_gpu_embedded_set_body(sn_gpu_embedded *embedded, int body, const sn_gpu_embedded_desc *desc);
void sn_gpu_embedded_remove_body(sn_gpu_embedded *embedded, int body);
/* Sets the surface to render; -1: none. Waits for the device. */
sn_result sn_gpu_embedded_set_surface(sn_gpu_embedded *embedded, int body, int surface);
int sn_gpu_embedded_surface(const sn_gpu_embedded *embedded, int body);
/* Disables interpolation until the next step. */
void sn_gpu_embedded_skip_interpolation(sn_gpu_embedded *embedded, int body);

/* Sets an external buffer of bone matrices; without it, the matrices are those written to sn_gpu_embedded_bones. Waits
 * for the device. */
sn_result sn_gpu_embedded_set_bones(sn_gpu_embedded *embedded, VkBuffer bones);
/* Memory (bone_count x 12) for the bone matrices of the next recording. */
float *sn_gpu_embedded_bones(sn_gpu_embedded *embedded, int body);

/* Call the first before each recording of a step, the second after the last one. */
void sn_gpu_embedded_record_copies(sn_gpu_embedded *embedded, VkCommandBuffer commands);
void sn_gpu_embedded_record_matrices(sn_gpu_embedded *embedded, VkCommandBuffer commands, double fraction);

/* The buffer changes when bodies are added or surfaces set. First matrices, in units of 12 floats: of bones only, and
 * of bones and flesh. */
const sn_gpu_buffer *sn_gpu_embedded_matrices(const sn_gpu_embedded *embedded);
uint32_t sn_gpu_embedded_first_bone_matrix(const sn_gpu_embedded *embedded, int body);
uint32_t sn_gpu_embedded_first_matrix(const sn_gpu_embedded *embedded, int body);

#endif

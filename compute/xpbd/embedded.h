/* SPDX-License-Identifier: MIT */
/* What vertex shaders read of position-based bodies on the device: bones' matrices, and, of flesh that is drawn itself,
 * a matrix at each vertex of the tets that the surface follows (host/model/embedding.h). Nothing is read back. What the
 * flesh was like before the last step is copied before each, of bodies that are drawn so, for what lies between. */
#ifndef SN_COMPUTE_XPBD_EMBEDDED_H
#define SN_COMPUTE_XPBD_EMBEDDED_H

#include "compute/xpbd/xpbd.h"
#include "host/model/embedding.h"

/* Of the bodies of one engine, which must outlive it. */
typedef struct sn_gpu_embedded sn_gpu_embedded;
sn_result sn_gpu_embedded_create(sn_gpu_device *device, sn_gpu_xpbd *xpbd, int recording_limit,
                                 sn_gpu_embedded **embedded);
/* Waits for the device. Nulls the pointer; accepts null. */
void sn_gpu_embedded_destroy(sn_gpu_embedded **embedded);

/* Uploads a surface's nodes on the flesh, which must outlive `embedded`, where that has not been done: known by its
 * content. Waits for the device. */
sn_result sn_gpu_embedded_add_surface(sn_gpu_embedded *embedded, const sn_embedding *embedding,
                                      const sn_xpbd_model *flesh, int *surface);

typedef struct sn_gpu_embedded_desc {
    int bone_count;
    int empty_count; /* matrices of zeros after the bones: modes, where a vertex shader asks for some */
    bool is_plain;   /* bones are to be written without flesh, too; else somebody else does */
    uint32_t bones;  /* with others' bones (set_bones): the first float there */
} sn_gpu_embedded_desc;
/* A body of the engine, or how it is now; nothing of it is drawn yet but its bones. Waits for the device. */
sn_result sn_gpu_embedded_set_body(sn_gpu_embedded *embedded, int body, const sn_gpu_embedded_desc *desc);
void sn_gpu_embedded_remove_body(sn_gpu_embedded *embedded, int body);
/* Its flesh is drawn, or, surface -1, it is not any more. Waits for the device. */
sn_result sn_gpu_embedded_set_surface(sn_gpu_embedded *embedded, int body, int surface);
int sn_gpu_embedded_surface(const sn_gpu_embedded *embedded, int body);
/* Until its next step there is no way from where the last one began. */
void sn_gpu_embedded_snap(sn_gpu_embedded *embedded, int body);

/* Where bones' matrices are taken from: a buffer of others, until they have another one; without it from what
 * sn_gpu_embedded_bones leads to. Waits for the device. */
sn_result sn_gpu_embedded_set_bones(sn_gpu_embedded *embedded, VkBuffer bones);
/* (bone_count x 12) of the next recording of matrices, to be written. */
float *sn_gpu_embedded_bones(sn_gpu_embedded *embedded, int body);

/* Before each recording of a step, and after the last one. */
void sn_gpu_embedded_record_keep(sn_gpu_embedded *embedded, VkCommandBuffer commands);
void sn_gpu_embedded_record_matrices(sn_gpu_embedded *embedded, VkCommandBuffer commands, double fraction);

/* Another buffer takes its place when bodies are added, or surfaces set. First matrices, in units of 12 floats: of
 * bones alone, and of bones and flesh. */
const sn_gpu_buffer *sn_gpu_embedded_matrices(const sn_gpu_embedded *embedded);
uint32_t sn_gpu_embedded_first_plain(const sn_gpu_embedded *embedded, int body);
uint32_t sn_gpu_embedded_first_matrix(const sn_gpu_embedded *embedded, int body);

#endif

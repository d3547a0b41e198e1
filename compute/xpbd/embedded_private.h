/* SPDX-License-Identifier: MIT */
/* Internals of embedded surfaces, shared by embedded*.c. */
#ifndef SN_COMPUTE_XPBD_EMBEDDED_PRIVATE_H
#define SN_COMPUTE_XPBD_EMBEDDED_PRIVATE_H

#include "compute/xpbd/embedded.h"
#include "compute/xpbd/private.h"
#include "shaders/shared/embedded.h"

typedef struct sn_gpu_embedded_surface_data {
    const sn_xpbd_model *flesh;
    uint64_t hash; /* of the nodes */
    uint32_t node_count, nodes, starts, neighbours, gradients, rest_positions;
} sn_gpu_embedded_surface_data;

typedef struct sn_gpu_embedded_body {
    bool is_used, skips_interpolation;
    int surface;
    sn_gpu_embedded_desc desc;
    sn_gpu_xpbd_range bones, bone_matrices, matrix; /* in floats */
} sn_gpu_embedded_body;

struct sn_gpu_embedded {
    sn_gpu_device *device;
    sn_gpu_xpbd *xpbd;
    int recording_limit;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline; /* null until needed */
    sn_gpu_set set;
    sn_gpu_buffer buffers[SN_EMBEDDED_BINDING_COUNT];
    VkBuffer bones; /* external buffer, or null */
    uint32_t used_words, used_numbers, used_bones, used_floats;
    uint32_t record_capacity, bone_capacity; /* per recording */
    uint64_t recording_count;
    sn_gpu_embedded_surface_data *surfaces;
    int surface_count, surface_capacity;
    sn_gpu_embedded_body *bodies;
    int body_count, body_capacity;
    VkBufferCopy *copies; /* (copy_capacity) copies of the flesh before a step */
    int copy_capacity;
};

static inline sn_gpu_embedded_body *sn_gpu_embedded_find(const sn_gpu_embedded *e, int body)
{
    SN_ASSERT(body >= 0 && body < e->body_count && e->bodies[body].is_used);
    return &e->bodies[body];
}

sn_result sn_gpu_embedded_enlarge(sn_gpu_embedded *e, int binding, VkDeviceSize size);
/* Appends words or floats; *first receives their begin. */
sn_result sn_gpu_embedded_append(sn_gpu_embedded *e, int binding, const void *items, size_t count, uint32_t *used,
                                 uint32_t *first);
/* For all recordings in flight; *capacity receives the capacity of one. */
sn_result sn_gpu_embedded_reserve(sn_gpu_embedded *e, int binding, uint32_t count, size_t size, uint32_t *capacity);
/* Binds the buffers after a change, even if it failed: a buffer that grew has destroyed the set, which other bodies
 * need. */
sn_result sn_gpu_embedded_bind_after_change(sn_gpu_embedded *e, sn_result result);
/* Creates the pipeline if necessary. */
sn_result sn_gpu_embedded_create_pipeline(sn_gpu_embedded *e);

#endif

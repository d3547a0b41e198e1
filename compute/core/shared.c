/* SPDX-License-Identifier: MIT */
#include "compute/core/shared.h"

#include <string.h>

/* What tells them apart; what one has not is zero. */
typedef struct shared_key {
    int64_t buffer_count; /* of a set layout */
    VkDescriptorSetLayout sets[SN_GPU_SET_LIMIT];
    size_t push_constant_bytes;
    VkPipelineLayout layout; /* of a pipeline, as the next */
    const uint32_t *code;
    uint32_t constants[SN_GPU_CONSTANT_LIMIT];
} shared_key;

struct sn_gpu_shared {
    shared_key key;
    VkDescriptorSetLayout set_layout; /* one of the three */
    VkPipelineLayout layout;
    VkPipeline pipeline;
    struct sn_gpu_shared *next;
};

static struct sn_gpu_shared *find(const sn_gpu_device *device, const shared_key *key)
{
    struct sn_gpu_shared *item = device->shared;
    while (item && memcmp(&item->key, key, sizeof *key) != 0) {
        item = item->next;
    }
    return item;
}

/* Null where memory is out. */
static struct sn_gpu_shared *append(sn_gpu_device *device, const shared_key *key)
{
    struct sn_gpu_shared *item = sn_alloc(1, sizeof *item);
    if (item) {
        item->key = *key;
        item->next = device->shared;
        device->shared = item;
    }
    return item;
}

/* What could not be made is tried again. */
static void drop_last(sn_gpu_device *device, sn_result result)
{
    struct sn_gpu_shared *last = device->shared;
    if (result != SN_OK) {
        device->shared = last->next;
        sn_free(last, 1, sizeof *last);
    }
}

sn_result sn_gpu_share_set_layout(sn_gpu_device *device, int count, VkDescriptorSetLayout *layout)
{
    VkDescriptorType kinds[SN_GPU_BINDING_LIMIT];
    const shared_key key = {.buffer_count = count};
    struct sn_gpu_shared *item = find(device, &key);
    sn_result result = SN_OK;
    for (int i = 0; i < SN_GPU_BINDING_LIMIT; ++i) {
        kinds[i] = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    }
    if (!item) {
        item = append(device, &key);
        if (!item) {
            return SN_ERROR_MEMORY;
        }
        result = sn_gpu_set_layout_create(device, "storage buffers", kinds, count, &item->set_layout);
    }
    *layout = item->set_layout;
    drop_last(device, result);
    return result;
}

sn_result sn_gpu_share_layout(sn_gpu_device *device, const char *name, const VkDescriptorSetLayout *sets, int set_count,
                              size_t push_constant_bytes, VkPipelineLayout *layout)
{
    shared_key key = {.push_constant_bytes = push_constant_bytes};
    memcpy(key.sets, sets, (size_t)set_count * sizeof *sets);
    struct sn_gpu_shared *item = find(device, &key);
    sn_result result = SN_OK;
    if (!item) {
        item = append(device, &key);
        if (!item) {
            return SN_ERROR_MEMORY;
        }
        result = sn_gpu_pipeline_layout_create(device, name, sets, set_count, push_constant_bytes, &item->layout);
    }
    *layout = item->layout;
    drop_last(device, result);
    return result;
}

sn_result sn_gpu_share_compute(sn_gpu_device *device, const char *name, VkPipelineLayout layout, sn_gpu_shader shader,
                               const uint32_t *constants, int constant_count, VkPipeline *pipeline)
{
    shared_key key = {.layout = layout, .code = shader.code};
    SN_ASSERT(constant_count <= SN_GPU_CONSTANT_LIMIT);
    memcpy(key.constants, constants, (size_t)constant_count * sizeof *constants);
    struct sn_gpu_shared *item = find(device, &key);
    sn_result result = SN_OK;
    if (!item) {
        item = append(device, &key);
        if (!item) {
            return SN_ERROR_MEMORY;
        }
        result = sn_gpu_compute_create(device, name, layout, shader, constants, constant_count, &item->pipeline);
    }
    *pipeline = item->pipeline;
    drop_last(device, result);
    return result;
}

void sn_gpu_shared_finish(sn_gpu_device *device)
{
    while (device->shared) {
        struct sn_gpu_shared *next = device->shared->next;
        vkDestroyPipeline(device->handle, device->shared->pipeline, NULL);
        vkDestroyPipelineLayout(device->handle, device->shared->layout, NULL);
        vkDestroyDescriptorSetLayout(device->handle, device->shared->set_layout, NULL);
        sn_free(device->shared, 1, sizeof *device->shared);
        device->shared = next;
    }
}

/* SPDX-License-Identifier: MIT */
#include "compute/core/shared.h"

#include <string.h>

/* What an object is created from: the members of one object type are set, the others are zero. Compared with memcmp,
 * hence no padding. */
typedef struct shared_key {
    int64_t buffer_count; /* of a set layout */
    VkDescriptorSetLayout sets[SN_GPU_SET_LIMIT];
    int64_t set_count; /* of a pipeline layout, as is the next member */
    int64_t push_constant_bytes;
    VkPipelineLayout layout; /* of a pipeline, as are the following members */
    sn_gpu_shader shader;
    int64_t constant_count;
    uint32_t constants[SN_GPU_CONSTANT_LIMIT];
} shared_key;

_Static_assert(sizeof(shared_key) == 4 * sizeof(int64_t) + SN_GPU_SET_LIMIT * sizeof(VkDescriptorSetLayout) +
                                         sizeof(VkPipelineLayout) + sizeof(sn_gpu_shader) +
                                         SN_GPU_CONSTANT_LIMIT * sizeof(uint32_t),
               "no padding");

struct sn_gpu_shared {
    shared_key key;
    VkDescriptorSetLayout set_layout; /* exactly one of the three is set */
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

static sn_result create_set_layout(sn_gpu_device *device, const char *name, int count, VkDescriptorSetLayout *layout)
{
    VkDescriptorType types[SN_GPU_BINDING_LIMIT];
    for (int i = 0; i < SN_GPU_BINDING_LIMIT; ++i) {
        types[i] = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    }
    return sn_gpu_set_layout_create(device, name, VK_SHADER_STAGE_COMPUTE_BIT, types, count, layout);
}

static sn_result create_object(sn_gpu_device *device, const char *name, struct sn_gpu_shared *item)
{
    const shared_key *k = &item->key;
    if (k->layout) {
        return sn_gpu_compute_create(device, name, k->layout, k->shader, k->constants, (int)k->constant_count,
                                     &item->pipeline);
    }
    if (k->set_count > 0) {
        return sn_gpu_pipeline_layout_create(device, name, VK_SHADER_STAGE_COMPUTE_BIT, k->sets, (int)k->set_count,
                                             (size_t)k->push_constant_bytes, &item->layout);
    }
    return create_set_layout(device, name, (int)k->buffer_count, &item->set_layout);
}

/* Finds or creates the object. On failure *shared points to an empty entry, and a later call tries again. */
static sn_result find_or_create(sn_gpu_device *device, const char *name, const shared_key *key,
                                const struct sn_gpu_shared **shared)
{
    static const struct sn_gpu_shared empty_entry;
    struct sn_gpu_shared *item = find(device, key);
    *shared = item ? item : &empty_entry;
    if (item) {
        return SN_OK;
    }
    item = sn_alloc(1, sizeof *item);
    if (!item) {
        return SN_ERROR_MEMORY;
    }
    item->key = *key;
    const sn_result result = create_object(device, name, item);
    if (result != SN_OK) {
        sn_free(item, 1, sizeof *item);
        return result;
    }
    item->next = device->shared;
    *shared = device->shared = item;
    return SN_OK;
}

sn_result sn_gpu_shared_set_layout(sn_gpu_device *device, int count, VkDescriptorSetLayout *layout)
{
    const shared_key key = {.buffer_count = count};
    const struct sn_gpu_shared *shared;
    const sn_result result = find_or_create(device, "storage buffers", &key, &shared);
    *layout = shared->set_layout;
    return result;
}

/* Storage buffers of a shared set layout. */
static uint32_t buffer_count_of(const sn_gpu_device *device, VkDescriptorSetLayout layout)
{
    const struct sn_gpu_shared *item = device->shared;
    while (item && item->set_layout != layout) {
        item = item->next;
    }
    SN_ASSERT(item);
    return (uint32_t)item->key.buffer_count;
}

sn_result sn_gpu_shared_pipeline_layout(sn_gpu_device *device, const char *name, const VkDescriptorSetLayout *sets,
                                        int set_count, size_t push_constant_bytes, VkPipelineLayout *layout)
{
    shared_key key = {.set_count = set_count, .push_constant_bytes = (int64_t)push_constant_bytes};
    const struct sn_gpu_shared *shared;
    uint32_t buffer_count = 0;
    SN_ASSERT(set_count <= SN_GPU_SET_LIMIT);
    for (int i = 0; i < set_count; ++i) {
        buffer_count += buffer_count_of(device, sets[i]);
    }
    if (buffer_count > sn_gpu_storage_buffer_limit(device)) {
        *layout = VK_NULL_HANDLE;
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: needs %u storage buffers in a shader; %s allows %u", name,
                       buffer_count, device->properties.deviceName, sn_gpu_storage_buffer_limit(device));
    }
    memcpy(key.sets, sets, (size_t)set_count * sizeof *sets);
    const sn_result result = find_or_create(device, name, &key, &shared);
    *layout = shared->layout;
    return result;
}

sn_result sn_gpu_shared_compute_pipeline(sn_gpu_device *device, const char *name, VkPipelineLayout layout,
                                         sn_gpu_shader shader, const uint32_t *constants, int constant_count,
                                         VkPipeline *pipeline)
{
    shared_key key = {.layout = layout, .shader = shader, .constant_count = constant_count};
    const struct sn_gpu_shared *shared;
    SN_ASSERT(constant_count <= SN_GPU_CONSTANT_LIMIT);
    memcpy(key.constants, constants, (size_t)constant_count * sizeof *constants);
    const sn_result result = find_or_create(device, name, &key, &shared);
    *pipeline = shared->pipeline;
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

uint32_t sn_gpu_storage_buffer_limit(const sn_gpu_device *device)
{
    const VkPhysicalDeviceLimits *limits = &device->properties.limits;
    const uint32_t all = limits->maxDescriptorSetStorageBuffers < limits->maxPerStageResources
                             ? limits->maxDescriptorSetStorageBuffers
                             : limits->maxPerStageResources;
    return limits->maxPerStageDescriptorStorageBuffers < all ? limits->maxPerStageDescriptorStorageBuffers : all;
}

uint32_t sn_gpu_shared_capacity(const sn_gpu_device *device, uint32_t count, uint32_t step, uint32_t max)
{
    if (sn_gpu_device_is_software(device)) {
        return count <= max / 2 ? max / 2 : max;
    }
    const uint32_t rounded = (count + step - 1) / step * step;
    return rounded < max ? rounded : max;
}

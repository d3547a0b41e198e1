/* SPDX-License-Identifier: MIT */
/* Public API of include/sinew/vulkan.h: a device that simulates worlds. */
#include <stdio.h>

#include "compute/core/open.h"
#include "compute/core/shared.h"
#include "compute/world/world.h"
#include "host/world/backend.h"
#include "shaders/shared/coupled.h"
#include "shaders/shared/embedded.h"
#include "shaders/shared/layered.h"
#include "shaders/shared/reduced.h"
#include "shaders/shared/xpbd.h"

/* Storage buffers of the kernels; coupled and layered bodies also need those of embedded surfaces. */
enum {
    REDUCED_BUFFERS = SN_REDUCED_BINDING_COUNT,
    EMBEDDED_BUFFERS = SN_XPBD_BINDING_COUNT + SN_EMBEDDED_BINDING_COUNT,
    COUPLED_BUFFERS = SN_XPBD_BINDING_COUNT + SN_COUPLED_BINDING_COUNT,
    LAYERED_BUFFERS = EMBEDDED_BUFFERS
};
_Static_assert(COUPLED_BUFFERS >= EMBEDDED_BUFFERS && SN_EMBEDDED_BINDING_COUNT >= SN_LAYERED_BINDING_COUNT, "maxima");

sn_gpu_desc sn_default_gpu_desc(void)
{
    return (sn_gpu_desc){.frames_in_flight = 2};
}

static void describe(const sn_backend *backend, char *text, size_t size)
{
    const sn_gpu *gpu = (const sn_gpu *)(const void *)backend;
    const VkPhysicalDeviceProperties *p = &gpu->device->properties;
    snprintf(text, size, "%s (driver %#x)%s", p->deviceName, p->driverVersion,
             gpu->is_single_precision ? ", without doubles" : "");
}

sn_result sn_gpu_create_on(sn_gpu_device *device, int frames_in_flight, sn_gpu **gpu)
{
    *gpu = NULL;
    if (frames_in_flight < 1 || frames_in_flight > SN_GPU_FRAME_LIMIT) {
        return sn_fail(SN_ERROR_ARGUMENT, "gpu: %d frames in flight: out of range (1 .. %d)", frames_in_flight,
                       SN_GPU_FRAME_LIMIT);
    }
    const uint32_t buffer_limit = sn_gpu_storage_buffer_limit(device);
    const char *device_name = device->properties.deviceName;
    if (buffer_limit < REDUCED_BUFFERS) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: allows %u storage buffers in a shader; the solvers need %d",
                       device_name, buffer_limit, REDUCED_BUFFERS);
    }
    if (buffer_limit < COUPLED_BUFFERS) {
        sn_log(SN_LOG_WARNING,
               "%s: allows %u storage buffers in a shader; coupled bodies, which need %d, and layered ones, which need "
               "%d, step on the CPU only",
               device_name, buffer_limit, COUPLED_BUFFERS, LAYERED_BUFFERS);
    }
    *gpu = sn_alloc(1, sizeof **gpu);
    if (!*gpu) {
        return SN_ERROR_MEMORY;
    }
    **gpu = (sn_gpu){.backend = {.table = &sn_gpu_table,
                                 .coupled = buffer_limit >= COUPLED_BUFFERS ? &sn_gpu_coupled_table : NULL,
                                 .describe = describe,
                                 .layered = buffer_limit >= LAYERED_BUFFERS ? &sn_gpu_layered_table : NULL,
                                 .backend_world_create = sn_gpu_world_create,
                                 .backend_world_destroy = sn_gpu_world_destroy,
                                 .reserve_colliders = sn_gpu_world_reserve_colliders,
                                 .begin = sn_gpu_world_begin_call,
                                 .record_step = sn_gpu_world_record_step,
                                 .end = sn_gpu_world_end_call,
                                 .is_lost = sn_gpu_world_is_lost,
                                 .body_set_output = sn_gpu_world_display_pose,
                                 .body_set_embedding = sn_gpu_world_set_embedding,
                                 .body_read_embedded = sn_gpu_world_read_embedded},
                     .device = device,
                     .frames_in_flight = frames_in_flight};
    return SN_OK;
}

sn_result sn_gpu_create(const sn_gpu_desc *desc, sn_gpu **gpu)
{
    const sn_gpu_adoption adoption = {.instance = desc->instance,
                                      .physical = desc->physical_device,
                                      .handle = desc->device,
                                      .queue = desc->queue,
                                      .queue_family = desc->queue_family,
                                      .enabled_features = desc->enabled_features};
    sn_gpu_device *device = NULL;
    *gpu = NULL;
    sn_result result = sn_gpu_device_adopt(&adoption, &device);
    if (result == SN_OK) {
        result = sn_gpu_create_on(device, desc->frames_in_flight, gpu);
    }
    if (result != SN_OK) {
        sn_gpu_device_destroy(&device);
        return result;
    }
    (*gpu)->owns_device = true;
    (*gpu)->is_single_precision = desc->is_single_precision;
    return SN_OK;
}

void sn_gpu_destroy(sn_gpu **gpu)
{
    sn_gpu *g = *gpu;
    *gpu = NULL;
    if (g && g->owns_device) {
        sn_gpu_device_destroy(&g->device);
    }
    sn_free(g, 1, sizeof *g);
}

const sn_backend *sn_gpu_backend(const sn_gpu *gpu)
{
    return &gpu->backend;
}

sn_world_report sn_gpu_record_step(sn_world_id world_id, double seconds, VkCommandBuffer commands)
{
    sn_gpu_world *world = sn_world_backend_world(world_id, &sn_gpu_table);
    SN_ASSERT(commands);
    if (!world) { /* the device is lost */
        return sn_world_step(world_id, seconds);
    }
    world->commands = commands;
    world->has_external_commands = true;
    const sn_world_report report = sn_world_record_step(world_id, seconds);
    world->has_external_commands = false;
    return report;
}

static sn_body_gpu_matrices matrices_at(const sn_gpu_world_matrices *in, uint32_t first, int bone_count, int mode_count)
{
    const VkDeviceSize stride = 12 * sizeof(float);
    return (sn_body_gpu_matrices){.buffer = in->buffer,
                                  .version = in->version,
                                  .offset = stride * first,
                                  .stride = stride,
                                  .bone_count = bone_count,
                                  .mode_count = mode_count};
}

sn_body_gpu_matrices sn_body_gpu_output(sn_body_id id)
{
    const sn_gpu_world_body *body = sn_body_backend_body(id, &sn_gpu_table);
    if (!body) { /* the device is lost */
        return (sn_body_gpu_matrices){0};
    }
    const sn_gpu_world *world = body->world;
    const uint32_t first = body->solver == SN_SOLVER_COUPLED ? sn_gpu_coupled_first_matrix(world->coupled, body->index)
                           : body->solver == SN_SOLVER_LAYERED
                               ? sn_gpu_embedded_first_bone_matrix(world->embedded[SN_SOLVER_LAYERED], body->index)
                               : sn_gpu_reduced_first_matrix(world->reduced, body->index);
    return matrices_at(&world->matrices[body->solver], first, body->bone_count, body->mode_count);
}

sn_body_gpu_matrices sn_body_gpu_embedded_output(sn_body_id id)
{
    const sn_gpu_world_body *body = sn_body_backend_body(id, &sn_gpu_table);
    const sn_embedding *embedding = sn_body_embedding(id);
    if (!body) {
        return (sn_body_gpu_matrices){0};
    }
    SN_ASSERT(embedding);
    return matrices_at(&body->world->flesh[body->solver],
                       sn_gpu_embedded_first_matrix(body->world->embedded[body->solver], body->index),
                       body->bone_count + sn_embedding_matrix_count(embedding), 0);
}

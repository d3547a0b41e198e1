/* SPDX-License-Identifier: MIT */
/* Creation and destruction of the solver and its pipelines. */
#include "compute/core/shared.h"
#include "compute/reduced/private.h"

#include <string.h>

static const uint32_t step_shader[] =
#include "shaders/reduced/step.comp.inc"
    ;
static const uint32_t external_shader[] =
#include "shaders/reduced/push.comp.inc"
    ;

_Static_assert(sizeof(struct sn_reduced_record) == 224, "as the shader reads it");
_Static_assert(sizeof(struct sn_reduced_status) == 24, "as the shader writes it");
_Static_assert(sizeof(sn_gpu_reduced_constants) == 40, "as the shader reads it");

_Static_assert(SN_REDUCED_NEARBY_LIMIT <= 4 * SN_REDUCED_CONTACT_LIMIT, "has room where contacts' forces have");

#define SHARED_BYTES 32768 /* more would let too few bodies run at a time */
#define POOL_STEP 256      /* in floats; rounding lets similar models share a pipeline */

sn_gpu_reduced_desc sn_default_gpu_reduced_desc(void)
{
    return (sn_gpu_reduced_desc){.recording_limit = 4};
}

static sn_result init(sn_gpu_reduced *r)
{
    SN_TRY(sn_gpu_shared_set_layout(r->device, SN_REDUCED_BINDING_COUNT, &r->set_layout));
    SN_TRY(sn_gpu_shared_pipeline_layout(r->device, "reduced", &r->set_layout, 1, sizeof(sn_gpu_reduced_constants),
                                         &r->layout));
    return sn_gpu_pace_create(r->device, "reduced pace", (uint32_t)r->desc.recording_limit, &r->pace);
}

sn_result sn_gpu_reduced_create(sn_gpu_device *device, const sn_gpu_reduced_desc *desc, sn_gpu_reduced **reduced)
{
    SN_ASSERT(desc->recording_limit >= 1 && desc->dispatch_iterations >= 0 && desc->dispatch_loops >= 0 &&
              desc->shared_bytes >= 0);
    *reduced = NULL;
    sn_gpu_reduced *r = sn_alloc(1, sizeof *r);
    if (!r) {
        return SN_ERROR_MEMORY;
    }
    r->device = device;
    r->desc = *desc;
    const sn_result result = init(r);
    if (result != SN_OK) {
        sn_gpu_reduced_destroy(&r);
    }
    *reduced = r;
    return result;
}

static void free_bodies(sn_gpu_reduced *r)
{
    for (int i = 0; i < r->body_count; ++i) {
        const size_t size = sn_gpu_reduced_pose_size(sn_gpu_reduced_model_of(r, &r->bodies[i]));
        sn_free(r->bodies[i].pose, size, sizeof(double));
    }
    sn_free(r->bodies, (size_t)r->body_capacity, sizeof *r->bodies);
}

void sn_gpu_reduced_destroy(sn_gpu_reduced **reduced)
{
    sn_gpu_reduced *r = *reduced;
    *reduced = NULL;
    if (!r) {
        return;
    }
    sn_gpu_device_wait(r->device);
    sn_gpu_set_destroy(r->device, &r->set);
    for (int i = 0; i < SN_REDUCED_BINDING_COUNT; ++i) {
        sn_gpu_buffer_destroy(r->device, &r->buffers[i]);
    }
    sn_gpu_reduced_free_surroundings(r);
    sn_gpu_reduced_free_budget(r);
    sn_gpu_pace_destroy(&r->pace);
    free_bodies(r);
    for (int i = 0; i < r->model_count; ++i) {
        sn_arena_finish(&r->models[i].arena);
    }
    sn_free(r->models, (size_t)r->model_capacity, sizeof *r->models);
    sn_gpu_grids_finish(&r->grids);
    sn_free(r, 1, sizeof *r);
}

static uint32_t floats_of(const sn_gpu_reduced *r, uint32_t bytes)
{
    const uint32_t limit = r->device->properties.limits.maxComputeSharedMemorySize;
    return (bytes < limit ? bytes : limit) / (uint32_t)sizeof(float);
}

/* Rotations and gradients that exceed SHARED_BYTES spill to device memory. Data that cannot spill may exceed it, up to
 * the device's limit. */
static sn_result plan_pipelines(const sn_gpu_reduced *r, uint32_t *constants)
{
    const uint32_t requested = (uint32_t)r->desc.shared_bytes;
    const uint32_t max_floats = floats_of(r, requested > 0 ? requested : SHARED_BYTES);
    const uint32_t limit = requested > 0 ? max_floats : floats_of(r, UINT32_MAX);
    memset(constants, 0, SN_REDUCED_CONSTANT_COUNT * sizeof *constants);
    constants[4] = sn_gpu_device_is_software(r->device);
    for (int i = 0; i < r->model_count; ++i) {
        const sn_gpu_reduced_model *m = &r->models[i];
        const struct sn_reduced_pool_layout at = sn_reduced_pool_layout_of(m->coordinate_count, m->cluster_count);
        if (at.rotations > limit) {
            return sn_fail(SN_ERROR_UNSUPPORTED,
                           "reduced solver: %u coordinates need %u bytes of shared memory; the device has %u",
                           m->coordinate_count, 4 * at.rotations, 4 * limit);
        }
        const uint32_t required = at.size < max_floats ? at.size : max_floats;
        const uint32_t size = at.rotations > max_floats
                                  ? at.rotations
                                  : sn_gpu_shared_capacity(r->device, required, POOL_STEP, max_floats);
        constants[0] = size > constants[0] ? size : constants[0];
        constants[1] |= at.gradients > max_floats;
        constants[2] |= at.size > max_floats;
        constants[3] |= m->delta_count > 0;
    }
    return SN_OK;
}

sn_result sn_gpu_reduced_create_pipelines(sn_gpu_reduced *r)
{
    uint32_t constants[SN_REDUCED_CONSTANT_COUNT];
    sn_result result = plan_pipelines(r, constants);
    if (result != SN_OK || (r->external_pipeline && memcmp(r->constants, constants, sizeof constants) == 0)) {
        return result;
    }
    VkPipeline step = VK_NULL_HANDLE, external = VK_NULL_HANDLE;
    result = sn_gpu_shared_compute_pipeline(r->device, "reduced step", r->layout, SN_GPU_SHADER(step_shader), constants,
                                            SN_REDUCED_CONSTANT_COUNT, &step);
    if (result == SN_OK) {
        result = sn_gpu_shared_compute_pipeline(r->device, "reduced push", r->layout, SN_GPU_SHADER(external_shader),
                                                constants, SN_REDUCED_CONSTANT_COUNT, &external);
    }
    if (result == SN_OK) { /* on failure existing bodies keep their pipelines */
        memcpy(r->constants, constants, sizeof constants);
        r->step_pipeline = step;
        r->external_pipeline = external;
    }
    return result;
}

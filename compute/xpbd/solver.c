/* SPDX-License-Identifier: MIT */
/* Creation and destruction of the solver. */
#include "compute/core/shared.h"
#include "compute/xpbd/private.h"

_Static_assert(sizeof(struct sn_xpbd_run) == 24, "as the shader reads it");
_Static_assert(sizeof(struct sn_xpbd_record) == 192, "as the shader reads it");
_Static_assert(sizeof(struct sn_xpbd_pin_record) == 64, "as the shader reads it");
_Static_assert(sizeof(struct sn_xpbd_impulse_record) == 32, "as the shader reads it");
_Static_assert(sizeof(struct sn_xpbd_collider_head) == 24, "as the shader reads it");
_Static_assert(sizeof(struct sn_xpbd_collider_record) == 248, "as the shader reads it");
_Static_assert(sizeof(struct sn_xpbd_status) == 48, "as the shader writes it");
_Static_assert(SN_XPBD_BLOCK == SN_BATCH, "as the CPU sums");

sn_gpu_xpbd_desc sn_default_gpu_xpbd_desc(void)
{
    return (sn_gpu_xpbd_desc){.recording_limit = 4};
}

static sn_result init(sn_gpu_xpbd *x)
{
    SN_TRY(sn_gpu_shared_set_layout(x->device, SN_XPBD_BINDING_COUNT, &x->set_layout));
    const VkDescriptorSetLayout sets[] = {x->set_layout, x->coupling ? x->coupling->set_layout : VK_NULL_HANDLE};
    SN_TRY(sn_gpu_shared_pipeline_layout(x->device, "xpbd", sets, x->coupling ? 2 : 1, sizeof(sn_gpu_xpbd_constants),
                                         &x->layout));
    for (int i = 0; i < SN_XPBD_BINDING_COUNT; ++i) {
        SN_TRY(sn_gpu_xpbd_enlarge(x, i, 0));
    }
    return sn_gpu_pace_create(x->device, "xpbd pace", (uint32_t)x->desc.recording_limit, &x->pace);
}

sn_result sn_gpu_xpbd_create(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc, sn_gpu_xpbd **xpbd)
{
    return sn_gpu_xpbd_create_coupled(device, desc, NULL, xpbd);
}

sn_result sn_gpu_xpbd_create_coupled(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc,
                                     const sn_gpu_xpbd_coupling *coupling, sn_gpu_xpbd **xpbd)
{
    SN_ASSERT(desc->recording_limit >= 1 && desc->dispatch_sweeps >= 0 && desc->shared_bytes >= 0);
    *xpbd = NULL;
    sn_gpu_xpbd *x = sn_alloc(1, sizeof *x);
    if (!x) {
        return SN_ERROR_MEMORY;
    }
    x->device = device;
    x->desc = *desc;
    x->desc.is_single_precision |= !device->features.shaderFloat64;
    x->coupling = coupling;
    const sn_result result = init(x);
    if (result != SN_OK) {
        sn_gpu_xpbd_destroy(&x);
    }
    *xpbd = x;
    return result;
}

static void free_all(sn_gpu_xpbd *x)
{
    for (int i = 0; i < x->body_count; ++i) {
        sn_free(x->bodies[i].pins, (size_t)x->bodies[i].pin_capacity, sizeof *x->bodies[i].pins);
        sn_free(x->bodies[i].impulses, (size_t)x->bodies[i].impulse_capacity, sizeof *x->bodies[i].impulses);
    }
    for (int i = 0; i < x->model_count; ++i) {
        sn_free(x->models[i].run_counts, x->models[i].run_capacity, sizeof *x->models[i].run_counts);
    }
    sn_gpu_xpbd_free_colliders(x);
    sn_gpu_grids_finish(&x->grids);
    sn_gpu_pace_destroy(&x->pace);
    sn_free(x->bodies, (size_t)x->body_capacity, sizeof *x->bodies);
    sn_free(x->models, (size_t)x->model_capacity, sizeof *x->models);
    sn_free(x, 1, sizeof *x);
}

void sn_gpu_xpbd_destroy(sn_gpu_xpbd **xpbd)
{
    sn_gpu_xpbd *x = *xpbd;
    *xpbd = NULL;
    if (!x) {
        return;
    }
    sn_gpu_device_wait(x->device);
    sn_gpu_set_destroy(x->device, &x->set);
    for (int i = 0; i < SN_XPBD_BINDING_COUNT; ++i) {
        sn_gpu_buffer_destroy(x->device, &x->buffers[i]);
    }
    free_all(x);
}

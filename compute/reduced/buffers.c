/* SPDX-License-Identifier: MIT */
/* The buffers: names, growth, binding. */
#include "compute/core/buffer_set.h"
#include "compute/reduced/private.h"

static const sn_gpu_buffer_desc buffer_descs[SN_REDUCED_BINDING_COUNT] = {
    [SN_REDUCED_MODELS] = {"reduced models", SN_GPU_MEMORY_DEVICE},
    [SN_REDUCED_RECORDS] = {"reduced records", SN_GPU_MEMORY_STREAM},
    [SN_REDUCED_POSES] = {"reduced poses", SN_GPU_MEMORY_STREAM},
    [SN_REDUCED_STATES] = {"reduced states", SN_GPU_MEMORY_DEVICE},
    [SN_REDUCED_MATRICES] = {"reduced matrices", SN_GPU_MEMORY_DEVICE},
    [SN_REDUCED_STATUSES] = {"reduced statuses", SN_GPU_MEMORY_DEVICE},
    [SN_REDUCED_IMPULSES] = {"reduced impulses", SN_GPU_MEMORY_STREAM},
    [SN_REDUCED_COLLIDERS] = {"reduced colliders", SN_GPU_MEMORY_STREAM},
    [SN_REDUCED_CONTACTS] = {"reduced contacts", SN_GPU_MEMORY_DEVICE},
    [SN_REDUCED_HISTORIES] = {"reduced histories", SN_GPU_MEMORY_DEVICE},
    [SN_REDUCED_GRIDS] = {"reduced grids", SN_GPU_MEMORY_DEVICE},
};

sn_result sn_gpu_reduced_enlarge(sn_gpu_reduced *r, int binding, VkDeviceSize size)
{
    return sn_gpu_buffer_set_enlarge(r->device, &buffer_descs[binding], size, &r->buffers[binding], &r->set);
}

sn_result sn_gpu_reduced_bind(sn_gpu_reduced *r)
{
    return sn_gpu_buffer_set_bind(r->device, "reduced", r->set_layout, r->buffers, SN_REDUCED_BINDING_COUNT, &r->set);
}

sn_result sn_gpu_reduced_add_grid(sn_gpu_reduced *r, const sn_grid *grid)
{
    const int binding = SN_REDUCED_GRIDS;
    const sn_result result =
        sn_gpu_grids_add(r->device, &r->grids, grid, &buffer_descs[binding], &r->buffers[binding], &r->set);
    r->last_collider_count = 0; /* the address may be reused */
    return result == SN_OK && r->body_count > 0 ? sn_gpu_reduced_bind(r) : result;
}

const sn_gpu_grids *sn_gpu_reduced_grids(const sn_gpu_reduced *r, const sn_gpu_buffer **buffer)
{
    *buffer = &r->buffers[SN_REDUCED_GRIDS];
    return &r->grids;
}

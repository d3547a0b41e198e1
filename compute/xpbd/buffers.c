/* SPDX-License-Identifier: MIT */
/* The buffers: names, growth, binding. */
#include "compute/core/buffer_set.h"
#include "compute/xpbd/private.h"

static const sn_gpu_buffer_desc buffer_descs[SN_XPBD_BINDING_COUNT] = {
    [SN_XPBD_RUNS] = {"xpbd runs", SN_GPU_MEMORY_DEVICE},
    [SN_XPBD_CORNERS] = {"xpbd corners", SN_GPU_MEMORY_DEVICE},
    [SN_XPBD_VALUES] = {"xpbd values", SN_GPU_MEMORY_DEVICE},
    [SN_XPBD_RESTS] = {"xpbd rest positions", SN_GPU_MEMORY_DEVICE},
    [SN_XPBD_RECORDS] = {"xpbd records", SN_GPU_MEMORY_STREAM},
    [SN_XPBD_PINS] = {"xpbd pins", SN_GPU_MEMORY_STREAM},
    [SN_XPBD_IMPULSES] = {"xpbd impulses", SN_GPU_MEMORY_STREAM},
    [SN_XPBD_COLLIDERS] = {"xpbd colliders", SN_GPU_MEMORY_STREAM},
    [SN_XPBD_DISPLACEMENTS] = {"xpbd displacements", SN_GPU_MEMORY_DEVICE},
    [SN_XPBD_PREDICTED] = {"xpbd predictions", SN_GPU_MEMORY_DEVICE},
    [SN_XPBD_VELOCITIES] = {"xpbd velocities", SN_GPU_MEMORY_DEVICE},
    [SN_XPBD_SCRATCH] = {"xpbd sums and multipliers", SN_GPU_MEMORY_DEVICE},
    [SN_XPBD_STATUSES] = {"xpbd statuses", SN_GPU_MEMORY_DEVICE},
    [SN_XPBD_HEADS] = {"xpbd lists of colliders", SN_GPU_MEMORY_STREAM},
    [SN_XPBD_GRIDS] = {"xpbd grids", SN_GPU_MEMORY_DEVICE},
};

sn_result sn_gpu_xpbd_enlarge(sn_gpu_xpbd *x, int binding, VkDeviceSize size)
{
    return sn_gpu_buffer_set_enlarge(x->device, &buffer_descs[binding], size, &x->buffers[binding], &x->set);
}

sn_result sn_gpu_xpbd_reserve(sn_gpu_xpbd *x, int binding, uint32_t count, size_t item_bytes, uint32_t *capacity)
{
    SN_TRY(sn_gpu_buffer_set_reserve(x->device, &buffer_descs[binding], x->desc.recording_limit, count, item_bytes,
                                     capacity, &x->buffers[binding], &x->set));
    return sn_gpu_xpbd_bind(x);
}

sn_result sn_gpu_xpbd_bind(sn_gpu_xpbd *x)
{
    return sn_gpu_buffer_set_bind(x->device, "xpbd", x->set_layout, x->buffers, SN_XPBD_BINDING_COUNT, &x->set);
}

sn_result sn_gpu_xpbd_upload_grid(sn_gpu_xpbd *x, const sn_grid *grid)
{
    const int binding = SN_XPBD_GRIDS;
    const sn_result result =
        sn_gpu_grids_add(x->device, &x->grids, grid, &buffer_descs[binding], &x->buffers[binding], &x->set);
    return result == SN_OK ? sn_gpu_xpbd_bind(x) : result;
}

sn_result sn_gpu_xpbd_copy_grids(sn_gpu_xpbd *x, const sn_gpu_grids *grids, const sn_gpu_buffer *buffer)
{
    return sn_gpu_grids_copy(x->device, grids, buffer, &buffer_descs[SN_XPBD_GRIDS], &x->grids,
                             &x->buffers[SN_XPBD_GRIDS], &x->set);
}

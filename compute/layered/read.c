/* SPDX-License-Identifier: MIT */
/* Transfer of bodies between the device and the CPU. */
#include <string.h>

#include "compute/layered/private.h"

sn_result sn_gpu_layered_download(sn_gpu_layered *l, int index, sn_layered_body *to, sn_gpu_xpbd_reading *reading)
{
    const sn_gpu_layered_body *body = sn_gpu_layered_find(l, index);
    SN_ASSERT(!to || to->model == sn_gpu_layered_model_of(l, body));
    SN_TRY(sn_gpu_xpbd_download(l->xpbd, index, to ? to->flesh : NULL, reading));
    if (to) {
        const size_t bytes = 12 * (size_t)to->model->bone_count * sizeof *to->pose_now;
        memcpy(to->pose_before, sn_gpu_layered_pose(body, SN_GPU_LAYERED_BEFORE), bytes);
        memcpy(to->pose_now, sn_gpu_layered_pose(body, SN_GPU_LAYERED_NOW), bytes);
        sn_layered_move_attached_pins(to, to->pose_now);
    }
    return SN_OK;
}

sn_result sn_gpu_layered_upload(sn_gpu_layered *l, int index, const sn_layered_body *from)
{
    sn_gpu_layered_body *body = sn_gpu_layered_find(l, index);
    SN_ASSERT(from->model == sn_gpu_layered_model_of(l, body));
    const size_t bytes = 12 * (size_t)from->model->bone_count * sizeof *from->pose_now;
    memcpy(sn_gpu_layered_pose(body, SN_GPU_LAYERED_BEFORE), from->pose_before, bytes);
    memcpy(sn_gpu_layered_pose(body, SN_GPU_LAYERED_NOW), from->pose_now, bytes);
    memcpy(sn_gpu_layered_pose(body, SN_GPU_LAYERED_NEXT), from->pose_now, bytes);
    SN_TRY(sn_gpu_layered_set_settings(l, index, &from->settings));
    return sn_gpu_xpbd_upload(l->xpbd, index, from->flesh);
}

/* SPDX-License-Identifier: MIT */
#include "runtime/app/device_body.h"

#include "sinew/vulkan.h"

void sn_draw_device_body(sn_body_id body, sn_render_body *drawn, sn_render_scene *scene)
{
    const sn_body_matrices output = sn_body_output(body);
    const sn_body_gpu_matrices there = sn_body_gpu_output(body);
    drawn->transforms = output.matrices[0].m[0];
    drawn->morphs = output.morphs;
    drawn->is_on_device = true;
    drawn->first_matrix = (uint32_t)(there.offset / there.stride);
    scene->matrices = (sn_render_matrices){there.buffer, there.version};
}

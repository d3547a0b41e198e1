/* SPDX-License-Identifier: MIT */
#include "runtime/view/draw_body.h"

#include "compute/world/world.h"
#include "host/world/inspect.h"

/* Index of these matrices in the scene; adds them if they are not there. */
static int add_matrices(sn_render_scene *scene, sn_render_matrices matrices)
{
    int index = 0;
    while (index < SN_RENDER_MATRICES_LIMIT && scene->matrices[index].buffer &&
           scene->matrices[index].version != matrices.version) {
        ++index;
    }
    SN_ASSERT(index < SN_RENDER_MATRICES_LIMIT);
    scene->matrices[index] = matrices;
    return index;
}

static bool is_on_device(sn_body_id body)
{
    const sn_solver_table *table = sn_body_inspect(body).table;
    return table == &sn_gpu_table || table == &sn_gpu_coupled_table || table == &sn_gpu_layered_table;
}

/* Matrices of bodies on the device are not read back, except to sort a model with blended materials. */
void sn_draw_body(sn_body_id body, sn_render_body *drawn, sn_render_scene *scene)
{
    const bool is_gpu_body = is_on_device(body), has_flesh = sn_body_embedding(body) != NULL;
    const bool uses_input_pose = is_gpu_body && !sn_render_model_blends(drawn->model);
    const sn_body_matrices output = uses_input_pose ? sn_body_cached_output(body)
                                    : has_flesh     ? sn_body_embedded_output(body)
                                                    : sn_body_output(body);
    drawn->transforms = output.matrices[0].m[0];
    drawn->morphs = output.morphs;
    drawn->mode_count = has_flesh ? 0 : output.mode_count;
    if (is_gpu_body) {
        const sn_body_gpu_matrices gpu_output =
            has_flesh ? sn_body_gpu_embedded_output(body) : sn_body_gpu_output(body);
        drawn->is_on_device = true;
        drawn->matrices = add_matrices(scene, (sn_render_matrices){gpu_output.buffer, gpu_output.version});
        drawn->first_matrix = (uint32_t)(gpu_output.offset / gpu_output.stride);
    }
}

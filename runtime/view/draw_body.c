/* SPDX-License-Identifier: MIT */
#include "runtime/view/draw_body.h"

#include "compute/world/world.h"
#include "host/world/inspect.h"

/* Index of these matrices in the scene; adds them if they are not there. */
static int find_matrices(sn_render_scene *scene, sn_render_matrices matrices)
{
    int found = 0;
    while (found < SN_RENDER_MATRICES_LIMIT && scene->matrices[found].buffer &&
           scene->matrices[found].version != matrices.version) {
        ++found;
    }
    SN_ASSERT(found < SN_RENDER_MATRICES_LIMIT);
    scene->matrices[found] = matrices;
    return found;
}

static bool is_on_device(sn_body_id body)
{
    const sn_solver_table *table = sn_world_inspect(body).table;
    return table == &sn_gpu_table || table == &sn_gpu_coupled_table || table == &sn_gpu_layered_table;
}

/* Matrices of bodies on the device are not read back, except to sort a model with blended materials. */
void sn_draw_body(sn_body_id body, sn_render_body *drawn, sn_render_scene *scene)
{
    const bool is_there = is_on_device(body), has_flesh = sn_body_embedding(body) != NULL;
    const bool is_told = is_there && !sn_render_model_blends(drawn->model);
    const sn_body_matrices output = is_told     ? sn_world_told_output(body)
                                    : has_flesh ? sn_body_embedded_output(body)
                                                : sn_body_output(body);
    drawn->transforms = output.matrices[0].m[0];
    drawn->morphs = output.morphs;
    drawn->mode_count = has_flesh ? 0 : output.mode_count;
    if (is_there) {
        const sn_body_gpu_matrices there = has_flesh ? sn_body_gpu_embedded_output(body) : sn_body_gpu_output(body);
        drawn->is_on_device = true;
        drawn->matrices = find_matrices(scene, (sn_render_matrices){there.buffer, there.version});
        drawn->first_matrix = (uint32_t)(there.offset / there.stride);
    }
}

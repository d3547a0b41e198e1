/* SPDX-License-Identifier: MIT */
/* Embedded surfaces: flesh meshes that are rendered directly. */
#include <string.h>

#include "compute/core/commands.h"
#include "compute/world/coupled_body.h"
#include "compute/world/layered_body.h"

/* The flesh mesh as the position-based solver has it. */
static const sn_xpbd_model *flesh_of(void *body)
{
    const sn_gpu_world_body *b = body;
    if (b->solver == SN_SOLVER_COUPLED) {
        return sn_gpu_world_rig_of(body)->bones->flesh->model;
    }
    return sn_gpu_world_layered_model_of(body)->shared_model->layered->flesh;
}

sn_result sn_gpu_world_set_embedding(void *body, const sn_embedding *embedding)
{
    const sn_gpu_world_body *b = body;
    sn_gpu_embedded *embedded = b->world->embedded[b->solver];
    int surface = -1;
    SN_TRY(embedding ? sn_gpu_embedded_add_surface(embedded, embedding, flesh_of(body), &surface) : SN_OK);
    SN_TRY(sn_gpu_embedded_set_surface(embedded, b->index, surface));
    return sn_gpu_world_update_matrix_versions(b->world);
}

sn_result sn_gpu_world_read_embedded(void *body, int count, float *matrices)
{
    const sn_gpu_world_body *b = body;
    const sn_gpu_embedded *embedded = b->world->embedded[b->solver];
    const VkDeviceSize size = 12 * (VkDeviceSize)count * sizeof(float);
    return sn_gpu_read_back(b->world->gpu->device, sn_gpu_embedded_matrices(embedded),
                            48 * (VkDeviceSize)sn_gpu_embedded_first_matrix(embedded, b->index), size, matrices);
}

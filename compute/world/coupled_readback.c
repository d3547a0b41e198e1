/* SPDX-License-Identifier: MIT */
/* Downloads the state of coupled bodies to CPU bodies for rare operations and queries, and uploads it again. */
#include "compute/world/coupled_body.h"

sn_result sn_gpu_world_download_to(sn_gpu_world_coupled_body *b, sn_coupled_body *cpu_body)
{
    const sn_coupled_settings settings = sn_coupled_settings_from_shared(&b->shared->common);
    sn_result result = sn_coupled_body_set_settings(cpu_body, &settings);
    if (result == SN_OK) {
        result = sn_gpu_coupled_download(sn_gpu_world_coupled_of(b), b->base.index, cpu_body, NULL);
    }
    if (result == SN_OK) {
        result = sn_gpu_coupled_transforms(sn_gpu_world_coupled_of(b), b->base.index, b->table.now, b->table.before);
    }
    b->table.body = result == SN_OK ? cpu_body : NULL;
    return result;
}

bool sn_gpu_world_download(sn_gpu_world_coupled_body *b)
{
    return sn_gpu_world_download_to(b, sn_gpu_world_cpu_body_of(b)) == SN_OK;
}

sn_result sn_gpu_world_upload(sn_gpu_world_coupled_body *b)
{
    const sn_result result = sn_gpu_coupled_upload(sn_gpu_world_coupled_of(b), b->base.index, b->table.body);
    if (result == SN_OK) {
        sn_gpu_embedded_skip_interpolation(b->base.world->embedded[SN_SOLVER_COUPLED], b->base.index);
        sn_gpu_coupled_set_output_transforms(sn_gpu_world_coupled_of(b), b->base.index, b->table.now, b->table.before);
    }
    b->table.body = NULL;
    return result;
}

sn_result sn_gpu_world_create_cpu_body(const sn_gpu_world_coupled_body *b, sn_coupled_body **own_body)
{
    const sn_coupled_settings settings = sn_coupled_settings_from_shared(&b->shared->common);
    return sn_coupled_body_create(sn_gpu_world_rig_of(b)->bones->rig, &settings, own_body);
}

sn_result sn_gpu_world_upload_edits(const sn_gpu_world_coupled_body *b, sn_coupled_body *own_body)
{
    const sn_xpbd_model *edited = sn_coupled_body_flesh(own_body)->own_model;
    return edited ? sn_gpu_coupled_edit_flesh(sn_gpu_world_coupled_of(b), b->base.index, edited) : SN_OK;
}

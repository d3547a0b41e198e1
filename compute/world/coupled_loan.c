/* SPDX-License-Identifier: MIT */
/* Downloads the state of coupled bodies to CPU bodies for rare operations and queries, and uploads it again. */
#include "compute/world/coupled_body.h"

sn_result sn_gpu_place_borrow_as(sn_gpu_place_coupled *b, sn_coupled_body *twin)
{
    const sn_coupled_settings settings = sn_coupled_settings_of(&b->shared->common);
    sn_result result = sn_coupled_body_set_settings(twin, &settings);
    if (result == SN_OK) {
        result = sn_gpu_coupled_get(sn_gpu_place_solver_of(b), b->base.index, twin, NULL);
    }
    if (result == SN_OK) {
        result = sn_gpu_coupled_transforms(sn_gpu_place_solver_of(b), b->base.index, b->table.now, b->table.before);
    }
    b->table.body = result == SN_OK ? twin : NULL;
    return result;
}

bool sn_gpu_place_borrow(sn_gpu_place_coupled *b)
{
    return sn_gpu_place_borrow_as(b, sn_gpu_place_twin_of(b)) == SN_OK;
}

sn_result sn_gpu_place_give_back(sn_gpu_place_coupled *b)
{
    const sn_result result = sn_gpu_coupled_put(sn_gpu_place_solver_of(b), b->base.index, b->table.body);
    if (result == SN_OK) {
        sn_gpu_embedded_snap(b->base.place->drawn[SN_SOLVER_COUPLED], b->base.index);
        sn_gpu_coupled_put_shown(sn_gpu_place_solver_of(b), b->base.index, b->table.now, b->table.before);
    }
    b->table.body = NULL;
    return result;
}

sn_result sn_gpu_place_make_own(const sn_gpu_place_coupled *b, sn_coupled_body **own)
{
    const sn_coupled_settings settings = sn_coupled_settings_of(&b->shared->common);
    return sn_coupled_body_create(sn_gpu_place_rig_of(b)->bones->rig, &settings, own);
}

sn_result sn_gpu_place_send_edits(const sn_gpu_place_coupled *b, sn_coupled_body *own)
{
    const sn_xpbd_model *edited = sn_coupled_body_flesh(own)->own_model;
    return edited ? sn_gpu_coupled_edit_flesh(sn_gpu_place_solver_of(b), b->base.index, edited) : SN_OK;
}

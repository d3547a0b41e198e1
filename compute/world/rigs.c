/* SPDX-License-Identifier: MIT */
/* Rigs of a world's coupled bodies on a device. A rig stays when its model is destroyed, and is reused for a model with
 * the same contents. */
#include "compute/world/world.h"
#include "host/model/model.h"

static bool is_ratio(const sn_gpu_place_rig *r, double poisson)
{
    return r->bones->flesh->poisson == (poisson > -1 ? poisson : -1);
}

static int find_by_address(const sn_gpu_place *place, const sn_model *model, double poisson)
{
    int number = place->rig_count - 1;
    while (number >= 0 && (place->rigs[number].bones->model != model || !is_ratio(&place->rigs[number], poisson))) {
        --number;
    }
    return number;
}

static int find_unused(const sn_gpu_place *place, uint64_t hash, double poisson)
{
    int number = place->rig_count - 1;
    while (number >= 0 && (place->rigs[number].user_count > 0 || place->rigs[number].hash != hash ||
                           !is_ratio(&place->rigs[number], poisson))) {
        --number;
    }
    return number;
}

/* Creates the CPU data. */
static sn_result make(sn_gpu_place *place, const sn_model *model, double poisson, sn_gpu_place_rig *r)
{
    const sn_coupled_settings settings = sn_default_coupled_settings();
    sn_result result = sn_coupled_bones_acquire(&place->work, model, poisson, &r->bones);
    if (result == SN_OK) {
        result = sn_coupled_body_create(r->bones->rig, &settings, &r->twin);
        if (result != SN_OK) {
            sn_coupled_bones_release(&place->work, r->bones);
        }
    }
    return result;
}

static sn_result add(sn_gpu_place *place, const sn_model *model, double poisson, uint64_t hash)
{
    sn_gpu_place_rig *grown = sn_grow(place->rigs, place->rig_count, &place->rig_room, sizeof *grown);
    if (!grown) {
        return SN_ERROR_MEMORY;
    }
    place->rigs = grown;
    sn_gpu_place_rig *r = &grown[place->rig_count];
    *r = (sn_gpu_place_rig){.hash = hash, .index = -1};
    const sn_result result = make(place, model, poisson, r);
    place->rig_count += result == SN_OK;
    return result;
}

/* The solver retains what was added, so the rig stays on failure and the next attempt continues from here. */
static sn_result upload(sn_gpu_place *place, const sn_model *model, sn_gpu_place_rig *r)
{
    sn_result result = r->index < 0 ? sn_gpu_coupled_add_rig(place->coupled, r->bones->rig, &r->index) : SN_OK;
    if (result == SN_OK) {
        result = sn_gpu_coupled_set_skin(place->coupled, r->index, model);
    }
    if (result == SN_OK) {
        sn_gpu_coupled_set_empty_matrices(place->coupled, r->index, model->counts.mode_count);
    }
    r->is_uploaded = result == SN_OK;
    return result;
}

sn_result sn_gpu_place_acquire_rig(sn_gpu_place *place, const sn_model *model, double poisson, int *number)
{
    *number = find_by_address(place, model, poisson);
    if (*number < 0) {
        const uint64_t hash = sn_gpu_model_hash(model);
        *number = find_unused(place, hash, poisson);
        if (*number < 0) {
            const sn_result result = add(place, model, poisson, hash);
            if (result != SN_OK) {
                return result;
            }
            *number = place->rig_count - 1;
        }
    }
    sn_gpu_place_rig *r = &place->rigs[*number];
    const sn_result result = r->is_uploaded ? SN_OK : upload(place, model, r);
    r->bones->model = result == SN_OK ? model : NULL;
    r->user_count += result == SN_OK;
    return result;
}

void sn_gpu_place_release_rig(sn_gpu_place *place, int number)
{
    sn_gpu_place_rig *r = &place->rigs[number];
    if (--r->user_count == 0) {
        r->bones->model = NULL; /* the address may be reused */
    }
}

void sn_gpu_place_free_rigs(sn_gpu_place *place)
{
    for (int i = 0; i < place->rig_count; ++i) {
        sn_coupled_body_destroy(&place->rigs[i].twin);
        sn_coupled_bones_release(&place->work, place->rigs[i].bones);
    }
    sn_free(place->rigs, (size_t)place->rig_room, sizeof *place->rigs);
}

/* SPDX-License-Identifier: MIT */
/* Shared data of a world's layered bodies on a device, one entry per model and mode. An entry stays when its model is
 * destroyed, and is reused for a model with the same contents. */
#include "compute/world/world.h"

static int find_by_address(const sn_gpu_place *place, const sn_model *model, sn_layered_mode mode)
{
    int number = place->kind_count - 1;
    while (number >= 0 && (place->kinds[number].kind->model != model || place->kinds[number].kind->mode != mode)) {
        --number;
    }
    return number;
}

static int find_unused(const sn_gpu_place *place, uint64_t hash, sn_layered_mode mode)
{
    int number = place->kind_count - 1;
    while (number >= 0 && (place->kinds[number].user_count > 0 || place->kinds[number].hash != hash ||
                           place->kinds[number].kind->mode != mode)) {
        --number;
    }
    return number;
}

/* Creates the CPU data. */
static sn_result make(sn_gpu_place *place, const sn_model *model, sn_layered_mode mode, sn_gpu_place_kind *k)
{
    const sn_layered_settings settings = sn_default_layered_settings();
    sn_result result = sn_layered_kind_acquire(&place->layered_work, model, mode, &k->kind);
    if (result == SN_OK) {
        result = sn_layered_body_create(k->kind->layered, &settings, NULL, &k->twin);
        if (result != SN_OK) {
            sn_layered_kind_release(&place->layered_work, k->kind);
        }
    }
    return result;
}

static sn_result add(sn_gpu_place *place, const sn_model *model, sn_layered_mode mode, uint64_t hash)
{
    sn_gpu_place_kind *grown = sn_grow(place->kinds, place->kind_count, &place->kind_room, sizeof *grown);
    if (!grown) {
        return SN_ERROR_MEMORY;
    }
    place->kinds = grown;
    sn_gpu_place_kind *k = &grown[place->kind_count];
    *k = (sn_gpu_place_kind){.hash = hash, .index = -1};
    const sn_result result = make(place, model, mode, k);
    place->kind_count += result == SN_OK;
    return result;
}

/* The solver retains what was added, so the entry stays on failure and the next attempt continues from here. */
static sn_result upload(sn_gpu_place *place, const sn_model *model, sn_gpu_place_kind *k)
{
    sn_result result = k->index < 0 ? sn_gpu_layered_add_model(place->layered, k->kind->layered, &k->index) : SN_OK;
    if (result == SN_OK) {
        result = sn_gpu_layered_set_skin(place->layered, k->index, model);
    }
    k->is_uploaded = result == SN_OK;
    return result;
}

sn_result sn_gpu_place_acquire_kind(sn_gpu_place *place, const sn_model *model, sn_layered_mode mode, int *number)
{
    *number = find_by_address(place, model, mode);
    if (*number < 0) {
        const uint64_t hash = sn_gpu_model_hash(model);
        *number = find_unused(place, hash, mode);
        if (*number < 0) {
            const sn_result result = add(place, model, mode, hash);
            if (result != SN_OK) {
                return result;
            }
            *number = place->kind_count - 1;
        }
    }
    sn_gpu_place_kind *k = &place->kinds[*number];
    const sn_result result = k->is_uploaded ? SN_OK : upload(place, model, k);
    k->kind->model = result == SN_OK ? model : NULL;
    k->user_count += result == SN_OK;
    return result;
}

void sn_gpu_place_release_kind(sn_gpu_place *place, int number)
{
    sn_gpu_place_kind *k = &place->kinds[number];
    if (--k->user_count == 0) {
        k->kind->model = NULL; /* the address may be reused */
    }
}

void sn_gpu_place_free_kinds(sn_gpu_place *place)
{
    for (int i = 0; i < place->kind_count; ++i) {
        sn_layered_body_destroy(&place->kinds[i].twin);
        sn_layered_kind_release(&place->layered_work, place->kinds[i].kind);
    }
    sn_free(place->kinds, (size_t)place->kind_room, sizeof *place->kinds);
}

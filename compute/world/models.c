/* SPDX-License-Identifier: MIT */
/* Models of a world on a device. The upload of a destroyed model stays. Since addresses are reused, models are
 * identified by their contents. */
#include "compute/reduced/private.h"
#include "compute/world/world.h"
#include "host/base/hash.h"

uint64_t sn_gpu_model_hash(const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    uint64_t hash = sn_hash(SN_HASH_SEED, c, sizeof *c);
#define HASH_SCALAR(name) hash = sn_hash(hash, &model->name, sizeof model->name);
    SN_MODEL_SCALARS(HASH_SCALAR)
#undef HASH_SCALAR
#define HASH_ARRAY(name, type, rows, columns)                                                                          \
    hash = sn_hash(hash, model->name, sizeof(type) * (size_t)(rows) * (size_t)(columns));
    SN_MODEL_ARRAYS(HASH_ARRAY)
#undef HASH_ARRAY
    return hash;
}

/* Finds a model with users, whose address is therefore valid; -1 if there is none. */
static int find_by_address(const sn_gpu_place *place, const sn_model *model)
{
    int number = place->model_count - 1;
    while (number >= 0 && (place->models[number].user_count == 0 || place->models[number].model != model)) {
        --number;
    }
    return number;
}

static int find_by_hash(const sn_gpu_place *place, uint64_t hash, bool is_used)
{
    int number = place->model_count - 1;
    while (number >= 0 && (place->models[number].hash != hash || (place->models[number].user_count > 0) != is_used)) {
        --number;
    }
    return number;
}

/* Shares the upload of a model with the same contents, if there is one. */
static sn_result add_model(sn_gpu_place *place, const sn_model *model, uint64_t hash)
{
    sn_gpu_place_model *grown = sn_grow(place->models, place->model_count, &place->model_room, sizeof *place->models);
    if (!grown) {
        return SN_ERROR_MEMORY;
    }
    place->models = grown;
    sn_gpu_place_model *added = &grown[place->model_count];
    const int twin = find_by_hash(place, hash, true);
    *added = (sn_gpu_place_model){.hash = hash};
    if (twin >= 0) {
        added->index = grown[twin].index;
    }
    const sn_result result = twin >= 0 ? SN_OK : sn_gpu_reduced_add_model(place->reduced, model, &added->index);
    place->model_count += result == SN_OK;
    return result;
}

sn_result sn_gpu_place_acquire_model(sn_gpu_place *place, const sn_model *model, int *number)
{
    *number = find_by_address(place, model);
    if (*number < 0) {
        const uint64_t hash = sn_gpu_model_hash(model);
        *number = find_by_hash(place, hash, false);
        if (*number < 0) {
            const sn_result result = add_model(place, model, hash);
            if (result != SN_OK) {
                return result;
            }
            *number = place->model_count - 1;
        }
    }
    place->models[*number].model = model;
    ++place->models[*number].user_count;
    return SN_OK;
}

void sn_gpu_place_release_model(sn_gpu_place *place, int number)
{
    --place->models[number].user_count;
}

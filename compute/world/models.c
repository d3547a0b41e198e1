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
static int find_by_address(const sn_gpu_world *world, const sn_model *model)
{
    int number = world->model_count - 1;
    while (number >= 0 && (world->models[number].user_count == 0 || world->models[number].model != model)) {
        --number;
    }
    return number;
}

static int find_by_hash(const sn_gpu_world *world, uint64_t hash, bool is_used)
{
    int number = world->model_count - 1;
    while (number >= 0 && (world->models[number].hash != hash || (world->models[number].user_count > 0) != is_used)) {
        --number;
    }
    return number;
}

/* Shares the upload of a model with the same contents, if there is one. */
static sn_result add_model(sn_gpu_world *world, const sn_model *model, uint64_t hash)
{
    sn_gpu_world_model *grown =
        sn_grow(world->models, world->model_count, &world->model_capacity, sizeof *world->models);
    if (!grown) {
        return SN_ERROR_MEMORY;
    }
    world->models = grown;
    sn_gpu_world_model *added = &grown[world->model_count];
    const int duplicate = find_by_hash(world, hash, true);
    *added = (sn_gpu_world_model){.hash = hash};
    if (duplicate >= 0) {
        added->index = grown[duplicate].index;
    }
    const sn_result result = duplicate >= 0 ? SN_OK : sn_gpu_reduced_add_model(world->reduced, model, &added->index);
    world->model_count += result == SN_OK;
    return result;
}

sn_result sn_gpu_world_acquire_model(sn_gpu_world *world, const sn_model *model, int *number)
{
    *number = find_by_address(world, model);
    if (*number < 0) {
        const uint64_t hash = sn_gpu_model_hash(model);
        *number = find_by_hash(world, hash, false);
        if (*number < 0) {
            const sn_result result = add_model(world, model, hash);
            if (result != SN_OK) {
                return result;
            }
            *number = world->model_count - 1;
        }
    }
    world->models[*number].model = model;
    ++world->models[*number].user_count;
    return SN_OK;
}

void sn_gpu_world_release_model(sn_gpu_world *world, int number)
{
    --world->models[number].user_count;
}

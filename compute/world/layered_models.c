/* SPDX-License-Identifier: MIT */
/* Shared data of a world's layered bodies on a device, one entry per model and mode. An entry stays when its model is
 * destroyed, and is reused for a model with the same contents. */
#include "compute/world/world.h"

static int find_by_address(const sn_gpu_world *world, const sn_model *model, sn_layered_mode mode)
{
    int number = world->layered_model_count - 1;
    while (number >= 0 && (world->layered_models[number].shared_model->model != model ||
                           world->layered_models[number].shared_model->mode != mode)) {
        --number;
    }
    return number;
}

static int find_unused(const sn_gpu_world *world, uint64_t hash, sn_layered_mode mode)
{
    int number = world->layered_model_count - 1;
    while (number >= 0 && (world->layered_models[number].user_count > 0 || world->layered_models[number].hash != hash ||
                           world->layered_models[number].shared_model->mode != mode)) {
        --number;
    }
    return number;
}

/* Creates the CPU data. */
static sn_result create_cpu_data(sn_gpu_world *world, const sn_model *model, sn_layered_mode mode,
                                 sn_gpu_world_layered_model *k)
{
    const sn_layered_settings settings = sn_default_layered_settings();
    sn_result result = sn_layered_shared_model_acquire(&world->layered_work, model, mode, &k->shared_model);
    if (result == SN_OK) {
        result = sn_layered_body_create(k->shared_model->layered, &settings, NULL, &k->cpu_body);
        if (result != SN_OK) {
            sn_layered_shared_model_release(&world->layered_work, k->shared_model);
        }
    }
    return result;
}

static sn_result add_entry(sn_gpu_world *world, const sn_model *model, sn_layered_mode mode, uint64_t hash)
{
    sn_gpu_world_layered_model *grown =
        sn_grow(world->layered_models, world->layered_model_count, &world->layered_model_capacity, sizeof *grown);
    if (!grown) {
        return SN_ERROR_MEMORY;
    }
    world->layered_models = grown;
    sn_gpu_world_layered_model *k = &grown[world->layered_model_count];
    *k = (sn_gpu_world_layered_model){.hash = hash, .index = -1};
    const sn_result result = create_cpu_data(world, model, mode, k);
    world->layered_model_count += result == SN_OK;
    return result;
}

/* The solver retains what was added, so the entry stays on failure and the next attempt continues from here. */
static sn_result upload(sn_gpu_world *world, const sn_model *model, sn_gpu_world_layered_model *k)
{
    sn_result result = sn_gpu_world_create_solver(world, SN_SOLVER_LAYERED);
    if (result == SN_OK && k->index < 0) {
        result = sn_gpu_layered_add_model(world->layered, k->shared_model->layered, &k->index);
    }
    if (result == SN_OK) {
        result = sn_gpu_layered_set_skin(world->layered, k->index, model);
    }
    k->is_uploaded = result == SN_OK;
    return result;
}

sn_result sn_gpu_world_acquire_layered_model(sn_gpu_world *world, const sn_model *model, sn_layered_mode mode,
                                             int *number)
{
    *number = find_by_address(world, model, mode);
    if (*number < 0) {
        const uint64_t hash = sn_gpu_model_hash(model);
        *number = find_unused(world, hash, mode);
        if (*number < 0) {
            const sn_result result = add_entry(world, model, mode, hash);
            if (result != SN_OK) {
                return result;
            }
            *number = world->layered_model_count - 1;
        }
    }
    sn_gpu_world_layered_model *k = &world->layered_models[*number];
    const sn_result result = k->is_uploaded ? SN_OK : upload(world, model, k);
    k->shared_model->model = result == SN_OK ? model : NULL;
    k->user_count += result == SN_OK;
    return result;
}

void sn_gpu_world_release_layered_model(sn_gpu_world *world, int number)
{
    sn_gpu_world_layered_model *k = &world->layered_models[number];
    if (--k->user_count == 0) {
        k->shared_model->model = NULL; /* the address may be reused */
    }
}

void sn_gpu_world_free_layered_models(sn_gpu_world *world)
{
    for (int i = 0; i < world->layered_model_count; ++i) {
        sn_layered_body_destroy(&world->layered_models[i].cpu_body);
        sn_layered_shared_model_release(&world->layered_work, world->layered_models[i].shared_model);
    }
    sn_free(world->layered_models, (size_t)world->layered_model_capacity, sizeof *world->layered_models);
}

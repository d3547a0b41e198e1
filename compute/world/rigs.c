/* SPDX-License-Identifier: MIT */
/* Rigs of a world's coupled bodies on a device. A rig stays when its model is destroyed, and is reused for a model with
 * the same contents. */
#include "compute/world/world.h"
#include "host/model/model.h"

static bool has_poisson(const sn_gpu_world_rig *r, double poisson)
{
    return r->bones->flesh->poisson == (poisson > -1 ? poisson : -1);
}

static int find_by_address(const sn_gpu_world *world, const sn_model *model, double poisson)
{
    int number = world->rig_count - 1;
    while (number >= 0 && (world->rigs[number].bones->model != model || !has_poisson(&world->rigs[number], poisson))) {
        --number;
    }
    return number;
}

static int find_unused(const sn_gpu_world *world, uint64_t hash, double poisson)
{
    int number = world->rig_count - 1;
    while (number >= 0 && (world->rigs[number].user_count > 0 || world->rigs[number].hash != hash ||
                           !has_poisson(&world->rigs[number], poisson))) {
        --number;
    }
    return number;
}

/* Creates the CPU data. */
static sn_result create_cpu_data(sn_gpu_world *world, const sn_model *model, double poisson, sn_gpu_world_rig *r)
{
    const sn_coupled_settings settings = sn_default_coupled_settings();
    sn_result result = sn_coupled_shared_rig_acquire(&world->work, model, poisson, &r->bones);
    if (result == SN_OK) {
        result = sn_coupled_body_create(r->bones->rig, &settings, &r->cpu_body);
        if (result != SN_OK) {
            sn_coupled_shared_rig_release(&world->work, r->bones);
        }
    }
    return result;
}

static sn_result add_entry(sn_gpu_world *world, const sn_model *model, double poisson, uint64_t hash)
{
    sn_gpu_world_rig *grown = sn_grow(world->rigs, world->rig_count, &world->rig_capacity, sizeof *grown);
    if (!grown) {
        return SN_ERROR_MEMORY;
    }
    world->rigs = grown;
    sn_gpu_world_rig *r = &grown[world->rig_count];
    *r = (sn_gpu_world_rig){.hash = hash, .index = -1};
    const sn_result result = create_cpu_data(world, model, poisson, r);
    world->rig_count += result == SN_OK;
    return result;
}

/* The solver retains what was added, so the rig stays on failure and the next attempt continues from here. */
static sn_result upload(sn_gpu_world *world, const sn_model *model, sn_gpu_world_rig *r)
{
    sn_result result = sn_gpu_world_create_solver(world, SN_SOLVER_COUPLED);
    if (result == SN_OK && r->index < 0) {
        result = sn_gpu_coupled_add_rig(world->coupled, r->bones->rig, &r->index);
    }
    if (result == SN_OK) {
        result = sn_gpu_coupled_set_skin(world->coupled, r->index, model);
    }
    if (result == SN_OK) {
        sn_gpu_coupled_set_empty_matrices(world->coupled, r->index, model->counts.mode_count);
    }
    r->is_uploaded = result == SN_OK;
    return result;
}

sn_result sn_gpu_world_acquire_rig(sn_gpu_world *world, const sn_model *model, double poisson, int *number)
{
    *number = find_by_address(world, model, poisson);
    if (*number < 0) {
        const uint64_t hash = sn_gpu_model_hash(model);
        *number = find_unused(world, hash, poisson);
        if (*number < 0) {
            const sn_result result = add_entry(world, model, poisson, hash);
            if (result != SN_OK) {
                return result;
            }
            *number = world->rig_count - 1;
        }
    }
    sn_gpu_world_rig *r = &world->rigs[*number];
    const sn_result result = r->is_uploaded ? SN_OK : upload(world, model, r);
    r->bones->model = result == SN_OK ? model : NULL;
    r->user_count += result == SN_OK;
    return result;
}

void sn_gpu_world_release_rig(sn_gpu_world *world, int number)
{
    sn_gpu_world_rig *r = &world->rigs[number];
    if (--r->user_count == 0) {
        r->bones->model = NULL; /* the address may be reused */
    }
}

void sn_gpu_world_free_rigs(sn_gpu_world *world)
{
    for (int i = 0; i < world->rig_count; ++i) {
        sn_coupled_body_destroy(&world->rigs[i].cpu_body);
        sn_coupled_shared_rig_release(&world->work, world->rigs[i].bones);
    }
    sn_free(world->rigs, (size_t)world->rig_capacity, sizeof *world->rigs);
}

/* SPDX-License-Identifier: MIT */
#include "tools/simulation/device_run.h"

#include "compute/core/commands.h"

sn_result sn_device_run_open(sn_device_run *run, sn_gpu_device *device)
{
    SN_TRY(sn_gpu_create_on(device, SN_DEVICE_RUN_STEPS, &run->gpu));
    run->gpu->is_single_precision = run->is_single_precision;
    SN_TRY(run->gpu->backend.backend_world_create(&run->gpu->backend, 1, &run->world));
    return sn_gpu_timer_create(device, "step timer", SN_DEVICE_RUN_STEPS, &run->timer);
}

void sn_device_run_close(sn_device_run *run)
{
    if (run->gpu) {
        if (run->world) {
            run->gpu->backend.backend_world_destroy(&run->world);
        }
        sn_gpu_timer_destroy(run->gpu->device, &run->timer);
    }
    sn_gpu_destroy(&run->gpu);
}

/* Reserves the colliders and uploads the obstacles' distance grids on the first step. */
static sn_result reserve(sn_device_run *run, const sn_surroundings *surroundings)
{
    for (; run->collider_count < surroundings->collider_count; ++run->collider_count) {
        SN_TRY(run->gpu->backend.reserve_colliders(run->world, &surroundings->colliders[run->collider_count],
                                                   surroundings->collider_count));
    }
    return SN_OK;
}

/* Records separate commands, so that the timer measures only this step. */
sn_result sn_device_run_step(sn_device_run *run, const sn_solver_table *table, void *body, const double *pose,
                             const sn_surroundings *surroundings)
{
    sn_gpu_world *world = run->world;
    const sn_backend *backend = &run->gpu->backend;
    const uint32_t slot = run->step_count++ % SN_DEVICE_RUN_STEPS;
    sn_result result = reserve(run, surroundings);
    if (result == SN_OK) {
        result = sn_gpu_wait(run->gpu->device, run->submissions[slot]);
    }
    if (result == SN_OK) {
        result = sn_gpu_begin(run->gpu->device, &world->commands);
    }
    if (result != SN_OK) {
        return result;
    }
    const VkCommandBuffer commands = world->commands;
    world->has_external_commands = true;
    sn_gpu_timer_begin(&run->timer, commands, slot);
    backend->begin(world);
    table->body_step(body, pose, surroundings);
    backend->record_step(world);
    backend->end(world, 1, 1);
    sn_gpu_timer_end(&run->timer, commands, slot);
    return sn_gpu_submit(run->gpu->device, commands, &run->submissions[slot]);
}

sn_result sn_device_run_milliseconds(sn_device_run *run, uint32_t step, double *milliseconds)
{
    double seconds = 0;
    const sn_result result = sn_gpu_timer_read(run->gpu->device, &run->timer, step % SN_DEVICE_RUN_STEPS, &seconds);
    *milliseconds = 1e3 * seconds;
    return result;
}

sn_device_run_matrices sn_device_run_find_matrices(const void *body, bool is_flesh_drawn)
{
    const sn_gpu_world_body *b = body;
    const sn_gpu_world *world = b->world;
    if (is_flesh_drawn) {
        return (sn_device_run_matrices){world->flesh[b->solver].buffer,
                                        sn_gpu_embedded_first_matrix(world->embedded[b->solver], b->index)};
    }
    return (sn_device_run_matrices){world->matrices[b->solver].buffer,
                                    sn_gpu_coupled_first_matrix(world->coupled, b->index)};
}

sn_result sn_device_run_embed(const sn_device_run *run, void *body, const sn_embedding *embedding)
{
    return run->gpu->backend.body_set_embedding(body, embedding);
}

/* SPDX-License-Identifier: MIT */
#include "tools/simulation/coupled_run.h"

#include "compute/core/commands.h"
#include "host/coupled/table.h"
#include "host/model/model.h"
#include "host/xpbd/solver.h"

static sn_gpu_place *place_of(const sn_coupled_run *run)
{
    return run->work;
}

static sn_result open_work(sn_coupled_run *run, sn_gpu_device *device)
{
    if (!device) {
        run->table = &sn_coupled_table;
        return run->table->work_create(1, &run->work);
    }
    run->table = &sn_gpu_coupled_table;
    sn_result result = sn_gpu_create_on(device, SN_COUPLED_RUN_STEPS, &run->gpu);
    if (result == SN_OK) {
        run->gpu->is_single = run->is_single;
        result = run->gpu->backend.place_create(&run->gpu->backend, 1, &run->work);
    }
    return result == SN_OK ? sn_gpu_timer_create(device, "step timer", SN_COUPLED_RUN_STEPS, &run->timer) : result;
}

/* Its place's device must be idle to be read. */
static sn_result read(sn_coupled_run *run, int *recovery_count)
{
    *recovery_count = run->recovery_count;
    run->now = run->gpu ? sn_gpu_place_read_coupled(run->body, recovery_count) : ((sn_table_body *)run->body)->body;
    return run->now ? SN_OK : SN_ERROR_UNSUPPORTED;
}

sn_result sn_coupled_run_open(sn_coupled_run *run, sn_gpu_device *device, const sn_model *model,
                              const sn_solver_desc *desc, const uint8_t *locks, const double *pose)
{
    run->bone_count = model->counts.bone_count;
    sn_result result = open_work(run, device);
    if (result == SN_OK) {
        result = run->table->shared_create(model, desc, run->work, &run->shared);
    }
    if (result == SN_OK) {
        result = run->table->body_create(run->shared, pose, &run->body);
    }
    for (int bone = 0; bone < run->bone_count && result == SN_OK; ++bone) {
        run->table->body_locks(run->body, bone, locks[bone]);
    }
    if (result == SN_OK) {
        result = read(run, &run->recovery_count);
    }
    if (result == SN_OK) { /* of which the flesh may have asked for the number */
        const sn_xpbd_settings *settings = &sn_coupled_body_flesh(run->now)->settings;
        run->sweep_count = settings->substep_count * settings->sweep_count;
    }
    return result;
}

static void close_work(sn_coupled_run *run)
{
    if (run->work && run->gpu) {
        run->gpu->backend.place_destroy(&run->work);
    } else if (run->work) {
        run->table->work_destroy(&run->work);
    }
    if (run->gpu) {
        sn_gpu_timer_destroy(run->gpu->device, &run->timer);
    }
    sn_gpu_destroy(&run->gpu);
}

void sn_coupled_run_close(sn_coupled_run *run)
{
    if (run->body) {
        run->table->body_destroy(&run->body);
    }
    if (run->shared) {
        run->table->shared_destroy(&run->shared);
    }
    close_work(run);
    *run = (sn_coupled_run){0};
}

/* ---- steps ---- */

/* Room for what is around, and the grids of solids: once. */
static sn_result reserve(sn_coupled_run *run, const sn_surroundings *surroundings)
{
    sn_result result = SN_OK;
    for (; run->collider_count < surroundings->collider_count && result == SN_OK; ++run->collider_count) {
        result = run->gpu->backend.reserve_colliders(run->work, &surroundings->colliders[run->collider_count],
                                                     surroundings->collider_count);
    }
    return result;
}

/* In commands of our own, so that a timer is around them. */
static sn_result submit(sn_coupled_run *run, const double *pose, const sn_surroundings *surroundings)
{
    sn_gpu_place *place = place_of(run);
    const sn_backend *backend = &run->gpu->backend;
    const uint32_t slot = run->step_count++ % SN_COUPLED_RUN_STEPS;
    sn_result result = reserve(run, surroundings);
    if (result == SN_OK) {
        result = sn_gpu_wait(run->gpu->device, run->submissions[slot]);
    }
    if (result == SN_OK) {
        result = sn_gpu_begin(run->gpu->device, &place->commands);
    }
    if (result != SN_OK) {
        return result;
    }
    const VkCommandBuffer commands = place->commands;
    place->has_given_commands = true;
    sn_gpu_timer_begin(&run->timer, commands, slot);
    backend->begin(place);
    run->table->body_step(run->body, pose, surroundings);
    backend->record_step(place);
    backend->end(place, 1);
    sn_gpu_timer_end(&run->timer, commands, slot);
    return sn_gpu_submit(run->gpu->device, commands, &run->submissions[slot]);
}

sn_result sn_coupled_run_step(sn_coupled_run *run, const double *pose, const sn_surroundings *surroundings,
                              bool *is_sound)
{
    *is_sound = run->gpu || run->table->body_step(run->body, pose, surroundings);
    return run->gpu ? submit(run, pose, surroundings) : SN_OK;
}

sn_result sn_coupled_run_read(sn_coupled_run *run, double *bones, bool *is_sound)
{
    int count = 0;
    const sn_result result = read(run, &count);
    if (result == SN_OK) {
        *is_sound = *is_sound && count == run->recovery_count;
        run->recovery_count = count;
        sn_coupled_body_transforms(run->now, bones);
    }
    return result;
}

/* ---- what it is like ---- */

void sn_coupled_run_positions(const sn_coupled_run *run, double *flesh, double *rig)
{
    sn_xpbd_body_positions(sn_coupled_body_flesh(run->now), flesh);
    sn_coupled_body_rig_positions(run->now, rig);
}

sn_xpbd_energy sn_coupled_run_energy(const sn_coupled_run *run)
{
    return sn_xpbd_body_energy(sn_coupled_body_flesh(run->now));
}

VkBuffer sn_coupled_run_matrices(const sn_coupled_run *run, uint32_t *first)
{
    const sn_gpu_place_body *body = run->body;
    *first = sn_gpu_coupled_first_matrix(body->place->coupled, body->index);
    return body->place->coupled_matrices.buffer;
}

sn_result sn_coupled_run_milliseconds(sn_coupled_run *run, uint32_t step, double *milliseconds)
{
    double seconds = 0;
    const sn_result result = sn_gpu_timer_read(run->gpu->device, &run->timer, step % SN_COUPLED_RUN_STEPS, &seconds);
    *milliseconds = 1e3 * seconds;
    return result;
}

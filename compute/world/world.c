/* SPDX-License-Identifier: MIT */
/* The bodies of one world on a device, and the calls of the world. They are recorded into the program's command buffer,
 * or into an own one that is submitted. The results of steps arrive late, in a copy that a later call reads. */
#include <stdatomic.h>
#include <string.h>

#include "compute/core/commands.h"
#include "compute/world/world.h"
#include "shaders/shared/reduced.h"
#include "shaders/shared/xpbd.h"

#define STEP_LIMIT 4096

sn_gpu_xpbd *sn_gpu_world_xpbd_of(const sn_gpu_world *world, sn_body_solver solver)
{
    return solver == SN_SOLVER_COUPLED && world->coupled   ? sn_gpu_coupled_flesh(world->coupled)
           : solver == SN_SOLVER_LAYERED && world->layered ? sn_gpu_layered_flesh(world->layered)
                                                           : NULL;
}

static void destroy_solver(sn_gpu_world *world, sn_body_solver solver)
{
    sn_gpu_embedded_destroy(&world->embedded[solver]);
    if (solver == SN_SOLVER_COUPLED) {
        sn_gpu_coupled_destroy(&world->coupled);
    } else if (solver == SN_SOLVER_LAYERED) {
        sn_gpu_layered_destroy(&world->layered);
    } else {
        sn_gpu_reduced_destroy(&world->reduced);
    }
}

/* Position-based solvers need as many recordings as the reduced one: one for each step and one for rendering. */
sn_result sn_gpu_world_create_solver(sn_gpu_world *world, sn_body_solver solver)
{
    sn_gpu_device *device = world->gpu->device;
    sn_gpu_xpbd_desc desc = sn_default_gpu_xpbd_desc();
    const sn_gpu_buffer *grid_buffer = NULL;
    const sn_gpu_grids *grids = sn_gpu_reduced_grids(world->reduced, &grid_buffer);
    if (sn_gpu_world_xpbd_of(world, solver)) {
        return SN_OK;
    }
    desc.recording_limit = world->recording_limit;
    desc.is_single_precision = world->gpu->is_single_precision;
    sn_result result = solver == SN_SOLVER_COUPLED ? sn_gpu_coupled_create(device, &desc, &world->coupled)
                                                   : sn_gpu_layered_create(device, &desc, &world->layered);
    sn_gpu_xpbd *engine = sn_gpu_world_xpbd_of(world, solver);
    if (result == SN_OK) {
        result = sn_gpu_xpbd_copy_grids(engine, grids, grid_buffer);
    }
    if (result == SN_OK) {
        result = sn_gpu_xpbd_reserve_colliders(engine, world->collider_count);
    }
    if (result == SN_OK) {
        result = sn_gpu_embedded_create(device, engine, world->gpu->frames_in_flight, &world->embedded[solver]);
    }
    if (result != SN_OK) {
        destroy_solver(world, solver);
    }
    return result;
}

sn_result sn_gpu_world_create(const sn_backend *backend, int step_limit, void **result)
{
    const sn_gpu *gpu = (const sn_gpu *)(const void *)backend;
    *result = NULL;
    if (step_limit > STEP_LIMIT) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "world: %d steps per call; a device allows at most %d", step_limit,
                       STEP_LIMIT);
    }
    sn_gpu_world *world = sn_alloc(1, sizeof *world);
    if (!world) {
        return SN_ERROR_MEMORY;
    }
    *world = (sn_gpu_world){
        .gpu = gpu, .recording_limit = gpu->frames_in_flight * (step_limit + 1), .layered_work = {.is_coloured = true}};
    sn_gpu_reduced_desc reduced = sn_default_gpu_reduced_desc();
    reduced.recording_limit = world->recording_limit;
    const sn_result code = sn_gpu_reduced_create(gpu->device, &reduced, &world->reduced);
    *result = world;
    if (code != SN_OK) {
        sn_gpu_world_destroy(result);
    }
    return code;
}

/* The solvers' destructors wait for the device. */
void sn_gpu_world_destroy(void **result)
{
    sn_gpu_world *world = *result;
    *result = NULL;
    for (int i = 0; i < SN_SOLVER_COUNT; ++i) {
        destroy_solver(world, (sn_body_solver)i);
    }
    for (int i = 0; i < SN_SOLVER_COUNT; ++i) { /* the solvers have waited for the device */
        sn_gpu_buffer_destroy(world->gpu->device, &world->statuses[i].buffer);
    }
    sn_gpu_world_free_rigs(world);
    sn_gpu_world_free_layered_models(world);
    sn_free(world->models, (size_t)world->model_capacity, sizeof *world->models);
    sn_free(world, 1, sizeof *world);
}

/* ---- results of steps ---- */

static VkDeviceSize slot_bytes(const sn_gpu_world *world, const sn_gpu_world_status_copy *copy)
{
    return copy->buffer.size / (VkDeviceSize)world->gpu->frames_in_flight;
}

static VkDeviceSize slot_offset(const sn_gpu_world *world, const sn_gpu_world_status_copy *copy)
{
    return world->call_count % (uint64_t)world->gpu->frames_in_flight * slot_bytes(world, copy);
}

/* Grows the copy to the size of the status buffer. */
static sn_result grow_copy(sn_gpu_world *world, VkDeviceSize size, sn_gpu_world_status_copy *copy)
{
    sn_gpu_device *device = world->gpu->device;
    sn_gpu_buffer larger;
    if (size == 0 || (copy->buffer.handle && slot_bytes(world, copy) >= size)) { /* 0: the solver has no bodies */
        return SN_OK;
    }
    const sn_result result =
        sn_gpu_buffer_create(device, "world statuses", size * (VkDeviceSize)world->gpu->frames_in_flight,
                             VK_BUFFER_USAGE_TRANSFER_DST_BIT, SN_GPU_MEMORY_READBACK, &larger);
    if (result != SN_OK) {
        return result;
    }
    sn_gpu_device_wait(device);
    sn_gpu_buffer_destroy(device, &copy->buffer);
    *copy = (sn_gpu_world_status_copy){larger, world->call_count};
    return SN_OK;
}

/* Null if the solver does not exist. */
static const sn_gpu_buffer *statuses_of(const sn_gpu_world *world, int solver)
{
    const sn_gpu_xpbd *engine = sn_gpu_world_xpbd_of(world, (sn_body_solver)solver);
    if (solver == SN_SOLVER_REDUCED) {
        return sn_gpu_reduced_statuses(world->reduced);
    }
    return engine ? sn_gpu_xpbd_statuses(engine) : NULL;
}

/* Buffers must not be reallocated while a call is being recorded, since recorded commands refer to them. */
static sn_result reserve_colliders(sn_gpu_world *world, int count)
{
    world->collider_count = count > world->collider_count ? count : world->collider_count;
    SN_TRY(sn_gpu_reduced_reserve_colliders(world->reduced, world->collider_count));
    for (int i = 0; i < SN_SOLVER_COUNT; ++i) {
        sn_gpu_xpbd *engine = sn_gpu_world_xpbd_of(world, (sn_body_solver)i);
        SN_TRY(engine ? sn_gpu_xpbd_reserve_colliders(engine, world->collider_count) : SN_OK);
    }
    return SN_OK;
}

sn_result sn_gpu_world_reserve_colliders(void *world, const sn_collider *collider, int count)
{
    const sn_gpu_world *p = world;
    if (collider->shape == SN_COLLIDER_GRID) {
        sn_result result = sn_gpu_reduced_add_grid(p->reduced, collider->grid);
        for (int i = 0; i < SN_SOLVER_COUNT && result == SN_OK; ++i) {
            sn_gpu_xpbd *engine = sn_gpu_world_xpbd_of(p, (sn_body_solver)i);
            result = engine ? sn_gpu_xpbd_add_grid(engine, collider->grid) : SN_OK;
        }
        if (result != SN_OK) {
            return result;
        }
    }
    return reserve_colliders(world, count);
}

sn_result sn_gpu_world_reserve(sn_gpu_world *world)
{
    SN_TRY(reserve_colliders(world, 0));
    for (int i = 0; i < SN_SOLVER_COUNT; ++i) {
        const sn_gpu_buffer *statuses = statuses_of(world, i);
        SN_TRY(statuses ? grow_copy(world, statuses->size, &world->statuses[i]) : SN_OK);
    }
    return SN_OK;
}

static void read_step_stats(const struct sn_reduced_status *status, sn_gpu_world_body *body)
{
    body->step_stats = (sn_body_step_stats){.iteration_count = (int)status->iteration_count,
                                            .change = (double)status->change / body->diagonal,
                                            .is_converged = status->is_converged != 0,
                                            .is_over_budget = status->is_over_budget != 0};
}

bool sn_gpu_world_read_status(sn_gpu_world_body *body)
{
    const sn_gpu_world *world = body->world;
    const sn_gpu_world_status_copy *copy = &world->statuses[body->solver];
    const uint64_t frames = (uint64_t)world->gpu->frames_in_flight;
    const uint64_t first = body->first_call > copy->first_valid_call ? body->first_call : copy->first_valid_call;
    if (world->call_count < first + frames) { /* the slot has no statuses of this body yet */
        return false;
    }
    const void *statuses = (const uint8_t *)copy->buffer.mapped + slot_offset(world, copy);
    uint32_t count = 0;
    if (body->solver != SN_SOLVER_REDUCED) {
        count = ((const struct sn_xpbd_status *)statuses)[body->index].recovery_count;
    } else {
        const struct sn_reduced_status *status = (const struct sn_reduced_status *)statuses + body->index;
        count = status->recovery_count;
        read_step_stats(status, body);
    }
    const bool is_new = count > body->recovery_count;
    body->recovery_count = is_new ? count : body->recovery_count;
    body->step_stats.is_converged &= !is_new;
    return is_new;
}

/* Copies the statuses that fit into the slot: all, unless the slot could not grow. */
static void record_copy(const sn_gpu_world *world, const sn_gpu_buffer *statuses, const sn_gpu_world_status_copy *copy)
{
    const VkDeviceSize capacity = slot_bytes(world, copy);
    if (copy->buffer.handle) { /* there is a body of the solver */
        const VkBufferCopy region = {.dstOffset = slot_offset(world, copy),
                                     .size = statuses->size < capacity ? statuses->size : capacity};
        vkCmdCopyBuffer(world->commands, statuses->handle, copy->buffer.handle, 1, &region);
    }
}

static void record_statuses(const sn_gpu_world *world)
{
    sn_gpu_barrier(world->commands, SN_GPU_SHADER_WRITE, SN_GPU_TRANSFER_READ);
    for (int i = 0; i < SN_SOLVER_COUNT; ++i) {
        record_copy(world, statuses_of(world, i), &world->statuses[i]);
    }
    sn_gpu_barrier(world->commands, SN_GPU_TRANSFER_WRITE, SN_GPU_HOST_READ);
    sn_gpu_barrier(world->commands, SN_GPU_TRANSFER_READ, SN_GPU_SHADER_WRITE);
}

/* A solver creates its new buffer before it destroys the old one, so a new buffer has a new handle. Versions are unique
 * in the process, since buffers of different worlds may get the same handle. */
static void update_version(VkBuffer buffer, sn_gpu_world_matrices *matrices)
{
    static atomic_uint_least64_t version_count;
    if (buffer != matrices->buffer) {
        *matrices = (sn_gpu_world_matrices){buffer, 1 + atomic_fetch_add(&version_count, 1)};
    }
}

sn_result sn_gpu_world_update_matrix_versions(sn_gpu_world *world)
{
    sn_gpu_embedded *of_layered = world->embedded[SN_SOLVER_LAYERED], *of_coupled = world->embedded[SN_SOLVER_COUPLED];
    update_version(sn_gpu_reduced_matrices(world->reduced)->handle, &world->matrices[SN_SOLVER_REDUCED]);
    if (of_layered) {
        update_version(sn_gpu_embedded_matrices(of_layered)->handle, &world->matrices[SN_SOLVER_LAYERED]);
        update_version(sn_gpu_embedded_matrices(of_layered)->handle, &world->flesh[SN_SOLVER_LAYERED]);
    }
    if (!of_coupled) {
        return SN_OK;
    }
    update_version(sn_gpu_coupled_matrices(world->coupled)->handle, &world->matrices[SN_SOLVER_COUPLED]);
    update_version(sn_gpu_embedded_matrices(of_coupled)->handle, &world->flesh[SN_SOLVER_COUPLED]);
    return sn_gpu_embedded_set_bones(of_coupled, sn_gpu_coupled_matrices(world->coupled)->handle);
}

/* ---- world calls ---- */

static uint64_t *submission_of(sn_gpu_world *world)
{
    return &world->submissions[world->call_count % (uint64_t)world->gpu->frames_in_flight];
}

/* A failure is logged and the call is not recorded: a lost device does not step. */
static sn_result begin(sn_gpu_world *world)
{
    sn_gpu_device *device = world->gpu->device;
    sn_result result = sn_gpu_wait(
        device, *submission_of(world)); /* an own submission, even if the program provides the commands of this call */
    if (!world->has_external_commands) {
        world->commands = VK_NULL_HANDLE;
        result = result ? result : sn_gpu_begin(device, &world->commands);
    }
    *submission_of(world) = 0;
    for (int i = 0; i < SN_SOLVER_COUNT && result == SN_OK; ++i) {
        const sn_gpu_buffer *copy = &world->statuses[i].buffer;
        result = copy->handle ? sn_gpu_buffer_invalidate(device, copy) : SN_OK;
    }
    return result;
}

void sn_gpu_world_begin_call(void *p)
{
    begin(p);
}

void sn_gpu_world_record_step(void *p)
{
    const sn_gpu_world *world = p;
    if (world->commands) {
        for (int i = 0; i < SN_SOLVER_COUNT; ++i) {
            if (world->embedded[i]) {
                sn_gpu_embedded_record_copies(world->embedded[i], world->commands);
            }
        }
        sn_gpu_reduced_record_step(world->reduced, world->commands, 1);
        if (world->coupled) {
            sn_gpu_coupled_record_step(world->coupled, world->commands);
        }
        if (world->layered) {
            sn_gpu_layered_record_step(world->layered, world->commands);
        }
    }
}

/* Recomputes the matrices, since the rig's pose is usually later than the last step. */
void sn_gpu_world_end_call(void *p, double mode_fraction, double bone_fraction)
{
    sn_gpu_world *world = p;
    if (world->commands) {
        sn_gpu_reduced_record_output(world->reduced, world->commands, mode_fraction);
        if (world->coupled) {
            sn_gpu_coupled_record_matrices(world->coupled, world->commands, bone_fraction);
        }
        if (world->layered) {
            sn_gpu_world_write_bones(world, bone_fraction);
        }
        for (int i = 0; i < SN_SOLVER_COUNT; ++i) {
            if (world->embedded[i]) {
                sn_gpu_embedded_record_matrices(world->embedded[i], world->commands, bone_fraction);
            }
        }
        record_statuses(world);
        if (!world->has_external_commands) {
            sn_gpu_submit(world->gpu->device, world->commands, submission_of(world));
        }
    }
    world->commands = VK_NULL_HANDLE;
    ++world->call_count;
}

bool sn_gpu_world_is_lost(const void *world)
{
    return ((const sn_gpu_world *)world)->gpu->device->is_lost;
}

/* ---- queries of tools ---- */

sn_result sn_gpu_world_read_modes(void *body, float *modes, int *recovery_count)
{
    const sn_gpu_world_body *b = body;
    sn_gpu_device *device = b->world->gpu->device;
    const size_t bones = 12 * (size_t)b->bone_count, count = 12 * (size_t)b->mode_count;
    float *matrices = sn_alloc(bones + count, sizeof *matrices);
    sn_gpu_reduced_reading reading = {.matrices = matrices};
    VkCommandBuffer commands = VK_NULL_HANDLE;
    uint64_t value = 0;
    sn_result result = matrices ? sn_gpu_begin(device, &commands) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        sn_gpu_reduced_record_output(b->world->reduced, commands, 1);
        result = sn_gpu_submit(device, commands, &value);
    }
    if (result == SN_OK) {
        result = sn_gpu_wait(device, value);
    }
    if (result == SN_OK) {
        result = sn_gpu_reduced_read(b->world->reduced, b->index, &reading);
    }
    if (result == SN_OK) {
        memcpy(modes, matrices + bones, count * sizeof *modes);
        *recovery_count = reading.recovery_count;
    }
    sn_free(matrices, bones + count, sizeof *matrices);
    return result;
}

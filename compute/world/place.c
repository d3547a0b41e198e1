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
#define LEAST_FRACTION 1e-6 /* in steps; below, the call ended with a step, whose state coupled bodies display */

sn_gpu_xpbd *sn_gpu_place_engine(const sn_gpu_place *place, sn_body_solver solver)
{
    return solver == SN_SOLVER_COUPLED   ? sn_gpu_coupled_flesh(place->coupled)
           : solver == SN_SOLVER_LAYERED ? sn_gpu_layered_flesh(place->layered)
                                         : NULL;
}

/* Position-based solvers need as many recordings: one for each step and one for rendering. */
static sn_result create_solvers(sn_gpu_place *place, int recording_limit)
{
    sn_gpu_device *device = place->gpu->device;
    sn_gpu_reduced_desc reduced = sn_default_gpu_reduced_desc();
    sn_gpu_xpbd_desc flesh = sn_default_gpu_xpbd_desc();
    reduced.recording_limit = flesh.recording_limit = recording_limit;
    flesh.is_single = place->gpu->is_single;
    sn_result result = sn_gpu_reduced_create(device, &reduced, &place->reduced);
    if (result == SN_OK) {
        result = sn_gpu_coupled_create(device, &flesh, &place->coupled);
    }
    if (result == SN_OK) {
        result = sn_gpu_layered_create(device, &flesh, &place->layered);
    }
    for (int i = 0; i < SN_SOLVER_COUNT && result == SN_OK; ++i) {
        sn_gpu_xpbd *engine = sn_gpu_place_engine(place, (sn_body_solver)i);
        if (engine) {
            result = sn_gpu_embedded_create(device, engine, place->gpu->frames_in_flight, &place->drawn[i]);
        }
    }
    return result;
}

sn_result sn_gpu_place_create(const sn_backend *backend, int step_limit, void **result)
{
    const sn_gpu *gpu = (const sn_gpu *)(const void *)backend;
    *result = NULL;
    if (step_limit > STEP_LIMIT) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "world: %d steps per call; a device allows at most %d", step_limit,
                       STEP_LIMIT);
    }
    sn_gpu_place *place = sn_alloc(1, sizeof *place);
    if (!place) {
        return SN_ERROR_MEMORY;
    }
    *place = (sn_gpu_place){.gpu = gpu, .layered_work = {.is_coloured = true}};
    const sn_result code = create_solvers(place, gpu->frames_in_flight * (step_limit + 1));
    *result = place;
    if (code != SN_OK) {
        sn_gpu_place_destroy(result);
    }
    return code;
}

/* The solvers' destructors wait for the device. */
void sn_gpu_place_destroy(void **result)
{
    sn_gpu_place *place = *result;
    *result = NULL;
    for (int i = 0; i < SN_SOLVER_COUNT; ++i) {
        sn_gpu_embedded_destroy(&place->drawn[i]);
    }
    sn_gpu_reduced_destroy(&place->reduced);
    sn_gpu_coupled_destroy(&place->coupled);
    sn_gpu_layered_destroy(&place->layered);
    for (int i = 0; i < SN_SOLVER_COUNT; ++i) { /* the solvers have waited for the device */
        sn_gpu_buffer_destroy(place->gpu->device, &place->statuses[i].buffer);
    }
    sn_gpu_place_free_rigs(place);
    sn_gpu_place_free_kinds(place);
    sn_free(place->models, (size_t)place->model_room, sizeof *place->models);
    sn_free(place, 1, sizeof *place);
}

/* ---- results of steps ---- */

static VkDeviceSize slot_bytes(const sn_gpu_place *place, const sn_gpu_place_copy *copy)
{
    return copy->buffer.size / (VkDeviceSize)place->gpu->frames_in_flight;
}

static VkDeviceSize slot_offset(const sn_gpu_place *place, const sn_gpu_place_copy *copy)
{
    return place->call_count % (uint64_t)place->gpu->frames_in_flight * slot_bytes(place, copy);
}

/* Grows the copy to the size of the status buffer. */
static sn_result make_copy(sn_gpu_place *place, VkDeviceSize size, sn_gpu_place_copy *copy)
{
    sn_gpu_device *device = place->gpu->device;
    sn_gpu_buffer larger;
    if (size == 0 || (copy->buffer.handle && slot_bytes(place, copy) >= size)) { /* 0: the solver has no bodies */
        return SN_OK;
    }
    const sn_result result =
        sn_gpu_buffer_create(device, "world statuses", size * (VkDeviceSize)place->gpu->frames_in_flight,
                             VK_BUFFER_USAGE_TRANSFER_DST_BIT, SN_GPU_MEMORY_READBACK, &larger);
    if (result != SN_OK) {
        return result;
    }
    sn_gpu_device_wait(device);
    sn_gpu_buffer_destroy(device, &copy->buffer);
    *copy = (sn_gpu_place_copy){larger, place->call_count};
    return SN_OK;
}

static const sn_gpu_buffer *statuses_of(const sn_gpu_place *place, int solver)
{
    const sn_gpu_xpbd *engine = sn_gpu_place_engine(place, (sn_body_solver)solver);
    return engine ? sn_gpu_xpbd_statuses(engine) : sn_gpu_reduced_statuses(place->reduced);
}

/* Buffers must not be reallocated while a call is being recorded, since recorded commands refer to them. */
static sn_result reserve_colliders(sn_gpu_place *place, int count)
{
    place->collider_count = count > place->collider_count ? count : place->collider_count;
    sn_result result = sn_gpu_reduced_reserve_colliders(place->reduced, place->collider_count);
    for (int i = 0; i < SN_SOLVER_COUNT && result == SN_OK; ++i) {
        sn_gpu_xpbd *engine = sn_gpu_place_engine(place, (sn_body_solver)i);
        result = engine ? sn_gpu_xpbd_reserve_colliders(engine, place->collider_count) : SN_OK;
    }
    return result;
}

sn_result sn_gpu_place_reserve_colliders(void *place, const sn_collider *collider, int count)
{
    const sn_gpu_place *p = place;
    if (collider->shape == SN_COLLIDER_GRID) {
        sn_result result = sn_gpu_reduced_add_grid(p->reduced, collider->grid);
        for (int i = 0; i < SN_SOLVER_COUNT && result == SN_OK; ++i) {
            sn_gpu_xpbd *engine = sn_gpu_place_engine(p, (sn_body_solver)i);
            result = engine ? sn_gpu_xpbd_add_grid(engine, collider->grid) : SN_OK;
        }
        if (result != SN_OK) {
            return result;
        }
    }
    return reserve_colliders(place, count);
}

sn_result sn_gpu_place_make_room(sn_gpu_place *place)
{
    sn_result result = reserve_colliders(place, 0);
    for (int i = 0; i < SN_SOLVER_COUNT && result == SN_OK; ++i) {
        result = make_copy(place, statuses_of(place, i)->size, &place->statuses[i]);
    }
    return result;
}

static void take_effort(const struct sn_reduced_status *status, sn_gpu_place_body *body)
{
    body->effort = (sn_body_effort){.iteration_count = (int)status->iteration_count,
                                    .change = (double)status->change / body->diagonal,
                                    .is_converged = status->is_converged != 0,
                                    .is_over_budget = status->is_over_budget != 0};
}

bool sn_gpu_place_take_status(sn_gpu_place_body *body)
{
    const sn_gpu_place *place = body->place;
    const sn_gpu_place_copy *copy = &place->statuses[body->solver];
    const uint64_t frames = (uint64_t)place->gpu->frames_in_flight;
    const uint64_t first = body->first_call > copy->from ? body->first_call : copy->from;
    if (place->call_count < first + frames) { /* the slot has no statuses of this body yet */
        return false;
    }
    const void *statuses = (const uint8_t *)copy->buffer.mapped + slot_offset(place, copy);
    uint32_t count = 0;
    if (body->solver != SN_SOLVER_REDUCED) {
        count = ((const struct sn_xpbd_status *)statuses)[body->index].recovery_count;
    } else {
        const struct sn_reduced_status *status = (const struct sn_reduced_status *)statuses + body->index;
        count = status->recovery_count;
        take_effort(status, body);
    }
    const bool is_new = count > body->recovery_count;
    body->recovery_count = is_new ? count : body->recovery_count;
    body->effort.is_converged &= !is_new;
    return is_new;
}

/* Copies the statuses that fit into the slot: all, unless the slot could not grow. */
static void record_copy(const sn_gpu_place *place, const sn_gpu_buffer *statuses, const sn_gpu_place_copy *copy)
{
    const VkDeviceSize room = slot_bytes(place, copy);
    const VkBufferCopy region = {.dstOffset = slot_offset(place, copy),
                                 .size = statuses->size < room ? statuses->size : room};
    if (copy->buffer.handle) {
        vkCmdCopyBuffer(place->commands, statuses->handle, copy->buffer.handle, 1, &region);
    }
}

static void record_statuses(const sn_gpu_place *place)
{
    sn_gpu_barrier(place->commands, SN_GPU_SHADER_WRITE, SN_GPU_TRANSFER_READ);
    for (int i = 0; i < SN_SOLVER_COUNT; ++i) {
        record_copy(place, statuses_of(place, i), &place->statuses[i]);
    }
    sn_gpu_barrier(place->commands, SN_GPU_TRANSFER_WRITE, SN_GPU_HOST_READ);
    sn_gpu_barrier(place->commands, SN_GPU_TRANSFER_READ, SN_GPU_SHADER_WRITE);
}

/* A solver creates its new buffer before it destroys the old one, so a new buffer has a new handle. Versions are unique
 * in the process, since buffers of different worlds may get the same handle. */
static void watch(VkBuffer buffer, sn_gpu_place_matrices *matrices)
{
    static atomic_uint_least64_t version_count;
    if (buffer != matrices->buffer) {
        *matrices = (sn_gpu_place_matrices){buffer, 1 + atomic_fetch_add(&version_count, 1)};
    }
}

sn_result sn_gpu_place_watch_matrices(sn_gpu_place *place)
{
    sn_gpu_embedded *of_layered = place->drawn[SN_SOLVER_LAYERED], *of_coupled = place->drawn[SN_SOLVER_COUPLED];
    watch(sn_gpu_reduced_matrices(place->reduced)->handle, &place->matrices[SN_SOLVER_REDUCED]);
    watch(sn_gpu_coupled_matrices(place->coupled)->handle, &place->matrices[SN_SOLVER_COUPLED]);
    watch(sn_gpu_embedded_matrices(of_layered)->handle, &place->matrices[SN_SOLVER_LAYERED]);
    watch(sn_gpu_embedded_matrices(of_layered)->handle, &place->flesh[SN_SOLVER_LAYERED]);
    watch(sn_gpu_embedded_matrices(of_coupled)->handle, &place->flesh[SN_SOLVER_COUPLED]);
    return sn_gpu_embedded_set_bones(of_coupled, sn_gpu_coupled_matrices(place->coupled)->handle);
}

/* ---- world calls ---- */

static uint64_t *submission_of(sn_gpu_place *place)
{
    return &place->submissions[place->call_count % (uint64_t)place->gpu->frames_in_flight];
}

/* A failure is logged and the call is not recorded: a lost device does not step. */
static sn_result begin(sn_gpu_place *place)
{
    sn_gpu_device *device = place->gpu->device;
    sn_result result = sn_gpu_wait(
        device, *submission_of(place)); /* an own submission, even if the program provides the commands of this call */
    if (!place->has_given_commands) {
        place->commands = VK_NULL_HANDLE;
        result = result ? result : sn_gpu_begin(device, &place->commands);
    }
    *submission_of(place) = 0;
    for (int i = 0; i < SN_SOLVER_COUNT && result == SN_OK; ++i) {
        const sn_gpu_buffer *copy = &place->statuses[i].buffer;
        result = copy->handle ? sn_gpu_buffer_invalidate(device, copy) : SN_OK;
    }
    return result;
}

void sn_gpu_place_begin(void *p)
{
    begin(p);
}

void sn_gpu_place_record_step(void *p)
{
    const sn_gpu_place *place = p;
    if (place->commands) {
        for (int i = 0; i < SN_SOLVER_COUNT; ++i) {
            if (place->drawn[i]) {
                sn_gpu_embedded_record_keep(place->drawn[i], place->commands);
            }
        }
        sn_gpu_reduced_record_step(place->reduced, place->commands, 1);
        sn_gpu_coupled_record_step(place->coupled, place->commands);
        sn_gpu_layered_record_step(place->layered, place->commands);
    }
}

/* Recomputes the matrices, since the rig's pose is usually later than the last step. */
void sn_gpu_place_end(void *p, double fraction)
{
    sn_gpu_place *place = p;
    const double shown = fraction > LEAST_FRACTION ? fraction : 1;
    if (place->commands) {
        sn_gpu_reduced_record_output(place->reduced, place->commands, fraction);
        sn_gpu_coupled_record_matrices(place->coupled, place->commands, shown);
        sn_gpu_place_write_bones(place, shown);
        for (int i = 0; i < SN_SOLVER_COUNT; ++i) {
            if (place->drawn[i]) {
                sn_gpu_embedded_record_matrices(place->drawn[i], place->commands, shown);
            }
        }
        record_statuses(place);
        if (!place->has_given_commands) {
            sn_gpu_submit(place->gpu->device, place->commands, submission_of(place));
        }
    }
    place->commands = VK_NULL_HANDLE;
    ++place->call_count;
}

/* ---- queries of tools ---- */

sn_result sn_gpu_place_read_modes(void *body, float *modes, int *recovery_count)
{
    const sn_gpu_place_body *b = body;
    sn_gpu_device *device = b->place->gpu->device;
    const size_t bones = 12 * (size_t)b->bone_count, count = 12 * (size_t)b->mode_count;
    float *matrices = sn_alloc(bones + count, sizeof *matrices);
    sn_gpu_reduced_reading reading = {.matrices = matrices};
    VkCommandBuffer commands = VK_NULL_HANDLE;
    uint64_t value = 0;
    sn_result result = matrices ? sn_gpu_begin(device, &commands) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        sn_gpu_reduced_record_output(b->place->reduced, commands, 1);
        result = sn_gpu_submit(device, commands, &value);
    }
    if (result == SN_OK) {
        result = sn_gpu_wait(device, value);
    }
    if (result == SN_OK) {
        result = sn_gpu_reduced_read(b->place->reduced, b->index, &reading);
    }
    if (result == SN_OK) {
        memcpy(modes, matrices + bones, count * sizeof *modes);
        *recovery_count = reading.recovery_count;
    }
    sn_free(matrices, bones + count, sizeof *matrices);
    return result;
}

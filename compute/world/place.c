/* SPDX-License-Identifier: MIT */
/* The bodies of one world on a device, and the calls of the world: recorded into the program's commands, or into our
 * own, which are submitted. What steps did to bodies comes back late, by a copy that a later call looks at. */
#include "compute/core/commands.h"
#include "compute/world/world.h"
#include "shaders/shared/reduced.h"

#define STEP_LIMIT 4096

sn_result sn_gpu_place_create(const sn_backend *backend, int step_limit, void **result)
{
    const sn_gpu *gpu = (const sn_gpu *)(const void *)backend;
    sn_gpu_reduced_desc desc = sn_default_gpu_reduced_desc();
    *result = NULL;
    if (step_limit > STEP_LIMIT) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "world: %d steps a call; a device takes %d at most", step_limit,
                       STEP_LIMIT);
    }
    sn_gpu_place *place = sn_alloc(1, sizeof *place);
    if (!place) {
        return SN_ERROR_MEMORY;
    }
    *place = (sn_gpu_place){.gpu = gpu};
    desc.recording_limit = gpu->frames_in_flight * (step_limit + 1); /* the steps of a call, and what is drawn */
    const sn_result code = sn_gpu_reduced_create(gpu->device, &desc, &place->reduced);
    *result = place;
    if (code != SN_OK) {
        sn_gpu_place_destroy(result);
    }
    return code;
}

/* The solver's end waits for the device. */
void sn_gpu_place_destroy(void **result)
{
    sn_gpu_place *place = *result;
    *result = NULL;
    sn_gpu_reduced_destroy(&place->reduced);
    sn_gpu_buffer_destroy(place->gpu->device, &place->readback);
    sn_free(place->models, (size_t)place->model_room, sizeof *place->models);
    sn_free(place, 1, sizeof *place);
}

/* ---- what steps did ---- */

static VkDeviceSize slot_bytes(const sn_gpu_place *place)
{
    return place->readback.size / (VkDeviceSize)place->gpu->frames_in_flight;
}

static VkDeviceSize slot_offset(const sn_gpu_place *place)
{
    return place->call_count % (uint64_t)place->gpu->frames_in_flight * slot_bytes(place);
}

/* As large as the statuses. */
static sn_result make_readback(sn_gpu_place *place)
{
    sn_gpu_device *device = place->gpu->device;
    const VkDeviceSize size = sn_gpu_reduced_statuses(place->reduced)->size;
    sn_gpu_buffer larger;
    if (place->readback.handle && slot_bytes(place) >= size) {
        return SN_OK;
    }
    const sn_result result =
        sn_gpu_buffer_create(device, "world statuses", size * (VkDeviceSize)place->gpu->frames_in_flight,
                             VK_BUFFER_USAGE_TRANSFER_DST_BIT, SN_GPU_MEMORY_READBACK, &larger);
    if (result != SN_OK) {
        return result;
    }
    sn_gpu_device_wait(device);
    sn_gpu_buffer_destroy(device, &place->readback);
    place->readback = larger;
    place->readback_from = place->call_count;
    return SN_OK;
}

/* Nothing grows while a call records: what is recorded already would lose its buffers. */
static sn_result reserve_colliders(sn_gpu_place *place, int count)
{
    place->collider_count = count > place->collider_count ? count : place->collider_count;
    return sn_gpu_reduced_reserve_colliders(place->reduced, place->collider_count);
}

sn_result sn_gpu_place_reserve_colliders(void *place, const sn_collider *collider, int count)
{
    const sn_gpu_place *p = place;
    if (collider->shape == SN_COLLIDER_GRID) {
        const sn_result result = sn_gpu_reduced_add_grid(p->reduced, collider->grid);
        if (result != SN_OK) {
            return result;
        }
    }
    return reserve_colliders(place, count);
}

sn_result sn_gpu_place_make_room(sn_gpu_place *place)
{
    const sn_result result = reserve_colliders(place, 0);
    return result == SN_OK ? make_readback(place) : result;
}

bool sn_gpu_place_take_recovery(sn_gpu_place_body *body)
{
    const sn_gpu_place *place = body->place;
    const uint64_t frames = (uint64_t)place->gpu->frames_in_flight;
    const uint64_t first = body->first_call > place->readback_from ? body->first_call : place->readback_from;
    if (place->call_count < first + frames) { /* the slot's last call was before */
        return false;
    }
    const struct sn_reduced_status *statuses =
        (const void *)((const uint8_t *)place->readback.mapped + slot_offset(place));
    const uint32_t count = statuses[body->index].recovery_count;
    const bool is_new = count > body->recovery_count;
    body->recovery_count = is_new ? count : body->recovery_count;
    return is_new;
}

/* Those that the slot has room for: all but where a body found no more. */
static void record_statuses(const sn_gpu_place *place)
{
    const sn_gpu_buffer *statuses = sn_gpu_reduced_statuses(place->reduced);
    const VkDeviceSize room = slot_bytes(place);
    const VkBufferCopy region = {.dstOffset = slot_offset(place),
                                 .size = statuses->size < room ? statuses->size : room};
    sn_gpu_barrier(place->commands, SN_GPU_SHADER_WRITE, SN_GPU_TRANSFER_READ);
    vkCmdCopyBuffer(place->commands, statuses->handle, place->readback.handle, 1, &region);
    sn_gpu_barrier(place->commands, SN_GPU_TRANSFER_WRITE, SN_GPU_HOST_READ);
    sn_gpu_barrier(place->commands, SN_GPU_TRANSFER_READ, SN_GPU_SHADER_WRITE);
}

/* ---- a call ---- */

static uint64_t *submission_of(sn_gpu_place *place)
{
    return &place->submissions[place->call_count % (uint64_t)place->gpu->frames_in_flight];
}

/* What fails has its line, and the call is not recorded: a lost device steps nothing. */
static sn_result begin(sn_gpu_place *place)
{
    sn_gpu_device *device = place->gpu->device;
    sn_result result = SN_OK;
    if (!place->has_given_commands) {
        place->commands = VK_NULL_HANDLE;
        result = sn_gpu_wait(device, *submission_of(place));
        result = result ? result : sn_gpu_begin(device, &place->commands);
    }
    *submission_of(place) = 0;
    if (result == SN_OK && place->readback.handle) {
        result = sn_gpu_buffer_invalidate(device, &place->readback);
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
        sn_gpu_reduced_record_step(place->reduced, place->commands, 1);
    }
}

/* The rig's pose is later than that of the last step, as a rule: the matrices are made anew. */
void sn_gpu_place_end(void *p, double fraction)
{
    sn_gpu_place *place = p;
    if (place->commands) {
        sn_gpu_reduced_record_output(place->reduced, place->commands, fraction);
        if (place->readback.handle) {
            record_statuses(place);
        }
        if (!place->has_given_commands) {
            sn_gpu_submit(place->gpu->device, place->commands, submission_of(place));
        }
    }
    place->commands = VK_NULL_HANDLE;
    ++place->call_count;
}

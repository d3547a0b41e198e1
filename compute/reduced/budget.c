/* SPDX-License-Identifier: MIT */
/* A limit on a step's time. All bodies step together and shader clocks have no defined unit, so the time of a step
 * cannot be checked in the kernel. Instead a step of bodies with a budget is timed and its iteration counts are copied
 * back. When its part of the buffers is reused, the time per iteration gives the iteration limit of the following
 * steps. Recordings that were not submitted or are not complete are ignored, without waiting. */
#include "compute/core/commands.h"
#include "compute/reduced/private.h"

static sn_result create_timer(sn_gpu_reduced *r)
{
    const uint32_t recordings = (uint32_t)r->desc.recording_limit;
    sn_gpu_reduced_budget *b = &r->budget;
    sn_gpu_reduced_timing *timings = sn_alloc(recordings, sizeof *timings);
    sn_result result =
        timings ? sn_gpu_timer_create(r->device, "reduced budget", recordings, &b->timer) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = sn_gpu_timer_reset(r->device, &b->timer, recordings);
    }
    if (result == SN_OK) {
        b->timings = timings;
    } else {
        sn_gpu_timer_destroy(r->device, &b->timer);
        sn_free(timings, recordings, sizeof *timings);
    }
    return result;
}

/* One part per recording, with space for all bodies. */
sn_result sn_gpu_reduced_create_budget(sn_gpu_reduced *r)
{
    const uint32_t recordings = (uint32_t)r->desc.recording_limit;
    const VkDeviceSize size = recordings * r->buffers[SN_REDUCED_STATUSES].size;
    sn_gpu_reduced_budget *b = &r->budget;
    if (!b->timings) {
        SN_TRY(create_timer(r));
    }
    if (b->statuses.size < size) {
        sn_gpu_buffer larger;
        SN_TRY(sn_gpu_buffer_create(r->device, "reduced budget", size, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                    SN_GPU_MEMORY_READBACK, &larger));
        sn_gpu_device_wait(r->device);
        sn_gpu_buffer_destroy(r->device, &b->statuses);
        b->statuses = larger;
        for (uint32_t i = 0; i < recordings; ++i) { /* earlier timings lost their statuses */
            double seconds = 0;
            b->timings[i].body_count = 0;
            sn_gpu_timer_try_read(r->device, &b->timer, i, &b->timings[i].start_ticks, &seconds);
        }
    }
    return SN_OK;
}

void sn_gpu_reduced_free_budget(sn_gpu_reduced *r)
{
    sn_gpu_timer_destroy(r->device, &r->budget.timer);
    sn_gpu_buffer_destroy(r->device, &r->budget.statuses);
    sn_free(r->budget.timings, (size_t)r->desc.recording_limit, sizeof *r->budget.timings);
}

static VkDeviceSize part_size(const sn_gpu_reduced *r)
{
    return r->budget.statuses.size / (VkDeviceSize)r->desc.recording_limit;
}

void sn_gpu_reduced_read_time(sn_gpu_reduced *r, uint32_t part)
{
    sn_gpu_reduced_budget *b = &r->budget;
    sn_gpu_reduced_timing *timings = b->timings ? &b->timings[part] : NULL;
    const uint32_t count = timings ? timings->body_count : 0;
    uint64_t start_ticks = 0;
    uint32_t max_iterations = 1;
    double seconds = 0;
    if (count == 0) {
        return;
    }
    timings->body_count = 0;
    const bool is_available = sn_gpu_timer_try_read(r->device, &b->timer, part, &start_ticks, &seconds) &&
                              start_ticks != timings->start_ticks;
    if (!is_available || sn_gpu_buffer_invalidate(r->device, &b->statuses) != SN_OK) {
        return;
    }
    const uint8_t *bytes = (const uint8_t *)b->statuses.mapped + part * part_size(r);
    const struct sn_reduced_status *statuses = (const struct sn_reduced_status *)(const void *)bytes;
    for (uint32_t i = 0; i < count; ++i) {
        const bool is_used = r->bodies[i].is_used; /* statuses of free slots are outdated */
        max_iterations =
            is_used && statuses[i].iteration_count > max_iterations ? statuses[i].iteration_count : max_iterations;
    }
    b->iteration_seconds = seconds / max_iterations;
    timings->start_ticks = start_ticks;
}

uint32_t sn_gpu_reduced_affordable_iterations(const sn_gpu_reduced *r, const sn_gpu_reduced_body *body)
{
    const uint32_t limit = body->record.iteration_limit;
    const double affordable = body->budget / r->budget.iteration_seconds;
    if (!(body->budget > 0 && affordable < limit)) { /* infinite while the time is unknown */
        return limit;
    }
    return affordable > 1 ? (uint32_t)affordable : 1;
}

void sn_gpu_reduced_record_time_begin(const sn_gpu_reduced *r, VkCommandBuffer commands, uint32_t part)
{
    sn_gpu_timer_begin(&r->budget.timer, commands, part);
}

void sn_gpu_reduced_record_time_end(sn_gpu_reduced *r, VkCommandBuffer commands, uint32_t part)
{
    sn_gpu_reduced_budget *b = &r->budget;
    const uint32_t capacity = (uint32_t)(part_size(r) / sizeof(struct sn_reduced_status)),
                   bodies = (uint32_t)r->body_count;
    const uint32_t count = bodies < capacity ? bodies : capacity;
    const VkBufferCopy region = {.dstOffset = part * part_size(r), .size = count * sizeof(struct sn_reduced_status)};
    sn_gpu_timer_end(&b->timer, commands, part);
    sn_gpu_barrier(commands, SN_GPU_SHADER_WRITE, SN_GPU_TRANSFER_READ);
    vkCmdCopyBuffer(commands, r->buffers[SN_REDUCED_STATUSES].handle, b->statuses.handle, 1, &region);
    sn_gpu_barrier(commands, SN_GPU_TRANSFER_WRITE, SN_GPU_HOST_READ);
    sn_gpu_barrier(commands, SN_GPU_TRANSFER_READ, SN_GPU_SHADER_WRITE);
    b->timings[part].body_count = b->timer.queries ? count : 0;
}

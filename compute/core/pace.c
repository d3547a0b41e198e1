/* SPDX-License-Identifier: MIT */
#include "compute/core/pace.h"

#define DISPATCH_SECONDS 0.05
#define RETAINED 0.99 /* of the largest time, from one recording to the next: bodies sleep and wake up */

sn_result sn_gpu_pace_create(sn_gpu_device *device, const char *name, uint32_t span_count, sn_gpu_pace *pace)
{
    *pace = (sn_gpu_pace){.device = device, .span_count = span_count};
    if (sn_gpu_device_is_software(device) || device->timestamp_mask == 0) {
        return SN_OK;
    }
    pace->spans = sn_alloc(span_count, sizeof *pace->spans);
    sn_result result = pace->spans ? sn_gpu_timer_create(device, name, span_count, &pace->timer) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = sn_gpu_timer_reset(device, &pace->timer, span_count);
    }
    if (result != SN_OK) {
        sn_gpu_pace_destroy(pace);
    }
    return result;
}

void sn_gpu_pace_destroy(sn_gpu_pace *pace)
{
    if (pace->spans) {
        sn_gpu_timer_destroy(pace->device, &pace->timer);
        sn_free(pace->spans, pace->span_count, sizeof *pace->spans);
    }
    *pace = (sn_gpu_pace){.device = NULL};
}

/* A recording that was never submitted has the times of an earlier one. */
static void read_span(sn_gpu_pace *pace, uint32_t index)
{
    sn_gpu_pace_span *span = &pace->spans[index];
    uint64_t start_ticks = 0;
    double seconds = 0;
    if (span->loops > 0 && sn_gpu_timer_try_read(pace->device, &pace->timer, index, &start_ticks, &seconds) &&
        start_ticks != span->start_ticks) {
        span->start_ticks = start_ticks;
        const double now = seconds / (double)span->loops, before = RETAINED * pace->loop_seconds;
        pace->loop_seconds = now > before ? now : before;
        pace->group_count = span->group_count;
    }
    span->loops = 0;
}

void sn_gpu_pace_begin(sn_gpu_pace *pace, VkCommandBuffer commands, uint32_t span)
{
    if (pace->spans) {
        read_span(pace, span);
        sn_gpu_timer_begin(&pace->timer, commands, span);
    }
}

void sn_gpu_pace_end(sn_gpu_pace *pace, VkCommandBuffer commands, uint32_t span, uint64_t loops, uint32_t group_count)
{
    if (pace->spans) {
        sn_gpu_timer_end(&pace->timer, commands, span);
        pace->spans[span].loops = loops;
        pace->spans[span].group_count = group_count;
    }
}

/* More groups than measured may take several waves. */
uint32_t sn_gpu_pace_loops(const sn_gpu_pace *pace, uint32_t group_count)
{
    if (sn_gpu_device_is_software(pace->device)) {
        return SN_GPU_SOFTWARE_LOOPS;
    }
    if (!(pace->loop_seconds > 0)) {
        return SN_GPU_FIRST_LOOPS;
    }
    const double waves = group_count > pace->group_count ? (double)group_count / (double)pace->group_count : 1;
    const double loops = DISPATCH_SECONDS / (pace->loop_seconds * waves);
    const double high = loops < SN_GPU_MAX_LOOPS ? loops : SN_GPU_MAX_LOOPS;
    return high > SN_GPU_MIN_LOOPS ? (uint32_t)high : SN_GPU_MIN_LOOPS;
}

/* SPDX-License-Identifier: MIT */
/* Device time of spans between two points of one submission. */
#ifndef SN_COMPUTE_CORE_TIMER_H
#define SN_COMPUTE_CORE_TIMER_H

#include "compute/core/device.h"

/* Zeroed where the queue writes no timestamps: nothing is recorded and every span reads as 0. */
typedef struct sn_gpu_timer {
    VkQueryPool queries; /* two per span */
} sn_gpu_timer;

sn_result sn_gpu_timer_create(sn_gpu_device *device, const char *name, uint32_t span_count, sn_gpu_timer *timer);
void sn_gpu_timer_destroy(sn_gpu_device *device, sn_gpu_timer *timer);

/* A span begins when all earlier commands are complete, and ends when the commands in between are. Outside of
 * rendering. */
void sn_gpu_timer_begin(const sn_gpu_timer *timer, VkCommandBuffer commands, uint32_t span);
void sn_gpu_timer_end(const sn_gpu_timer *timer, VkCommandBuffer commands, uint32_t span);
/* Resets spans that may be read by sn_gpu_timer_try_read before they are first recorded; submits and waits. */
sn_result sn_gpu_timer_reset(sn_gpu_device *device, const sn_gpu_timer *timer, uint32_t span_count);
/* Returns at once: false when the span's submission is not complete or was never made; its queries are then undefined.
 * `start_ticks` (device ticks) identifies the recording: a span that was recorded but not submitted still holds the
 * previous one. */
bool sn_gpu_timer_try_read(sn_gpu_device *device, const sn_gpu_timer *timer, uint32_t span, uint64_t *start_ticks,
                           double *seconds);
/* Waits for the span, which must have been submitted. */
sn_result sn_gpu_timer_read(sn_gpu_device *device, const sn_gpu_timer *timer, uint32_t span, double *seconds);

#endif

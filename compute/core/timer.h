/* SPDX-License-Identifier: MIT */
/* How long the device takes: spans between two points of one submission. */
#ifndef SN_COMPUTE_CORE_TIMER_H
#define SN_COMPUTE_CORE_TIMER_H

#include "compute/core/device.h"

/* Zeroed where the queue writes no timestamps: then nothing is recorded and every span reads as 0. */
typedef struct sn_gpu_timer {
    VkQueryPool queries; /* two a span */
} sn_gpu_timer;

sn_result sn_gpu_timer_create(sn_gpu_device *device, const char *name, uint32_t span_count, sn_gpu_timer *timer);
void sn_gpu_timer_destroy(sn_gpu_device *device, sn_gpu_timer *timer);

/* A span begins once all that was submitted before is done, and ends once what lies between is. Outside of rendering.
 */
void sn_gpu_timer_begin(const sn_gpu_timer *timer, VkCommandBuffer commands, uint32_t span);
void sn_gpu_timer_end(const sn_gpu_timer *timer, VkCommandBuffer commands, uint32_t span);
/* Spans that may be peeked at before they ever began; submits and waits. */
sn_result sn_gpu_timer_reset(sn_gpu_device *device, const sn_gpu_timer *timer, uint32_t span_count);
/* False, at once, where the span's submission is not done, or never was; then it is not known what lies there. `began`
 * tells spans of one place from each other: one that was recorded, but not submitted, leaves the one before. */
bool sn_gpu_timer_peek(sn_gpu_device *device, const sn_gpu_timer *timer, uint32_t span, uint64_t *began,
                       double *seconds);
/* Waits for the span: its submission must have been made. */
sn_result sn_gpu_timer_read(sn_gpu_device *device, const sn_gpu_timer *timer, uint32_t span, double *seconds);

#endif

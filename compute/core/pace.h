/* SPDX-License-Identifier: MIT */
/* How many loop iterations a dispatch may have. Drivers end dispatches of seconds (2 s on Windows, 0.64 s on i915, less
 * on phones). The number is calibrated: recordings are timed, and read when their part of the buffers is reused. */
#ifndef SN_COMPUTE_CORE_PACE_H
#define SN_COMPUTE_CORE_PACE_H

#include "compute/core/timer.h"

/* Loops that software Vulkan runs: it silently ends loops after 65535. */
#define SN_GPU_SOFTWARE_LOOPS 60000u
/* Limits on hardware: before anything is known, and in any case. */
#define SN_GPU_FIRST_LOOPS 50000u
#define SN_GPU_MIN_LOOPS 2000u
#define SN_GPU_MAX_LOOPS 1000000u

/* A timed recording. */
typedef struct sn_gpu_pace_span {
    uint64_t loops, start_ticks; /* loops: of its dispatches one after the other; 0: not timed */
    uint32_t group_count;
} sn_gpu_pace_span;

typedef struct sn_gpu_pace {
    sn_gpu_device *device;
    sn_gpu_timer timer;
    sn_gpu_pace_span *spans; /* (span_count); null on software Vulkan and without timestamps */
    uint32_t span_count;
    double loop_seconds;  /* time of a loop iteration of all groups; 0: unknown */
    uint32_t group_count; /* groups of that measurement */
} sn_gpu_pace;

sn_result sn_gpu_pace_create(sn_gpu_device *device, const char *name, uint32_t span_count, sn_gpu_pace *pace);
void sn_gpu_pace_destroy(sn_gpu_pace *pace);
/* Around the dispatches of a recording. `begin` reads the previous recording with this number if it is complete. loops:
 * lower bound for the longest invocation, over all dispatches, so that a recording of little work is not taken for a
 * fast device. */
void sn_gpu_pace_begin(sn_gpu_pace *pace, VkCommandBuffer commands, uint32_t span);
void sn_gpu_pace_end(sn_gpu_pace *pace, VkCommandBuffer commands, uint32_t span, uint64_t loops, uint32_t group_count);
/* Maximum loop iterations of an invocation in a dispatch of so many groups. */
uint32_t sn_gpu_pace_loops(const sn_gpu_pace *pace, uint32_t group_count);

#endif

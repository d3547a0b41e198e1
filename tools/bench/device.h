/* SPDX-License-Identifier: MIT */
/* The Vulkan device of the benchmarks, and its timing. */
#ifndef SN_TOOLS_BENCH_DEVICE_H
#define SN_TOOLS_BENCH_DEVICE_H

#include "compute/core/commands.h"
#include "compute/core/peak.h"
#include "compute/core/timer.h"
#include "tools/bench/table.h"

typedef struct sn_bench_device {
    sn_gpu_device *device;
    sn_gpu_timer timer;
    sn_gpu_peak peak;
} sn_bench_device;

/* Opens the default device; its peak is measured once per run. */
sn_result sn_bench_device_open(sn_bench_device *bench);
/* Accepts a zeroed struct. */
void sn_bench_device_close(sn_bench_device *bench);

typedef void sn_bench_recording(void *user, VkCommandBuffer commands);
/* Records, submits and waits. Uses the device's clock if it has one, otherwise the CPU's from the submission on;
 * seconds may be null. */
sn_result sn_bench_device_run(sn_bench_device *bench, sn_bench_recording *record, void *user, double *seconds);

#define SN_BENCH_DEVICE_RUNS 60

typedef sn_result sn_bench_device_step(void *user, double *seconds);
/* Measures for about 2 s, at least one step; seconds (SN_BENCH_DEVICE_RUNS) receives `count` times. */
sn_result sn_bench_device_repeat(sn_bench_device_step *step, void *user, double *seconds, int *count);

/* Measures that many bodies; *median: seconds per step. */
typedef sn_result sn_bench_device_bodies(void *user, int body_count, double *median);
/* Measures a step in double precision, if the device has it, and in single; returns the slower median. */
typedef sn_result sn_bench_device_precision(void *user, bool is_single_precision, double *median);
sn_result sn_bench_device_precisions(const sn_bench_device *bench, sn_bench_device_precision *measure, void *user,
                                     double *median);
/* Measures each number of bodies. Software Vulkan skips those whose step would take more than 1 s. */
sn_result sn_bench_device_counts(const sn_bench_device *bench, const int *counts, int count,
                                 sn_bench_device_bodies *measure, void *user);

/* Warm-up: up to ten steps within 0.5 s, at least one; drivers compile at first use and clock rates rise. */
sn_result sn_bench_device_warm_up(sn_bench_device_step *step, void *user);

/* The minimum work of a step. */
typedef struct sn_bench_work {
    double flops; /* single-precision flops; 0: unknown, or in double precision */
    double bytes; /* bytes read from and written to device memory; 0: unknown */
} sn_bench_work;
/* Fills the times of a row; the limit is the larger of the two minimum times at the device's peak. */
void sn_bench_device_fill(const sn_bench_device *bench, double seconds, const sn_bench_work *work, sn_bench_case *row);

#endif

/* SPDX-License-Identifier: MIT */
/* The device that benches measure, and how long it takes for what they record. */
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

/* The best there is; its peak is measured once a run. */
sn_result sn_bench_device_open(sn_bench_device *bench);
/* Accepts a zeroed one. */
void sn_bench_device_close(sn_bench_device *bench);

typedef void sn_bench_recording(void *user, VkCommandBuffer commands);
/* Records, submits and waits. By the device's clock, where it has one, else by ours from submission on; seconds may be
 * null. */
sn_result sn_bench_device_run(sn_bench_device *bench, sn_bench_recording *record, void *user, double *seconds);

#define SN_BENCH_DEVICE_RUNS 60

typedef sn_result sn_bench_device_step(void *user, double *seconds);
/* For about two seconds, one step at least: seconds (SN_BENCH_DEVICE_RUNS) holds `count` of them. */
sn_result sn_bench_device_repeat(sn_bench_device_step *step, void *user, double *seconds, int *count);

/* Measures so many bodies; *median: the seconds of a step. */
typedef sn_result sn_bench_device_bodies(void *user, int body_count, double *median);
/* What is in double on the CPU in double, where the device has it, and in float: the slower median. */
typedef sn_result sn_bench_device_precision(void *user, bool is_single_precision, double *median);
sn_result sn_bench_device_precisions(const sn_bench_device *bench, sn_bench_device_precision *measure, void *user,
                                     double *median);
/* Each of these numbers of bodies; software Vulkan does without those whose step would take more than a second. */
sn_result sn_bench_device_counts(const sn_bench_device *bench, const int *counts, int count,
                                 sn_bench_device_bodies *measure, void *user);

/* Up to ten steps that nobody measures, for half a second, one at least: drivers compile at first use, clocks rise. */
sn_result sn_bench_device_warm_up(sn_bench_device_step *step, void *user);

/* What a step cannot do without. */
typedef struct sn_bench_work {
    double flops; /* of floats; 0: not known, or in double */
    double bytes; /* from and to the device's memory; 0: not known */
} sn_bench_work;
/* Times of a row whose step takes so long; its limit is what takes longer at the device's peak. */
void sn_bench_device_fill(const sn_bench_device *bench, double seconds, const sn_bench_work *work, sn_bench_case *row);

#endif

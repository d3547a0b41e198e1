/* SPDX-License-Identifier: MIT */
#include "tools/bench/device.h"

#include <math.h>

#include "compute/core/open.h"
#include "host/platform/platform.h"

#define CASE_SECONDS 2.0 /* seconds after which only the first run may start */
#define WARM_UP_SECONDS 0.5
#define WARM_UP_STEPS 10
#define SOFTWARE_SECONDS 1.0 /* seconds of one step beyond which software Vulkan skips a case */

sn_result sn_bench_device_open(sn_bench_device *bench)
{
    static sn_gpu_peak peak; /* cached peak of the single device of a run */
    static bool is_measured;
    *bench = (sn_bench_device){.device = NULL};
    sn_result result = sn_gpu_device_create(&(sn_gpu_device_desc){0}, &bench->device);
    if (result == SN_OK && !is_measured && sn_gpu_measure_peak(bench->device, &peak) != SN_OK) {
        peak = (sn_gpu_peak){0}; /* the failure is logged; rows then have no limit */
    }
    is_measured = is_measured || result == SN_OK;
    bench->peak = peak;
    return result == SN_OK ? sn_gpu_timer_create(bench->device, "bench", 1, &bench->timer) : result;
}

void sn_bench_device_close(sn_bench_device *bench)
{
    if (bench->device) {
        sn_gpu_timer_destroy(bench->device, &bench->timer);
    }
    sn_gpu_device_destroy(&bench->device);
}

sn_result sn_bench_device_run(sn_bench_device *bench, sn_bench_recording *record, void *user, double *seconds)
{
    VkCommandBuffer commands = VK_NULL_HANDLE;
    uint64_t value = 0;
    double measured = 0;
    sn_result result = sn_gpu_begin(bench->device, &commands);
    if (result != SN_OK) {
        return result;
    }
    sn_gpu_timer_begin(&bench->timer, commands, 0);
    record(user, commands);
    sn_gpu_timer_end(&bench->timer, commands, 0);
    const double start = sn_now();
    result = sn_gpu_submit(bench->device, commands, &value);
    if (result == SN_OK) {
        result = sn_gpu_wait(bench->device, value);
    }
    const double waited = sn_now() - start;
    if (result == SN_OK) {
        result = sn_gpu_timer_read(bench->device, &bench->timer, 0, &measured);
    }
    if (seconds) {
        *seconds = measured > 0 ? measured : waited;
    }
    return result;
}

sn_result sn_bench_device_warm_up(sn_bench_device_step *step, void *user)
{
    const double start = sn_now();
    double seconds = 0;
    SN_TRY(step(user, &seconds));
    for (int i = 1; i < WARM_UP_STEPS && sn_now() - start < WARM_UP_SECONDS; ++i) {
        SN_TRY(step(user, &seconds));
    }
    return SN_OK;
}

sn_result sn_bench_device_repeat(sn_bench_device_step *step, void *user, double *seconds, int *count)
{
    const double start = sn_now();
    for (*count = 0; *count < SN_BENCH_DEVICE_RUNS; ++*count) {
        if (*count > 0 && sn_now() - start > CASE_SECONDS) {
            break;
        }
        SN_TRY(step(user, &seconds[*count]));
    }
    return SN_OK;
}

sn_result sn_bench_device_counts(const sn_bench_device *bench, const int *counts, int count,
                                 sn_bench_device_bodies *measure, void *user)
{
    sn_result result = SN_OK;
    double median = 0, each = 0; /* seconds per body of the last case */
    for (int i = 0; i < count && result == SN_OK; ++i) {
        if (!sn_gpu_device_is_software(bench->device) || each * counts[i] < SOFTWARE_SECONDS) {
            result = measure(user, counts[i], &median);
            each = median / counts[i];
        }
    }
    return result;
}

sn_result sn_bench_device_precisions(const sn_bench_device *bench, sn_bench_device_precision *measure, void *user,
                                     double *median)
{
    double single = 0;
    sn_result result = bench->device->features.shaderFloat64 ? measure(user, false, median) : SN_OK;
    result = result ? result : measure(user, true, &single);
    *median = fmax(*median, single);
    return result;
}

/* The fraction of a peak: seconds at the peak divided by the measured seconds. */
static double share(double work, double peak, double seconds)
{
    return peak > 0 && seconds > 0 ? work / peak / seconds : 0;
}

void sn_bench_device_fill(const sn_bench_device *bench, double seconds, const sn_bench_work *work, sn_bench_case *row)
{
    row->median_ms = 1e3 * seconds;
    row->frame_fraction = 60 * seconds;
    row->flops_fraction = share(work->flops, bench->peak.flops, seconds);
    row->bandwidth_fraction = share(work->bytes, bench->peak.bandwidth, seconds);
    row->limit_ms = fmax(row->flops_fraction, row->bandwidth_fraction) * row->median_ms;
}

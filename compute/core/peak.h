/* SPDX-License-Identifier: MIT */
/* Measures the peak arithmetic throughput and memory bandwidth of a device, for benchmarks. */
#ifndef SN_COMPUTE_CORE_PEAK_H
#define SN_COMPUTE_CORE_PEAK_H

#include "compute/core/device.h"

typedef struct sn_gpu_peak {
    double flops; /* per second, of fused multiply-adds, two each; bit-reproducible code, which cannot fuse, reaches at
                     most half */
    double bandwidth; /* bytes per second, read plus written, of a copy that exceeds the caches */
} sn_gpu_peak;

/* Uses device timestamps; 0 where the queue writes none. Takes a few tenths of a second and up to 512 MiB of device
 * memory. */
sn_result sn_gpu_measure_peak(sn_gpu_device *device, sn_gpu_peak *peak);

#endif

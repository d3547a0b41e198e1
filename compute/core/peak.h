/* SPDX-License-Identifier: MIT */
/* What a device does at best, measured: for benchmarks. */
#ifndef SN_COMPUTE_CORE_PEAK_H
#define SN_COMPUTE_CORE_PEAK_H

#include "compute/core/device.h"

typedef struct sn_gpu_peak {
    double flops;     /* a second, of fused float multiplications and additions, two each. What keeps its bits on all
                         devices does without fusing, and reaches half of it at most */
    double bandwidth; /* bytes a second, read and written, by a copy between buffers larger than caches */
} sn_gpu_peak;

/* By the device's own clock; 0 where the queue writes no timestamps. Takes some tenths of a second, and up to 512 MiB
 * of the device's memory meanwhile. */
sn_result sn_gpu_measure_peak(sn_gpu_device *device, sn_gpu_peak *peak);

#endif

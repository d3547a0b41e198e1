/* SPDX-License-Identifier: MIT */
/* The baseline instruction set, and the choice at run time; see cluster_block.inc. */
#include "author/modes/clusters/cluster_block.h"

#include <float.h>

#define LANES 4
#define NAME(base) base##_baseline
#include "author/modes/clusters/cluster_block.inc"

const sn_block_kernels *sn_block_kernels_get(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        return &sn_block_kernels_avx2;
    }
#endif
    return &sn_block_kernels_baseline;
}

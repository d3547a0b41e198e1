/* SPDX-License-Identifier: MIT */
/* Distances from 32 points at once: the inner loops of the k-means. cluster_block.inc is compiled for the baseline and
 * for AVX2. Lanes are independent, so both give identical bits. */
#ifndef SN_AUTHOR_MODES_CLUSTERS_CLUSTER_BLOCK_H
#define SN_AUTHOR_MODES_CLUSTERS_CLUSTER_BLOCK_H

#include <stdint.h>

#define SN_BLOCK_SIZE 32

/* block (dimension_count x 32), 64-byte aligned; distances2 (32): squared distances to `centre` (dimension_count). */
typedef void sn_block_distances_function(const float *block, int dimension_count, const float *centre,
                                         float *distances2);

typedef struct sn_block_centres {
    const float *rows;       /* (count x stride) c */
    const float *half_norms; /* (count) |c|^2 / 2 */
    int count, stride;
} sn_block_centres;

/* nearest (32): index of the first centre with the smallest |c|^2 / 2 - p.c. */
typedef void sn_block_nearest_function(const float *block, int dimension_count, const sn_block_centres *centres,
                                       int32_t *nearest);

typedef struct sn_block_kernels {
    sn_block_distances_function *distances2;
    sn_block_nearest_function *nearest;
} sn_block_kernels;

extern const sn_block_kernels sn_block_kernels_baseline, sn_block_kernels_avx2;

/* The fastest kernels that this processor supports. */
const sn_block_kernels *sn_block_kernels_get(void);

#endif

/* SPDX-License-Identifier: MIT */
/* Double, the reference: see cluster_pass.inc. */
#include "host/reduced/cluster_pass.h"

#include <math.h>

typedef int64_t masks_f64 __attribute__((vector_size(64)));

#define REAL double
#define LANES sn_f64x8
#define MASKS masks_f64
#define SQRT sqrt
#define DATA sn_cluster_data_f64
#define NAME(base) base##_f64
#define LAMBDA_STEPS 24
#define REFINE_STEPS 2
#define TINY 1e-10
#include "host/reduced/cluster_pass.inc"

void sn_polar_f64(const sn_f64x8 *matrices, sn_f64x8 *rotations)
{
    polar(matrices, rotations);
}

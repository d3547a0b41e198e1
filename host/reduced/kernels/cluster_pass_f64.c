/* SPDX-License-Identifier: MIT */
/* Double, the reference. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "host/reduced/kernels/cluster_pass.h"

#define REAL double
#define INTEGER int64_t
#define VECTOR_BYTES 16
#define SQRT sqrt
#define DATA sn_cluster_data_f64
#define NAME(base) base##_f64
#define HAS_PAIRS 0
#define NEWTON_STEPS 4
#define EXTRA_NEWTON_STEPS 20
#define LAMBDA_TOLERANCE 1e-8
#define REFINE_STEPS 2
#define SHORT_COLUMN 1
#define MIN_SLOPE 1e-10
#define MIN_COLUMN 1e-60
#define LIMIT_SWEEPS 8
#define LIMIT_TOLERANCE 1e-30
#include "host/reduced/kernels/cluster_pass.inc"

void sn_polar_f64(const sn_f64x8 *matrices, sn_f64x8 *rotations)
{
    polar_of_lanes((const double *)matrices, (double *)rotations);
}

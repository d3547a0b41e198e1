/* SPDX-License-Identifier: MIT */
/* Float, baseline instruction set: see cluster_pass.inc. */
#include "host/reduced/cluster_pass.h"

#include <math.h>

typedef int32_t masks_f32 __attribute__((vector_size(32)));

#define REAL float
#define LANES sn_f32x8
#define MASKS masks_f32
#define SQRT sqrtf
#define DATA sn_cluster_data_f32
#define NAME(base) base##_f32
#define LAMBDA_STEPS 8
#define REFINE_STEPS 1
#define TINY 1e-5
#include "host/reduced/cluster_pass.inc"

void sn_polar_f32(const sn_f32x8 *matrices, sn_f32x8 *rotations)
{
    polar(matrices, rotations);
}

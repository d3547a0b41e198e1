/* SPDX-License-Identifier: MIT */
/* Float, compiled for AVX2 where the processor family has it (the build sets the flag): see cluster_pass.inc. */
#include "host/reduced/cluster_pass.h"

#include <math.h>

typedef int32_t masks_f32 __attribute__((vector_size(32)));

#define REAL float
#define LANES sn_f32x8
#define MASKS masks_f32
#define SQRT sqrtf
#define DATA sn_cluster_data_f32
#define NAME(base) base##_f32_avx2
#define LAMBDA_STEPS 8
#define REFINE_STEPS 1
#define TINY 1e-5
#include "host/reduced/cluster_pass.inc"

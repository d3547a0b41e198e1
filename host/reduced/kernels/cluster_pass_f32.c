/* SPDX-License-Identifier: MIT */
/* Float, baseline instruction set. */
#define VECTOR_BYTES 16
#define NAME(base) base##_f32
#define HAS_PAIRS 0
#include "host/reduced/kernels/cluster_pass_f32.inc"

void sn_polar_f32(const sn_f32x8 *matrices, sn_f32x8 *rotations)
{
    polar_of_lanes((const float *)matrices, (float *)rotations);
}

/* SPDX-License-Identifier: MIT */
/* Float, compiled for AVX2 where the processor family has it (the build sets the flag). */
#define VECTOR_BYTES 32
#define NAME(base) base##_f32_avx2
#define HAS_PAIRS 0
#include "host/reduced/kernels/cluster_pass_f32.inc"

/* SPDX-License-Identifier: MIT */
/* Float, compiled for AVX-512 (F, DQ, BW, VL) where the processor family has it (the build sets the flags). */
#define VECTOR_BYTES 32
#define NAME(base) base##_f32_avx512
#define HAS_PAIRS 1
#include "host/reduced/kernels/cluster_pass_f32.inc"

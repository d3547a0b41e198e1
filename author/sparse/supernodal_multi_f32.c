/* SPDX-License-Identifier: MIT */
/* Solves for many right-hand sides, in float. */
#define REAL float
#define NAME(base) base##_f32
#define WIDER(base) base##_f32_avx512
#define VALUES(f) ((f)->values32)
#define VECTOR_BYTES 32
#include "author/sparse/supernodal_multi.inc"

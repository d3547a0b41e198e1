/* SPDX-License-Identifier: MIT */
/* Solves for many right-hand sides, in double. */
#define REAL double
#define NAME(base) base
#define WIDER(base) base##_avx512
#define VALUES(f) ((f)->values)
#define VECTOR_BYTES 32
#include "author/sparse/supernodal_multi.inc"

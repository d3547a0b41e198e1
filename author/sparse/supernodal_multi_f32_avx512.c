/* SPDX-License-Identifier: MIT */
/* Solves for many right-hand sides, in float, compiled for AVX-512 if the processor family has it (the build sets the
 * flag). */
#if defined(__x86_64__)
#define REAL float
#define NAME(base) base##_f32_avx512
#define VALUES(f) ((f)->values32)
#define VECTOR_BYTES 64
#include "author/sparse/supernodal_multi.inc"
#endif

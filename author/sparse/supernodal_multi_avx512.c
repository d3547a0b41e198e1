/* SPDX-License-Identifier: MIT */
/* Solves for many right-hand sides, in double, compiled for AVX-512 if the processor family has it (the build sets the
 * flag). */
#if defined(__x86_64__)
#define REAL double
#define NAME(base) base##_avx512
#define VALUES(f) ((f)->values)
#define VECTOR_BYTES 64
#include "author/sparse/supernodal_multi.inc"
#endif

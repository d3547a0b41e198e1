/* SPDX-License-Identifier: MIT */
/* Compiled for AVX2 on x86-64; the build sets the compiler flag. */
#if defined(__x86_64__)
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define REAL float
#define INTEGER int32_t
#define SQRT sqrtf
#define VECTOR_BYTES 32
#define NAME(base) base##_avx2
#include "author/fourier/targets_sum.inc"
#endif

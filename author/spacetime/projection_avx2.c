/* SPDX-License-Identifier: MIT */
/* Double precision for AVX2 on x86-64; the build sets the compiler flag. */
#if defined(__x86_64__)
#include <stdbool.h>
#include <stdint.h>

#define REAL double
#define INTEGER int64_t
#define SQRT sqrt
#define VECTOR_BYTES 32
#define NAME(base) base##_avx2
#include "author/spacetime/projection.inc"
#endif

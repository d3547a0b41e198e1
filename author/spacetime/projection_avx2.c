/* SPDX-License-Identifier: MIT */
/* Double, compiled for AVX2 where the processor family has it (the build sets the flag). */
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

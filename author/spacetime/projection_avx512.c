/* SPDX-License-Identifier: MIT */
/* Double, compiled for AVX-512 where the processor family has it (the build sets the flags). */
#if defined(__x86_64__)
#include <stdbool.h>
#include <stdint.h>

#define REAL double
#define INTEGER int64_t
#define SQRT sqrt
#define VECTOR_BYTES 64
#define NAME(base) base##_avx512
#include "author/spacetime/projection.inc"
#endif

/* SPDX-License-Identifier: MIT */
/* Float, compiled for AVX-512 (F, DQ, BW, VL) where the processor family has it (the build sets the flags). */
#if defined(__x86_64__)
#include <stdbool.h>
#include <stdint.h>

#define REAL float
#define INTEGER int32_t
#define SQRT sqrtf
#define VECTOR_BYTES 64
#define NAME(base) base##_avx512
#include "host/coupled/passes.inc"
#endif

/* SPDX-License-Identifier: MIT */
/* Float, compiled for AVX2 where the processor family has it (the build sets the flag). */
#if defined(__x86_64__)
#include <stdbool.h>
#include <stdint.h>

#define REAL float
#define INTEGER int32_t
#define SQRT sqrtf
#define VECTOR_BYTES 32
#define NAME(base) base##_avx2
#include "host/coupled/passes.inc"
#endif

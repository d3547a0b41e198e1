/* SPDX-License-Identifier: MIT */
/* Float, baseline instruction set. */
#include <stdbool.h>
#include <stdint.h>

#define REAL float
#define INTEGER int32_t
#define SQRT sqrtf
#define VECTOR_BYTES 16
#define NAME(base) base##_baseline
#include "host/coupled/passes.inc"

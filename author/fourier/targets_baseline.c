/* SPDX-License-Identifier: MIT */
/* Baseline instruction set. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define REAL float
#define INTEGER int32_t
#define SQRT sqrtf
#define VECTOR_BYTES 16
#define NAME(base) base##_baseline
#include "author/fourier/targets_sum.inc"

/* SPDX-License-Identifier: MIT */
/* Double precision for the baseline instruction set. */
#include <stdbool.h>
#include <stdint.h>

#define REAL double
#define INTEGER int64_t
#define SQRT sqrt
#define VECTOR_BYTES 16
#define NAME(base) base##_baseline
#include "author/spacetime/projection.inc"

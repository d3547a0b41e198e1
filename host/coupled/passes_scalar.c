/* SPDX-License-Identifier: MIT */
/* One lane of float. */
#include <stdbool.h>
#include <stdint.h>

#define REAL float
#define INTEGER int32_t
#define SQRT sqrtf
#define NAME(base) base##_scalar
#include "host/coupled/passes.inc"

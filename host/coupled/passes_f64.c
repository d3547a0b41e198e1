/* SPDX-License-Identifier: MIT */
/* One lane of double: the reference. */
#include <stdbool.h>
#include <stdint.h>

#define REAL double
#define INTEGER int64_t
#define SQRT sqrt
#define NAME(base) base##_f64
#include "host/coupled/passes.inc"

/* SPDX-License-Identifier: MIT */
/* Many right-hand sides, in double. */
#define REAL double
#define NAME(base) base
#define VALUES(f) ((f)->values)
#include "author/sparse/supernodal_wide.inc"

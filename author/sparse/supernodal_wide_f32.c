/* SPDX-License-Identifier: MIT */
/* Many right-hand sides, in float. */
#define REAL float
#define NAME(base) base##_f32
#define VALUES(f) ((f)->values32)
#include "author/sparse/supernodal_wide.inc"

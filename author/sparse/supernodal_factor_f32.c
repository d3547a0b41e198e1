/* SPDX-License-Identifier: MIT */
/* Factors in float, which CHOLMOD does not have. */
#define REAL float
#define NAME(base) base##_f32
#define BLAS(base) cblas_s##base
#define POTRF spotrf_
#include "author/sparse/supernodal_factor.inc"

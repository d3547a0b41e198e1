/* SPDX-License-Identifier: MIT */
/* Factors in double. */
#define REAL double
#define NAME(base) base
#define BLAS(base) cblas_d##base
#define POTRF dpotrf_
#include "author/sparse/supernodal_factor.inc"

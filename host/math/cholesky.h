/* SPDX-License-Identifier: MIT */
/* Small dense symmetric systems in double, row-major (count x count): A = L L^T. */
#ifndef SN_HOST_MATH_CHOLESKY_H
#define SN_HOST_MATH_CHOLESKY_H

#include <stdbool.h>

/* Overwrites A's lower half with L, with the reciprocals of its diagonal; the upper half is neither read nor written.
 * Returns false if a pivot is not positive. */
bool sn_cholesky_factor(int count, double *a);
/* Overwrites the right-hand side with x (count). */
void sn_cholesky_solve(int count, const double *l, double *x);
/* A^-1, both halves. */
void sn_cholesky_invert(int count, const double *l, double *inverse);

#endif

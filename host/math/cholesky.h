/* SPDX-License-Identifier: MIT */
/* Small dense symmetric systems in double, row-major (count x count): A = L L^T. */
#ifndef SN_HOST_MATH_CHOLESKY_H
#define SN_HOST_MATH_CHOLESKY_H

#include <stdbool.h>

/* L takes the place of A's lower half, with the reciprocals of its diagonal; the upper half is neither read nor
 * written. False where a pivot is not positive. */
bool sn_cholesky_factor(int count, double *a);
/* x (count) takes the place of the right-hand side. */
void sn_cholesky_solve(int count, const double *l, double *x);
/* A^-1, both halves. */
void sn_cholesky_invert(int count, const double *l, double *inverse);

#endif

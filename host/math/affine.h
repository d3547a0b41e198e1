/* SPDX-License-Identifier: MIT */
/* Row-major 3 x 4 affine transforms in double: x' = m[4 d + 0..2] x + m[4 d + 3]. */
#ifndef SN_HOST_MATH_AFFINE_H
#define SN_HOST_MATH_AFFINE_H

#include <stdbool.h>

void sn_affine_identity(double *m);
/* result = a b: first b, then a. result may alias neither. */
void sn_affine_multiply(const double *a, const double *b, double *result);
/* Returns false if the linear part is singular relative to its size. */
bool sn_affine_invert(const double *m, double *inverse);
/* The same transform in coordinates x' = (x - origin) * scale. result may alias m. */
void sn_affine_rescale(const double *m, const double *origin, double scale, double *result);
/* Up to rounding. */
bool sn_affine_is_translation(const double *m);
void sn_affine_apply(const double *m, const double *point, double *result);

#endif

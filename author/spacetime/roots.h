/* SPDX-License-Identifier: MIT */
/* The temporal part of the spacetime system as a quadratic of the eigenvalues of space, and the roots of that. */
#ifndef SN_AUTHOR_SPACETIME_ROOTS_H
#define SN_AUTHOR_SPACETIME_ROOTS_H

#include "host/base/arena.h"

/* K(l) = constant + l linear + l^2 square, symmetric, and positive definite for every real l. */
typedef struct sn_spacetime_polynomial {
    int count;
    double *constant, *linear, *square; /* (count x count) each */
} sn_spacetime_polynomial;

/* One of a pair of conjugate roots, the one with the positive imaginary part, and its part of
 *   K(l)^-1 = 2 Re sum_j shape_j dual_j^T / (l - l_j). */
typedef struct sn_spacetime_root {
    double real, imaginary;
    double *shape, *dual; /* (count x 2) complex */
} sn_spacetime_root;

/* roots (count), whose arrays are there. SN_ERROR_NUMERIC where roots are too close to tell their shapes apart, or
 * `square` is not positive definite; SN_ERROR_MEMORY. */
sn_result sn_spacetime_roots_find(const sn_spacetime_polynomial *polynomial, sn_spacetime_root *roots);

#endif

/* SPDX-License-Identifier: MIT */
/* Roots of the temporal part of the spacetime system, which is a matrix quadratic in the spatial eigenvalues. */
#ifndef SN_AUTHOR_SPACETIME_ROOTS_H
#define SN_AUTHOR_SPACETIME_ROOTS_H

#include "host/base/arena.h"

/* K(l) = constant + l linear + l^2 square, symmetric and positive definite for every real l. */
typedef struct sn_spacetime_polynomial {
    int count;
    double *constant, *linear, *square; /* (count x count) each */
} sn_spacetime_polynomial;

/* The root with positive imaginary part of a conjugate pair, and its part of
 *   K(l)^-1 = 2 Re sum_j shape_j dual_j^T / (l - l_j). */
typedef struct sn_spacetime_root {
    double real, imaginary;
    double *shape, *dual; /* (count x 2) complex */
} sn_spacetime_root;

/* Computes roots (count), whose arrays must be allocated. Returns SN_ERROR_NUMERIC if roots are too close to separate
 * their shapes or `square` is not positive definite; SN_ERROR_MEMORY. */
sn_result sn_spacetime_roots_find(const sn_spacetime_polynomial *polynomial, sn_spacetime_root *roots);

#endif

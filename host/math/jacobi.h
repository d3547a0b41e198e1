/* SPDX-License-Identifier: MIT */
/* Singular values and vectors of small dense matrices, and hence eigenvalues of S = A^T A. */
#ifndef SN_HOST_MATH_JACOBI_H
#define SN_HOST_MATH_JACOBI_H

/* One-sided Jacobi (Hestenes 1958): rotates pairs of A's columns until all are orthogonal, A <- A R with R orthogonal.
 * columns (count x size): row i is column i of A. rotation (count x count): row i is column i of R; or null. The
 * resulting columns are sorted by length, ascending: their squares are the eigenvalues of A^T A, and R's columns its
 * eigenvectors. Small ones are as accurate as A's columns allow (Demmel and Veselic 1992), unlike with an explicit A^T
 * A. The same numbers on every machine. */
void sn_jacobi_orthogonalise(int count, int size, double *columns, double *rotation);

#endif

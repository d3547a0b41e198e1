/* SPDX-License-Identifier: MIT */
/* Singular values and vectors of small dense matrices, and so eigenvalues of S = A^T A. */
#ifndef SN_HOST_MATH_JACOBI_H
#define SN_HOST_MATH_JACOBI_H

/* One-sided Jacobi (Hestenes 1958): turns the columns of A against each other until all are orthogonal, A <- A R with
 * R orthogonal. columns (count x size): row i is column i of A. rotation (count x count): row i is column i of R; or
 * null. Columns come out by length, ascending: their squares are the eigenvalues of A^T A, R's columns its
 * eigenvectors, the small ones as exact as A's columns allow (Demmel and Veselic 1992), which a solver that forms A^T A
 * loses. The same numbers on every machine. */
void sn_jacobi_orthogonalise(int count, int size, double *columns, double *rotation);

#endif

/* SPDX-License-Identifier: MIT */
/* Private to author/sparse: solves with a supernodal factor. */
#ifndef SN_AUTHOR_SPARSE_SUPERNODAL_H
#define SN_AUTHOR_SPARSE_SUPERNODAL_H

#include "author/sparse/sparse.h"
#include "author/sparse/supernodes.h"

/* Most right-hand sides of one solve: a factor that is larger than the caches is read once for all of them. */
#define SN_SUPERNODAL_COLUMNS 8

/* Rows of the supernode that has most. */
size_t sn_supernodal_most_rows(const sn_supernodes *factor);
/* Doubles of workspace for any solve. */
size_t sn_supernodal_work_size(const sn_supernodes *factor);
/* Fills the part of a workspace that all solves share. */
void sn_supernodal_work_init(const sn_supernodes *factor, double *work);
/* x (size x column_count) column-major, in place; at most SN_SUPERNODAL_COLUMNS. */
void sn_supernodal_solve(const sn_supernodes *factor, int column_count, double *x, double *work);

/* Right-hand sides, and what solves them, in their place: of unknown i and column c at i row_stride + c column_stride.
 */
typedef struct sn_right_sides {
    int column_count;
    double *x;
    size_t row_stride, column_stride;
} sn_right_sides;

/* For more right-hand sides than a few, all at once; each costs less. Sums have another order. Those without a suffix
 * for a machine choose what this one has. */
size_t sn_supernodal_wide_work_size(const sn_supernodes *factor, int column_count);
void sn_supernodal_wide_solve(const sn_supernodes *factor, const sn_right_sides *right, double *work);
size_t sn_supernodal_wide_work_size_f32(const sn_supernodes *factor, int column_count);
void sn_supernodal_wide_solve_f32(const sn_supernodes *factor, const sn_right_sides *right, float *work);
size_t sn_supernodal_wide_work_size_avx512(const sn_supernodes *factor, int column_count);
void sn_supernodal_wide_solve_avx512(const sn_supernodes *factor, const sn_right_sides *right, double *work);
size_t sn_supernodal_wide_work_size_f32_avx512(const sn_supernodes *factor, int column_count);
void sn_supernodal_wide_solve_f32_avx512(const sn_supernodes *factor, const sn_right_sides *right, float *work);

/* Fills the values (zero before) of the matrix that the factor was analysed for, if that is positive definite in their
 * precision. */
sn_result sn_supernodal_factorize(const sn_supernodes *factor, const sn_sparse *matrix, double *values,
                                  bool *is_definite);
sn_result sn_supernodal_factorize_f32(const sn_supernodes *factor, const sn_sparse *matrix, float *values,
                                      bool *is_definite);

#endif

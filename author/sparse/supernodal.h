/* SPDX-License-Identifier: MIT */
/* Private to author/sparse: solves with a supernodal factor. */
#ifndef SN_AUTHOR_SPARSE_SUPERNODAL_H
#define SN_AUTHOR_SPARSE_SUPERNODAL_H

#include "author/sparse/sparse.h"
#include "author/sparse/supernodes.h"

/* Most right-hand sides of one solve: the factor, which is larger than the caches, is read once for all of them. */
#define SN_SUPERNODAL_COLUMNS 8

/* Largest number of rows of a supernode. */
size_t sn_supernodal_max_rows(const sn_supernodes *factor);
/* Number of doubles in a workspace for any solve. */
size_t sn_supernodal_work_size(const sn_supernodes *factor);
/* Fills the part of a workspace that all solves share. */
void sn_supernodal_work_init(const sn_supernodes *factor, double *work);
/* x (size x column_count), column-major, solved in place; at most SN_SUPERNODAL_COLUMNS columns. */
void sn_supernodal_solve(const sn_supernodes *factor, int column_count, double *x, double *work);

/* Right-hand sides, replaced by the solutions: unknown i of column c is at i row_stride + c column_stride. */
typedef struct sn_right_hand_sides {
    int column_count;
    double *x;
    size_t row_stride, column_stride;
} sn_right_hand_sides;

/* Solves for many right-hand sides at once, at less time for each. The order of summation differs from
 * sn_supernodal_solve. The functions without an instruction set suffix select the best one at run time. */
size_t sn_supernodal_multi_work_size(const sn_supernodes *factor, int column_count);
void sn_supernodal_multi_solve(const sn_supernodes *factor, const sn_right_hand_sides *right, double *work);
size_t sn_supernodal_multi_work_size_f32(const sn_supernodes *factor, int column_count);
void sn_supernodal_multi_solve_f32(const sn_supernodes *factor, const sn_right_hand_sides *right, float *work);
size_t sn_supernodal_multi_work_size_avx512(const sn_supernodes *factor, int column_count);
void sn_supernodal_multi_solve_avx512(const sn_supernodes *factor, const sn_right_hand_sides *right, double *work);
size_t sn_supernodal_multi_work_size_f32_avx512(const sn_supernodes *factor, int column_count);
void sn_supernodal_multi_solve_f32_avx512(const sn_supernodes *factor, const sn_right_hand_sides *right, float *work);

/* Computes the values (zero before) of the matrix that the factor was analysed for, if it is positive definite in their
 * precision. */
sn_result sn_supernodal_factorize(const sn_supernodes *factor, const sn_sparse *matrix, double *values,
                                  bool *is_definite);
sn_result sn_supernodal_factorize_f32(const sn_supernodes *factor, const sn_sparse *matrix, float *values,
                                      bool *is_definite);

#endif

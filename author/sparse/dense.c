/* SPDX-License-Identifier: MIT */
/* Dense eigenproblems, factors and products, by LAPACK and BLAS. */
#include "author/sparse/sparse.h"

#include <cblas.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* LAPACK's Fortran symbols, declared here to avoid a dependency on its C interface. */
extern void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
                    double *work, const int *lwork, int *iwork, const int *liwork, int *info, size_t jobz_length,
                    size_t uplo_length);

extern void dpstrf_(const char *uplo, const int *n, double *a, const int *lda, int *piv, int *rank, const double *tol,
                    double *work, int *info, size_t uplo_length);
extern void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_length);
extern void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work, const int *lwork,
                    int *info);
extern void dormqr_(const char *side, const char *trans, const int *m, const int *n, const int *k, const double *a,
                    const int *lda, const double *tau, double *c, const int *ldc, double *work, const int *lwork,
                    int *info, size_t side_length, size_t trans_length);

#define BLAS_BUFFER_BYTES ((size_t)129 << 20)
#define BLAS3_COLUMNS 16 /* from here on BLAS-3 is used, which sums in another order */

sn_result sn_dense_reserve_memory(void)
{
    static atomic_bool is_reserved; /* OpenBLAS keeps its buffer once allocated */
    if (atomic_load(&is_reserved)) {
        return SN_OK;
    }
    const int thread_count =
        openblas_get_num_threads(); /* each thread allocates a buffer, some time after the process starts */
    void *volatile probe = malloc((size_t)thread_count * BLAS_BUFFER_BYTES);
    double one = 1;
    if (!probe) {
        return sn_fail_within(SN_ERROR_MEMORY, "out of memory: BLAS needs 128 MiB in each of %d threads", thread_count);
    }
    free(probe);
    (void)sn_dense_cholesky(1, &one); /* a call of any size makes OpenBLAS allocate its buffer */
    atomic_store(&is_reserved, true);
    return SN_OK;
}

static int divide_and_conquer(int size, double *matrix, double *eigenvalues, double *work, int work_size, int *iwork,
                              int iwork_size)
{
    int info = 0;
    dsyevd_("V", "L", &size, matrix, &size, eigenvalues, work, &work_size, iwork, &iwork_size, &info, 1, 1);
    return info;
}

sn_result sn_symmetric_eigen(int size, double *matrix, double *eigenvalues)
{
    if (size == 0) {
        return SN_OK;
    }
    openblas_set_num_threads(1);
    double best_work_size = 0;
    int iwork_size = 0;
    int info = divide_and_conquer(size, matrix, eigenvalues, &best_work_size, -1, &iwork_size, -1);
    if (info != 0 || !(best_work_size < (double)INT32_MAX)) {
        return sn_fail_within(SN_ERROR_UNSUPPORTED, "a dense eigenproblem of size %d is too large", size);
    }
    const int work_size = (int)best_work_size;
    sn_arena scratch = {0};
    double *work = SN_NEW(&scratch, double, work_size);
    int *iwork = SN_NEW(&scratch, int, iwork_size);
    sn_result result = SN_ERROR_MEMORY;
    if (work && iwork) {
        info = divide_and_conquer(size, matrix, eigenvalues, work, work_size, iwork, iwork_size);
        result = info == 0 ? SN_OK
                           : sn_fail_within(SN_ERROR_NUMERIC, "dense eigenproblem of size %d: dsyevd returned %d", size,
                                            info);
    }
    sn_arena_finish(&scratch);
    return result;
}

void sn_columns_expand(const sn_sparse_columns *columns, int size, double *dense)
{
    for (const sn_column_block *block = columns->blocks; block < columns->blocks + columns->block_count; block++) {
        const size_t rows = (size_t)block->row_count;
        for (size_t c = 0; c < (size_t)block->column_count; c++) {
            for (size_t i = 0; i < rows; i++) {
                dense[(size_t)block->rows[i]] = block->values[c * rows + i];
            }
            dense += size;
        }
    }
}

int sn_pivoted_cholesky(int size, double *matrix, double tolerance, double *work, int32_t *pivots)
{
    int rank = 0, info = 0;
    if (size > 0) {
        openblas_set_num_threads(1);
        dpstrf_("U", &size, matrix, &size, pivots, &rank, &tolerance, work, &info, 1);
    }
    for (int i = 0; i < size; i++) {
        pivots[i]--;
    }
    return rank;
}

sn_result sn_dense_select_independent(int size, double tolerance, int *count, double *columns)
{
    sn_arena scratch = {0};
    const size_t n = (size_t)size, previous_count = (size_t)*count;
    double *gram = SN_NEW(&scratch, double, previous_count *previous_count),
           *work = SN_NEW(&scratch, double, 2 * previous_count);
    int32_t *pivots = SN_NEW(&scratch, int32_t, previous_count);
    bool *is_independent = SN_NEW(&scratch, bool, previous_count);
    const bool is_ok = gram && work && pivots && is_independent;
    if (is_ok && previous_count > 0) { /* BLAS does not accept a leading dimension of 0 */
        sn_dense_gram(columns, columns, size, *count, gram);
        const int rank = sn_pivoted_cholesky(*count, gram, tolerance, work, pivots);
        for (int i = 0; i < rank; i++) {
            is_independent[pivots[i]] = true;
        }
        *count = 0;
        for (size_t i = 0; i < previous_count; i++) {
            if (is_independent[i]) {
                memmove(columns + (size_t)(*count)++ * n, columns + i * n, n * sizeof *columns);
            }
        }
    }
    sn_arena_finish(&scratch);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

bool sn_dense_cholesky(int size, double *matrix)
{
    int info = 0;
    if (size > 0) {
        openblas_set_num_threads(1);
        dpotrf_("L", &size, matrix, &size, &info, 1);
    }
    return info == 0;
}

void sn_dense_cholesky_solve(int size, const double *lower, int column_count, double *x)
{
    openblas_set_num_threads(1);
    if (column_count >= BLAS3_COLUMNS) {
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, size, column_count, 1, lower,
                    size, x, size);
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, size, column_count, 1, lower, size,
                    x, size);
        return;
    }
    for (int c = 0; c < column_count; c++) {
        double *column = x + (size_t)c * (size_t)size;
        cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, size, lower, size, column, 1);
        cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, size, lower, size, column, 1);
    }
}

/* The basis is the last columns of the orthogonal factor of a Householder QR. */
sn_result sn_dense_complement(int size, int count, double *columns, double *basis)
{
    const int free_count = size - count, work_size = 64 * (size > 0 ? size : 1);
    sn_arena scratch = {0};
    double *tau = SN_NEW(&scratch, double, count), *work = SN_NEW(&scratch, double, work_size);
    int info = tau && work ? 0 : 1;
    memset(basis, 0, sizeof *basis * (size_t)size * (size_t)free_count);
    for (int i = 0; i < free_count; i++) {
        basis[(size_t)i * (size_t)size + (size_t)(count + i)] = 1;
    }
    openblas_set_num_threads(1);
    if (info == 0 && count > 0 && free_count > 0) {
        dgeqrf_(&size, &count, columns, &size, tau, work, &work_size, &info);
        dormqr_("L", "N", &size, &free_count, &count, columns, &size, tau, basis, &size, work, &work_size, &info, 1, 1);
    }
    sn_arena_finish(&scratch);
    return info == 0 ? SN_OK : SN_ERROR_MEMORY;
}

void sn_dense_multiply(const sn_gemm *g)
{
    openblas_set_num_threads(1);
    cblas_dgemm(CblasColMajor, g->transpose_a ? CblasTrans : CblasNoTrans, g->transpose_b ? CblasTrans : CblasNoTrans,
                g->m, g->n, g->k, g->alpha, g->a, g->lda, g->b, g->ldb, g->beta, g->c, g->ldc);
}

void sn_dense_gram(const double *a, const double *b, int rows, int columns, double *result)
{
    sn_dense_multiply(&(sn_gemm){.transpose_a = true,
                                 .m = columns,
                                 .n = columns,
                                 .k = rows,
                                 .alpha = 1,
                                 .a = a,
                                 .lda = rows,
                                 .b = b,
                                 .ldb = rows,
                                 .c = result,
                                 .ldc = columns});
}

void sn_dense_product(const double *a, int rows, int inner, const double *b, int columns, double *result)
{
    sn_dense_multiply(&(sn_gemm){.m = rows,
                                 .n = columns,
                                 .k = inner,
                                 .alpha = 1,
                                 .a = a,
                                 .lda = rows,
                                 .b = b,
                                 .ldb = inner,
                                 .c = result,
                                 .ldc = rows});
}

/* SPDX-License-Identifier: MIT */
/* The dense eigenproblem and product, on LAPACK and BLAS. */
#include "author/sparse/sparse.h"

#include <cblas.h>

/* LAPACK's Fortran symbol: declared here so that its C interface is not needed. */
extern void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
                    double *work, const int *lwork, int *iwork, const int *liwork, int *info, size_t jobz_length,
                    size_t uplo_length);

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
        return sn_fail(SN_ERROR_UNSUPPORTED, "a dense eigenproblem of size %d is too large", size);
    }
    const int work_size = (int)best_work_size;
    sn_arena scratch = {0};
    double *work = SN_NEW(&scratch, double, work_size);
    int *iwork = SN_NEW(&scratch, int, iwork_size);
    sn_result result = SN_ERROR_MEMORY;
    if (work && iwork) {
        info = divide_and_conquer(size, matrix, eigenvalues, work, work_size, iwork, iwork_size);
        result = info == 0 ? SN_OK
                           : sn_fail(SN_ERROR_NUMERIC, "dense eigenproblem of size %d: dsyevd returned %d", size, info);
    }
    sn_arena_finish(&scratch);
    return result;
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

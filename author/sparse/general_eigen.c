/* SPDX-License-Identifier: MIT */
/* The dense eigenproblem of a matrix without symmetry, by LAPACK. */
#include <cblas.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "author/sparse/sparse.h"

extern void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda, double *wr,
                   double *wi, double *vl, const int *ldvl, double *vr, const int *ldvr, double *work, const int *lwork,
                   int *info, size_t jobvl_length, size_t jobvr_length);
extern void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b, const int *ldb,
                   int *info);

static sn_result invert(int size, const double *matrix, sn_arena *scratch, double *inverse)
{
    const size_t square = (size_t)size * (size_t)size;
    double *copy = SN_NEW(scratch, double, square);
    int *pivots = SN_NEW(scratch, int, size), info = 0;
    if (!copy || !pivots) {
        return SN_ERROR_MEMORY;
    }
    memcpy(copy, matrix, square * sizeof *copy);
    memset(inverse, 0, square * sizeof *inverse);
    for (size_t i = 0; i < (size_t)size; i++) {
        inverse[i * (size_t)size + i] = 1;
    }
    dgesv_(&size, &size, copy, &size, pivots, inverse, &size, &info);
    return info == 0
               ? SN_OK
               : sn_fail_within(SN_ERROR_NUMERIC, "a matrix of size %d has too few independent eigenvectors", size);
}

/* LAPACK would print a message for values that are not finite. */
static bool is_finite(size_t count, const double *values)
{
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(values[i])) {
            return false;
        }
    }
    return true;
}

sn_result sn_general_eigen(int size, const double *matrix, double *eigenvalues, double *vectors, double *inverse)
{
    sn_arena scratch = {0};
    const size_t n = (size_t)size, square = n * n, work_size = 8 * n + 32;
    double *copy = SN_NEW(&scratch, double, square), *work = SN_NEW(&scratch, double, work_size);
    const int work_count = (int)work_size, one = 1;
    int info = 0;
    sn_result result = copy && work ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK && !is_finite(square, matrix)) {
        result = sn_fail_within(SN_ERROR_NUMERIC,
                                "dense eigenproblem of size %d: the matrix has numbers that are not finite", size);
    }
    if (result == SN_OK && size > 0) {
        openblas_set_num_threads(1);
        memcpy(copy, matrix, square * sizeof *copy);
        dgeev_("N", "V", &size, copy, &size, eigenvalues, eigenvalues + n, NULL, &one, vectors, &size, work,
               &work_count, &info, 1, 1);
        result = info == 0
                     ? invert(size, vectors, &scratch, inverse)
                     : sn_fail_within(SN_ERROR_NUMERIC, "dense eigenproblem of size %d: dgeev returned %d", size, info);
    }
    sn_arena_finish(&scratch);
    return result;
}

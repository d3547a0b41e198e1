/* SPDX-License-Identifier: MIT */
/* Conjugate gradients with the diagonal as preconditioner, for systems that are nearly diagonal (such as a short
 * diffusion step) and so large that a factor takes longer. */
#include <math.h>
#include <string.h>

#include "author/sparse/sparse.h"

void sn_sparse_multiply(const sn_sparse *a, const double *x, double *y)
{
    memset(y, 0, (size_t)a->size * sizeof *y);
    for (int j = 0; j < a->size; ++j) {
        double sum = 0;
        for (int32_t k = a->column_starts[j]; k < a->column_starts[j + 1]; ++k) {
            const int i = a->rows[k];
            sum += a->values[k] * x[i];
            y[i] += i != j ? a->values[k] * x[j] : 0;
        }
        y[j] += sum;
    }
}

/* z = D^-1 r; the diagonal entry is the first of its column. */
static void precondition(const sn_sparse *a, const double *r, double *z)
{
    for (int i = 0; i < a->size; ++i) {
        z[i] = r[i] / a->values[a->column_starts[i]];
    }
}

sn_result sn_sparse_solve(const sn_sparse *a, double tolerance, int iteration_limit, double *x, bool *is_solved)
{
    const size_t size = (size_t)a->size;
    sn_arena scratch = {0};
    double *r = SN_NEW(&scratch, double, size), *z = SN_NEW(&scratch, double, size);
    double *p = SN_NEW(&scratch, double, size), *image = SN_NEW(&scratch, double, size);
    *is_solved = false;
    if (!r || !z || !p || !image) {
        sn_arena_finish(&scratch);
        return SN_ERROR_MEMORY;
    }
    memcpy(r, x, size * sizeof *r);
    memset(x, 0, size * sizeof *x);
    precondition(a, r, z);
    memcpy(p, z, size * sizeof *p);
    double energy = sn_dense_dot(size, r, z);
    const double threshold = tolerance * tolerance * energy;
    for (int step = 0; step < iteration_limit && energy > threshold; ++step) {
        sn_sparse_multiply(a, p, image);
        const double alpha = energy / sn_dense_dot(size, p, image);
        for (size_t i = 0; i < size; ++i) {
            x[i] += alpha * p[i];
            r[i] -= alpha * image[i];
        }
        precondition(a, r, z);
        const double new_energy = sn_dense_dot(size, r, z), beta = new_energy / energy;
        for (size_t i = 0; i < size; ++i) {
            p[i] = z[i] + beta * p[i];
        }
        energy = new_energy;
    }
    *is_solved = energy <= threshold;
    sn_arena_finish(&scratch);
    return SN_OK;
}

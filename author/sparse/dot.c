/* SPDX-License-Identifier: MIT */
#include "author/sparse/sparse.h"

double sn_dense_dot(size_t size, const double *a, const double *b)
{
    double sums[4] = {0}; /* four partial sums, in the same order on every machine */
    size_t i = 0;
    for (; i + 4 <= size; i += 4) {
        for (size_t k = 0; k < 4; k++) {
            sums[k] += a[i + k] * b[i + k];
        }
    }
    for (; i < size; i++) {
        sums[0] += a[i] * b[i];
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

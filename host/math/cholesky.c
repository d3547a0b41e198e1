/* SPDX-License-Identifier: MIT */
#include "host/math/cholesky.h"

#include <math.h>
#include <stddef.h>

bool sn_cholesky_factor(int count, double *a)
{
    const size_t n = (size_t)count;
    for (size_t i = 0; i < n; ++i) {
        double *row = a + n * i, pivot = row[i];
        for (size_t j = 0; j < i; ++j) {
            const double *other = a + n * j;
            double sum = row[j];
            for (size_t k = 0; k < j; ++k) {
                sum -= row[k] * other[k];
            }
            row[j] = sum * other[j];
            pivot -= row[j] * row[j];
        }
        if (!(pivot > 0)) {
            return false;
        }
        row[i] = 1 / sqrt(pivot);
    }
    return true;
}

void sn_cholesky_solve(int count, const double *l, double *x)
{
    const size_t n = (size_t)count;
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = 0; k < i; ++k) {
            x[i] -= l[n * i + k] * x[k];
        }
        x[i] *= l[n * i + i];
    }
    for (size_t i = n; i-- > 0;) {
        x[i] *= l[n * i + i];
        for (size_t k = 0; k < i; ++k) {
            x[k] -= l[n * i + k] * x[i];
        }
    }
}

void sn_cholesky_invert(int count, const double *l, double *inverse)
{
    const size_t n = (size_t)count;
    for (size_t column = 0; column < n; ++column) {
        double *x = inverse + n * column;
        for (size_t i = 0; i < n; ++i) {
            x[i] = i == column ? 1 : 0;
        }
        sn_cholesky_solve(count, l, x);
    }
}

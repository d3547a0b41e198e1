/* SPDX-License-Identifier: MIT */
/* The small system of Anderson acceleration (Walker and Ni 2011, equation 2.4, by normal equations). */
#include "host/reduced/solver.h"

#define RIDGE 1e-6 /* relative to a column's own square; float columns become parallel */

/* L D L^T of the upper part of m, in place: L below the diagonal, D on it. */
static void factorise(int count, double m[SN_ANDERSON_MAX][SN_ANDERSON_MAX])
{
    for (int j = 0; j < count; ++j) {
        for (int i = j + 1; i < count; ++i) {
            const double l = m[j][i] / m[j][j];
            for (int k = i; k < count; ++k) {
                m[i][k] -= l * m[j][k];
            }
            m[i][j] = l;
        }
    }
}

void sn_anderson_solve(int count, double gram[SN_ANDERSON_MAX][SN_ANDERSON_MAX], const double *right, double *gamma)
{
    double m[SN_ANDERSON_MAX][SN_ANDERSON_MAX];
    for (int i = 0; i < count; ++i) {
        for (int j = i; j < count; ++j) {
            m[i][j] = gram[i][j];
        }
        m[i][i] += RIDGE * gram[i][i] + 1e-300; /* a zero column gets coefficient 0 */
        gamma[i] = right[i];
    }
    factorise(count, m);
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < i; ++k) {
            gamma[i] -= m[i][k] * gamma[k];
        }
    }
    for (int i = count - 1; i >= 0; --i) {
        gamma[i] /= m[i][i];
        for (int k = i + 1; k < count; ++k) {
            gamma[i] -= m[k][i] * gamma[k];
        }
    }
}

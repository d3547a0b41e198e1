/* SPDX-License-Identifier: MIT */
#include "host/math/affine.h"

#include <math.h>

void sn_affine_identity(double *m)
{
    for (int i = 0; i < 12; ++i) {
        m[i] = i % 5 == 0 ? 1 : 0;
    }
}

void sn_affine_apply(const double *m, const double *point, double *result)
{
    for (int d = 0; d < 3; ++d) {
        result[d] = m[4 * d] * point[0] + m[4 * d + 1] * point[1] + m[4 * d + 2] * point[2] + m[4 * d + 3];
    }
}

void sn_affine_multiply(const double *a, const double *b, double *result)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j) {
            result[4 * i + j] =
                a[4 * i] * b[j] + a[4 * i + 1] * b[4 + j] + a[4 * i + 2] * b[8 + j] + (j == 3 ? a[4 * i + 3] : 0);
        }
    }
}

bool sn_affine_invert(const double *m, double *inverse)
{
    const double c0 = m[5] * m[10] - m[6] * m[9], c1 = m[6] * m[8] - m[4] * m[10], c2 = m[4] * m[9] - m[5] * m[8];
    const double det = m[0] * c0 + m[1] * c1 + m[2] * c2;
    double size = 0;
    for (int i = 0; i < 11; ++i) {
        size = i % 4 == 3 ? size : fmax(size, fabs(m[i]));
    }
    if (!(fabs(det) > 1e-12 * size * size * size)) {
        return false;
    }
    const double linear[9] = {c0, m[2] * m[9] - m[1] * m[10], m[1] * m[6] - m[2] * m[5],
                              c1, m[0] * m[10] - m[2] * m[8], m[2] * m[4] - m[0] * m[6],
                              c2, m[1] * m[8] - m[0] * m[9],  m[0] * m[5] - m[1] * m[4]};
    for (int d = 0; d < 3; ++d) {
        double shift = 0;
        for (int k = 0; k < 3; ++k) {
            inverse[4 * d + k] = linear[3 * d + k] / det;
            shift += inverse[4 * d + k] * m[4 * k + 3];
        }
        inverse[4 * d + 3] = -shift;
    }
    return true;
}

bool sn_affine_is_translation(const double *m)
{
    double max_entry = 0;
    for (int i = 0; i < 12; ++i) {
        max_entry = i % 4 == 3 ? max_entry : fmax(max_entry, fabs(m[i] - (i % 5 == 0 ? 1 : 0)));
    }
    return max_entry <= 1e-6;
}

void sn_affine_rescale(const double *m, const double *origin, double scale, double *result)
{
    double moved[3];
    sn_affine_apply(m, origin, moved);
    for (int d = 0; d < 3; ++d) {
        for (int k = 0; k < 3; ++k) {
            result[4 * d + k] = m[4 * d + k];
        }
        result[4 * d + 3] = scale * (moved[d] - origin[d]);
    }
}

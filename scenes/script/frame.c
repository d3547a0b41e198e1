/* SPDX-License-Identifier: MIT */
#include "scenes/script/frame.h"

#include <math.h>

const sn_frame sn_frame_identity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

sn_frame sn_frame_from_matrix(const sn_mat3x4 *matrix)
{
    sn_frame a;
    for (int i = 0; i < 12; ++i) {
        a.m[i / 4][i % 4] = (double)matrix->m[i / 4][i % 4];
    }
    return a;
}

sn_mat3x4 sn_frame_to_matrix(const sn_frame *affine)
{
    sn_mat3x4 matrix;
    for (int i = 0; i < 12; ++i) {
        matrix.m[i / 4][i % 4] = (float)affine->m[i / 4][i % 4];
    }
    return matrix;
}

sn_frame sn_frame_multiply(const sn_frame *a, const sn_frame *b)
{
    sn_frame c;
    for (int r = 0; r < 3; ++r) {
        for (int k = 0; k < 4; ++k) {
            c.m[r][k] =
                a->m[r][0] * b->m[0][k] + a->m[r][1] * b->m[1][k] + a->m[r][2] * b->m[2][k] + (k == 3 ? a->m[r][3] : 0);
        }
    }
    return c;
}

/* By cofactors. */
sn_frame sn_frame_inverse(const sn_frame *a)
{
    const double(*m)[4] = a->m;
    sn_frame inverse;
    for (int r = 0; r < 3; ++r) {
        const int r1 = (r + 1) % 3, r2 = (r + 2) % 3;
        for (int c = 0; c < 3; ++c) {
            const int c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            inverse.m[c][r] = m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1];
        }
    }
    const double determinant = m[0][0] * inverse.m[0][0] + m[0][1] * inverse.m[1][0] + m[0][2] * inverse.m[2][0];
    if (!(fabs(determinant) > 0)) {
        return sn_frame_identity;
    }
    for (int r = 0; r < 3; ++r) {
        inverse.m[r][3] = 0;
        for (int c = 0; c < 3; ++c) {
            inverse.m[r][c] /= determinant;
            inverse.m[r][3] -= inverse.m[r][c] * m[c][3];
        }
    }
    return inverse;
}

/* Rodrigues' rotation formula. */
sn_frame sn_frame_rigid(const double axis[3], const double translation[3])
{
    const double angle = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    const double s = angle > 0 ? sin(angle) / angle : 1;
    const double half = angle > 0 ? sin(angle / 2) / angle : 0.5, c = 2 * half * half;
    const double cross[3][3] = {{0, -axis[2], axis[1]}, {axis[2], 0, -axis[0]}, {-axis[1], axis[0], 0}};
    sn_frame a = sn_frame_identity;
    for (int r = 0; r < 3; ++r) {
        for (int k = 0; k < 3; ++k) {
            const double square = cross[r][0] * cross[0][k] + cross[r][1] * cross[1][k] + cross[r][2] * cross[2][k];
            a.m[r][k] += s * cross[r][k] + c * square;
        }
        a.m[r][3] = translation[r];
    }
    return a;
}

sn_frame sn_frame_about_pivot(const double pivot[3], const double axis[3], const double stretch[3],
                              const double translation[3])
{
    static const double zero[3] = {0};
    sn_frame a = sn_frame_rigid(axis, zero);
    for (int r = 0; r < 3; ++r) {
        a.m[r][3] = pivot[r] + translation[r];
        for (int k = 0; k < 3; ++k) {
            a.m[r][k] *= 1 + stretch[k];
            a.m[r][3] -= a.m[r][k] * pivot[k];
        }
    }
    return a;
}

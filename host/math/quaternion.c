/* SPDX-License-Identifier: MIT */
#include "host/math/quaternion.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define POLAR_STEPS 60

void sn_quaternion_normalize(double *q)
{
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; ++i) {
        q[i] = length > 0 ? q[i] / length : (i == 3 ? 1 : 0);
    }
}

void sn_quaternion_multiply(const double *a, const double *b, double *result)
{
    const double product[4] = {
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1], a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2],
        a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0], a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
    memcpy(result, product, sizeof product);
}

void sn_quaternion_conjugate(const double *q, double *result)
{
    for (int i = 0; i < 3; ++i) {
        result[i] = -q[i];
    }
    result[3] = q[3];
}

void sn_quaternion_to_matrix(const double *q, double *m)
{
    const double xx = q[0] * q[0], yy = q[1] * q[1], zz = q[2] * q[2], xy = q[0] * q[1], yz = q[1] * q[2];
    const double zx = q[2] * q[0], xw = q[0] * q[3], yw = q[1] * q[3], zw = q[2] * q[3];
    m[0] = 1 - 2 * (yy + zz), m[1] = 2 * (xy - zw), m[2] = 2 * (zx + yw);
    m[3] = 2 * (xy + zw), m[4] = 1 - 2 * (zz + xx), m[5] = 2 * (yz - xw);
    m[6] = 2 * (zx - yw), m[7] = 2 * (yz + xw), m[8] = 1 - 2 * (xx + yy);
}

void sn_quaternion_from_matrix(const double *m, double *q)
{
    const double trace = m[0] + m[4] + m[8];
    int max_diagonal = 0;
    for (int i = 1; i < 3; ++i) {
        max_diagonal = m[4 * i] > m[4 * max_diagonal] ? i : max_diagonal;
    }
    if (trace > m[4 * max_diagonal]) {
        q[3] = 1 + trace;
        q[0] = m[7] - m[5], q[1] = m[2] - m[6], q[2] = m[3] - m[1];
    } else {
        const int i = max_diagonal, j = (i + 1) % 3, k = (i + 2) % 3;
        q[i] = 1 + m[4 * i] - m[4 * j] - m[4 * k];
        q[j] = m[3 * j + i] + m[3 * i + j];
        q[k] = m[3 * k + i] + m[3 * i + k];
        q[3] = m[3 * k + j] - m[3 * j + k];
    }
    sn_quaternion_normalize(q);
}

void sn_quaternion_from_vector(const double *vector, double *q)
{
    for (int i = 0; i < 3; ++i) {
        q[i] = vector[i] / 2;
    }
    q[3] = 1;
    sn_quaternion_normalize(q);
}

void sn_quaternion_to_vector(const double *q, double *vector)
{
    const double real = fmax(fabs(q[3]), 1e-6), twice = q[3] < 0 ? -2 / real : 2 / real;
    for (int i = 0; i < 3; ++i) {
        vector[i] = twice * q[i];
    }
}

void sn_quaternion_blend(const double *from, const double *to, double fraction, double *result)
{
    const double along = from[0] * to[0] + from[1] * to[1] + from[2] * to[2] + from[3] * to[3];
    const double signed_fraction = along < 0 ? -fraction : fraction;
    for (int i = 0; i < 4; ++i) {
        result[i] = (1 - fraction) * from[i] + signed_fraction * to[i];
    }
    sn_quaternion_normalize(result);
}

void sn_quaternion_polar(const double *a, double *q)
{
    for (int step = 0; step < POLAR_STEPS; ++step) {
        double r[9], vector[3] = {0}, size = DBL_MIN, length2 = 0, increment[4];
        sn_quaternion_to_matrix(q, r);
        for (int j = 0; j < 3; ++j) { /* sum of r_j x a_j over |sum of r_j . a_j| */
            for (int d = 0; d < 3; ++d) {
                const int e = (d + 1) % 3, f = (d + 2) % 3;
                vector[d] += r[3 * e + j] * a[3 * f + j] - r[3 * f + j] * a[3 * e + j];
                size += r[3 * d + j] * a[3 * d + j];
            }
        }
        for (int d = 0; d < 3; ++d) {
            vector[d] /= fabs(size);
            length2 += vector[d] * vector[d];
        }
        if (!(length2 > 1e-28 && length2 < INFINITY)) {
            return;
        }
        sn_quaternion_from_vector(vector, increment);
        sn_quaternion_multiply(increment, q, q);
    }
}

void sn_quaternion_split(const double *a, double *q, double *s)
{
    double r[9];
    sn_quaternion_polar(a, q);
    sn_quaternion_to_matrix(q, r);
    for (int d = 0; d < 3; ++d) {
        for (int e = 0; e < 3; ++e) {
            s[3 * d + e] = r[d] * a[e] + r[3 + d] * a[3 + e] + r[6 + d] * a[6 + e];
        }
    }
}

void sn_quaternion_polar_z(const double *a, double *q)
{
    const double cosine = a[0] + a[4], sine = a[3] - a[1], size = sqrt(cosine * cosine + sine * sine);
    q[0] = q[1] = 0;
    q[2] = cosine < 0 ? size - cosine : sine; /* of half the angle, in the form without cancellation */
    q[3] = cosine < 0 ? sine : size + cosine;
    sn_quaternion_normalize(q);
}

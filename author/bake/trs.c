/* SPDX-License-Identifier: MIT */
#include "author/bake/trs.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "host/math/vec3.h"

#define MIN_LENGTH 1e-9 /* relative to the longest column; shorter columns have no direction */
#define SWEEP_LIMIT 30

static void rotate_pair(int size, int p, int q, double *a, double *v)
{
    const double apq = a[p * size + q];
    if (apq == 0) {
        return;
    }
    const double theta = (a[q * size + q] - a[p * size + p]) / (2 * apq);
    const double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < size; ++k) {
        const double akp = a[k * size + p], akq = a[k * size + q];
        a[k * size + p] = c * akp - s * akq;
        a[k * size + q] = s * akp + c * akq;
        const double vkp = v[k * size + p], vkq = v[k * size + q];
        v[k * size + p] = c * vkp - s * vkq;
        v[k * size + q] = s * vkp + c * vkq;
    }
    for (int k = 0; k < size; ++k) {
        const double apk = a[p * size + k], aqk = a[q * size + k];
        a[p * size + k] = c * apk - s * aqk;
        a[q * size + k] = s * apk + c * aqk;
    }
}

static void multiply(int size, const double *a, const double *b, double *result)
{
    for (int i = 0; i < size; ++i) {
        for (int k = 0; k < size; ++k) {
            double sum = 0;
            for (int m = 0; m < size; ++m) {
                sum += a[i * size + m] * b[m * size + k];
            }
            result[i * size + k] = sum;
        }
    }
}

static void transpose(int size, const double *a, double *result)
{
    for (int i = 0; i < size * size; ++i) {
        result[i] = a[i % size * size + i / size];
    }
}

void sn_symmetric_diagonalise(int size, double *matrix, double *vectors)
{
    double product[16] = {0}, transposed[16] = {0};
    transpose(size, vectors, transposed);
    multiply(size, transposed, matrix, product);
    multiply(size, product, vectors, matrix);
    double scale = 0;
    for (int i = 0; i < size * size; ++i) {
        scale = fmax(scale, fabs(matrix[i]));
    }
    for (int sweep = 0; sweep < SWEEP_LIMIT; ++sweep) {
        double off = 0;
        for (int p = 0; p < size; ++p) {
            for (int q = p + 1; q < size; ++q) {
                off = fmax(off, fabs(matrix[p * size + q]));
            }
        }
        if (!(off > 1e-17 * scale)) {
            return;
        }
        for (int p = 0; p < size; ++p) {
            for (int q = p + 1; q < size; ++q) {
                rotate_pair(size, p, q, matrix, vectors);
            }
        }
    }
}

static void rotation_of_quaternion(const double *q, double *r)
{
    const double x = q[0], y = q[1], z = q[2], w = q[3], length2 = x * x + y * y + z * z + w * w;
    const double n = length2 > 0 ? 2 / length2 : 0;
    const double rotation[9] = {1 - n * (y * y + z * z), n * (x * y - z * w),     n * (x * z + y * w),
                                n * (x * y + z * w),     1 - n * (x * x + z * z), n * (y * z - x * w),
                                n * (x * z - y * w),     n * (y * z + x * w),     1 - n * (x * x + y * y)};
    memcpy(r, rotation, sizeof rotation);
}

/* The quaternion whose rotation maximizes tr R^T h. */
static void quaternion_towards(const double *h, double *q)
{
    const double xx = h[0], xy = h[3], xz = h[6], yx = h[1], yy = h[4], yz = h[7], zx = h[2], zy = h[5], zz = h[8];
    double n[16] = {xx + yy + zz, yz - zy, zx - xz,      xy - yx, yz - zy, xx - yy - zz, xy + yx, zx + xz,
                    zx - xz,      xy + yx, yy - xx - zz, yz + zy, xy - yx, zx + xz,      yz + zy, zz - xx - yy};
    double v[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    sn_symmetric_diagonalise(4, n, v);
    int best = 0;
    for (int k = 1; k < 4; ++k) {
        best = n[5 * k] > n[5 * best] ? k : best;
    }
    const double wxyz[4] = {v[best], v[4 + best], v[8 + best], v[12 + best]};
    q[0] = wxyz[1];
    q[1] = wxyz[2];
    q[2] = wxyz[3];
    q[3] = wxyz[0];
}

void sn_rotation_towards(const double *h, double *rotation)
{
    double q[4];
    quaternion_towards(h, q);
    rotation_of_quaternion(q, rotation);
}

/* Replaces missing directions: a single one by the cross product of the others, several by those of the previous frame.
 */
static void complete_directions(double directions[3][3], const bool has_direction[3], const double *fallback)
{
    const int count = has_direction[0] + has_direction[1] + has_direction[2];
    for (int k = 0; k < 3 && count == 2; ++k) {
        if (!has_direction[k]) {
            sn_cross3(directions[(k + 1) % 3], directions[(k + 2) % 3], directions[k]);
        }
    }
    for (int k = 0; k < 3 && count < 2; ++k) {
        for (int d = 0; d < 3 && !has_direction[k]; ++d) {
            directions[k][d] = fallback[3 * d + k];
        }
    }
}

void sn_trs_from_affine(const double *affine, const sn_trs *previous, sn_trs *trs)
{
    double fallback[9], directions[3][3], h[9], max_length = 0;
    bool has_direction[3];
    rotation_of_quaternion(previous ? previous->rotation : (const double[4]){0, 0, 0, 1}, fallback);
    for (int k = 0; k < 3; ++k) {
        for (int d = 0; d < 3; ++d) {
            directions[k][d] = affine[4 * d + k];
        }
        max_length = fmax(max_length, sn_length3(directions[k]));
    }
    for (int k = 0; k < 3; ++k) {
        const double length = sn_length3(directions[k]);
        has_direction[k] = length > MIN_LENGTH * max_length;
        for (int d = 0; d < 3 && has_direction[k]; ++d) {
            directions[k][d] /= length;
        }
    }
    complete_directions(directions, has_direction, fallback);
    double normal[3];
    sn_cross3(directions[0], directions[1], normal);
    const double sign = sn_dot3(normal, directions[2]) < 0 ? -1 : 1;
    for (int d = 0; d < 3; ++d) {
        for (int k = 0; k < 3; ++k) {
            h[3 * d + k] = sign * directions[k][d];
        }
        trs->translation[d] = affine[4 * d + 3];
    }
    quaternion_towards(h, trs->rotation);
    double along = 0, rotation[9];
    for (int k = 0; k < 4; ++k) {
        along += (previous ? previous->rotation[k] : k == 3) * trs->rotation[k];
    }
    for (int k = 0; k < 4; ++k) {
        trs->rotation[k] *= along < 0 ? -1 : 1;
    }
    rotation_of_quaternion(trs->rotation, rotation);
    for (int k = 0; k < 3; ++k) {
        trs->scale[k] = rotation[k] * affine[k] + rotation[3 + k] * affine[4 + k] + rotation[6 + k] * affine[8 + k];
    }
}

void sn_trs_compose(const sn_trs *trs, double *affine)
{
    double rotation[9];
    rotation_of_quaternion(trs->rotation, rotation);
    for (int d = 0; d < 3; ++d) {
        for (int k = 0; k < 3; ++k) {
            affine[4 * d + k] = rotation[3 * d + k] * trs->scale[k];
        }
        affine[4 * d + 3] = trs->translation[d];
    }
}

/* If V diagonalizes A^T A, A V has orthogonal columns: outer is A V, inner is V^T. */
void sn_trs_split(const double *affine, double *axes, const sn_trs *outer_previous, const sn_trs *inner_previous,
                  sn_trs *outer, sn_trs *inner)
{
    double square[9], rotated[12], back[12] = {0};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            square[3 * i + k] = affine[i] * affine[k] + affine[4 + i] * affine[4 + k] + affine[8 + i] * affine[8 + k];
        }
    }
    sn_symmetric_diagonalise(3, square, axes);
    for (int d = 0; d < 3; ++d) {
        for (int k = 0; k < 3; ++k) {
            rotated[4 * d + k] =
                affine[4 * d] * axes[k] + affine[4 * d + 1] * axes[3 + k] + affine[4 * d + 2] * axes[6 + k];
            back[4 * d + k] = axes[3 * k + d];
        }
        rotated[4 * d + 3] = affine[4 * d + 3];
    }
    sn_trs_from_affine(rotated, outer_previous, outer);
    sn_trs_from_affine(back, inner_previous, inner);
    inner->scale[0] = inner->scale[1] = inner->scale[2] = 1;
}

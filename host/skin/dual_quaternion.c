/* SPDX-License-Identifier: MIT */
#include "host/skin/dual_quaternion.h"

#include <string.h>

#include "host/math/quaternion.h"
#include "host/math/vec3.h"

sn_dual_quaternion sn_dual_quaternion_make(const double *rotation, const double *translation)
{
    const double half[4] = {0.5 * translation[0], 0.5 * translation[1], 0.5 * translation[2], 0};
    sn_dual_quaternion q;
    memcpy(q.real, rotation, sizeof q.real);
    sn_quaternion_multiply(half, rotation, q.dual);
    return q;
}

void sn_dual_quaternion_add(double weight, const sn_dual_quaternion *q, sn_dual_quaternion *sum)
{
    double along = 0;
    for (int i = 0; i < 4; ++i) {
        along += q->real[i] * sum->real[i];
    }
    const double signed_weight = along < 0 ? -weight : weight;
    for (int i = 0; i < 4; ++i) {
        sum->real[i] += signed_weight * q->real[i];
        sum->dual[i] += signed_weight * q->dual[i];
    }
}

void sn_dual_quaternion_apply(const sn_dual_quaternion *sum, const double *point, double *result)
{
    double real[4], dual[4], matrix[9], conjugate[4], shift[4], square = 0;
    for (int i = 0; i < 4; ++i) {
        square += sum->real[i] * sum->real[i];
    }
    for (int i = 0; i < 4; ++i) {
        real[i] = sum->real[i] / sqrt(square);
        dual[i] = sum->dual[i] / sqrt(square);
    }
    sn_quaternion_conjugate(real, conjugate);
    sn_quaternion_multiply(dual, conjugate, shift);
    sn_quaternion_to_matrix(real, matrix);
    for (int d = 0; d < 3; ++d) {
        result[d] = sn_dot3(matrix + 3 * d, point) + 2 * shift[d];
    }
}

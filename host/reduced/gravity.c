/* SPDX-License-Identifier: MIT */
/* Gravity relative to the bind pose. */
#include <math.h>

#include "host/math/vec3.h"
#include "host/reduced/kernels/cluster_pass.h"
#include "host/reduced/reduced.h"

#define ROTATION_TOLERANCE 1e-6 /* of the columns' products: rotations in float are within it */

/* Whether the linear part of a transform (3 x 4) is a rotation, apart from reflections. */
static bool is_orthonormal(const double *m)
{
    double error = 0;
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b <= a; ++b) {
            const double product = m[a] * m[b] + m[4 + a] * m[4 + b] + m[8 + a] * m[8 + b];
            error = fmax(error, fabs(product - (a == b ? 1 : 0)));
        }
    }
    return error <= ROTATION_TOLERANCE;
}

void sn_reduced_relative_gravity(const double gravity[3], const double *transform, double acceleration[3])
{
    const double strength = sn_length3(gravity);
    double up[3] = {transform[1], transform[5], transform[9]};
    if (!is_orthonormal(transform)) {
        sn_f64x8 matrix[9], rotation[9];
        for (int i = 0; i < 9; ++i) {
            matrix[i] = (sn_f64x8){0} + transform[i / 3 * 4 + i % 3];
        }
        sn_polar_f64(matrix, rotation);
        for (int d = 0; d < 3; ++d) {
            up[d] = rotation[3 * d + 1][0];
        }
    }
    for (int d = 0; d < 3; ++d) {
        acceleration[d] = gravity[d] + strength * up[d];
    }
}

/* SPDX-License-Identifier: MIT */
#include "author/retarget/rotations.h"

#include <math.h>
#include <string.h>

#include "host/math/quaternion.h"
#include "host/math/vec3.h"

void sn_rig_rotate(const double *q, const double *v, double *result)
{
    double m[9];
    const double from[3] = {v[0], v[1], v[2]};
    sn_quaternion_to_matrix(q, m);
    for (int d = 0; d < 3; ++d) {
        result[d] = sn_dot3(m + 3 * d, from);
    }
}

void sn_rig_rotate_to(const double *from, const double *to, double *rotation)
{
    const double lengths = sn_length3(from) * sn_length3(to), cosine = lengths > 0 ? sn_dot3(from, to) / lengths : 1;
    rotation[0] = rotation[1] = rotation[2] = 0;
    rotation[3] = 1;
    if (!(lengths > 0)) {
        return;
    }
    if (cosine < -1 + 1e-9) { /* opposite directions: any half turn perpendicular to them */
        const double normal[2][3] = {{-from[1], from[0], 0}, {0, -from[2], from[1]}};
        memcpy(rotation, normal[sn_length3(normal[0]) > sn_length3(normal[1]) ? 0 : 1], 3 * sizeof(double));
        rotation[3] = 0;
    } else {
        sn_cross3(from, to, rotation);
        rotation[3] = lengths * (1 + cosine);
    }
    sn_quaternion_normalize(rotation);
}

void sn_rig_axes(const double *left, const double *up, double *rotation)
{
    double y[3], z[3], x[3], m[9];
    const double fallback_axes[2][3] = {{1, 0, 0}, {0, 0, 1}};
    memcpy(y, up, sizeof y);
    sn_normalize3(y, (const double[3]){0, 1, 0});
    sn_cross3(left, y, z);
    if (sn_length3(z) < 1e-9 * (1 + sn_length3(left))) {
        sn_cross3(fallback_axes[fabs(y[0]) > 0.9 ? 1 : 0], y, z);
    }
    sn_normalize3(z, fallback_axes[1]);
    sn_cross3(y, z, x);
    for (int d = 0; d < 3; ++d) {
        m[3 * d] = x[d];
        m[3 * d + 1] = y[d];
        m[3 * d + 2] = z[d];
    }
    sn_quaternion_from_matrix(m, rotation);
}

/* SPDX-License-Identifier: MIT */
#include "author/import/bone_frame.h"

#include <math.h>

#include "host/math/affine.h"
#include "host/math/vec3.h"

/* Writes a rotation whose y axis is the unit vector up. */
static void rotate_y_to(const double *up, double *transform)
{
    double side[3] = {0, 0, 0}, forward[3];
    int min_axis = 0;
    for (int d = 1; d < 3; ++d) {
        min_axis = fabs(up[d]) < fabs(up[min_axis]) ? d : min_axis;
    }
    side[min_axis] = 1;
    const double projection = sn_dot3(side, up);
    for (int d = 0; d < 3; ++d) {
        side[d] -= projection * up[d];
    }
    sn_normalize3(side, up);
    sn_cross3(side, up, forward);
    for (int d = 0; d < 3; ++d) {
        transform[4 * d] = side[d];
        transform[4 * d + 1] = up[d];
        transform[4 * d + 2] = forward[d];
    }
}

static double mean_scale(const double *m)
{
    double square = 0;
    for (int i = 0; i < 12; ++i) {
        square += i % 4 < 3 ? m[i] * m[i] : 0;
    }
    return sqrt(square / 3);
}

bool sn_bone_frame_bind_collider(const double *frame, const sn_cook_collider *collider, sn_bind_collider *at_bind)
{
    const bool is_capsule = collider->shape == SN_COLLIDER_CAPSULE;
    double points[2][3], up[3] = {0, 1, 0};
    sn_affine_apply(frame, collider->offset, points[0]);
    sn_affine_apply(frame, is_capsule ? collider->tail : collider->offset, points[1]);
    at_bind->radius = collider->shape == SN_COLLIDER_PLANE ? 0 : collider->radius * mean_scale(frame);
    at_bind->half_height = sn_distance3(points[0], points[1]) / 2;
    if (collider->shape == SN_COLLIDER_PLANE) {
        for (int d = 0; d < 3; ++d) {
            up[d] = sn_dot3(frame + 4 * d, collider->normal);
        }
    } else if (at_bind->half_height > 0) {
        sn_subtract3(points[1], points[0], up);
    }
    const double length = sn_length3(up);
    if (!(length > 0) || !isfinite(length + at_bind->radius)) {
        return false;
    }
    sn_normalize3(up, up);
    rotate_y_to(up, at_bind->transform);
    for (int d = 0; d < 3; ++d) {
        at_bind->transform[4 * d + 3] = (points[0][d] + points[1][d]) / 2;
    }
    return true;
}

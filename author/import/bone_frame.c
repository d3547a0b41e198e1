/* SPDX-License-Identifier: MIT */
#include "author/import/bone_frame.h"

#include <math.h>

#include "host/math/affine.h"
#include "host/math/vec3.h"

/* Writes a rotation whose y axis is the unit vector up. */
static void turn_up_to(const double *up, double *transform)
{
    double across[3] = {0, 0, 0}, ahead[3];
    int least = 0;
    for (int d = 1; d < 3; ++d) {
        least = fabs(up[d]) < fabs(up[least]) ? d : least;
    }
    across[least] = 1;
    const double share = sn_dot3(across, up);
    for (int d = 0; d < 3; ++d) {
        across[d] -= share * up[d];
    }
    sn_normalize3(across, up);
    sn_cross3(across, up, ahead);
    for (int d = 0; d < 3; ++d) {
        transform[4 * d] = across[d];
        transform[4 * d + 1] = up[d];
        transform[4 * d + 2] = ahead[d];
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

bool sn_bone_frame_place(const double *frame, const sn_cook_collider *collider, sn_placed_collider *placed)
{
    const bool is_capsule = collider->shape == SN_COLLIDER_CAPSULE;
    double ends[2][3], up[3] = {0, 1, 0};
    sn_affine_apply(frame, collider->offset, ends[0]);
    sn_affine_apply(frame, is_capsule ? collider->tail : collider->offset, ends[1]);
    placed->radius = collider->shape == SN_COLLIDER_PLANE ? 0 : collider->radius * mean_scale(frame);
    placed->half_height = sn_distance3(ends[0], ends[1]) / 2;
    if (collider->shape == SN_COLLIDER_PLANE) {
        for (int d = 0; d < 3; ++d) {
            up[d] = sn_dot3(frame + 4 * d, collider->normal);
        }
    } else if (placed->half_height > 0) {
        sn_subtract3(ends[1], ends[0], up);
    }
    const double length = sn_length3(up);
    if (!(length > 0) || !isfinite(length + placed->radius)) {
        return false;
    }
    sn_normalize3(up, up);
    turn_up_to(up, placed->transform);
    for (int d = 0; d < 3; ++d) {
        placed->transform[4 * d + 3] = (ends[0][d] + ends[1][d]) / 2;
    }
    return true;
}

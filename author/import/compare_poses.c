/* SPDX-License-Identifier: MIT */
#include "author/import/compare_poses.h"

#include <math.h>

#include "host/math/affine.h"
#include "host/math/vec3.h"

#define TOLERANCE 1e-3 /* rad; also a fraction of the character's diagonal */

double sn_pose_diagonal(const sn_character *c)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 3 * c->vertex_count; ++i) {
        low[i % 3] = fmin(low[i % 3], c->positions[i]);
        high[i % 3] = fmax(high[i % 3], c->positions[i]);
    }
    return c->vertex_count > 0 ? sn_distance3(low, high) : 0;
}

bool sn_poses_differ(const double *a, const double *b, const double *bind, double diagonal)
{
    const double joint[3] = {bind[3], bind[7], bind[11]};
    double joint_positions[2][3], linear_difference = 0;
    for (int i = 0; i < 12; ++i) {
        linear_difference = i % 4 < 3 ? fmax(linear_difference, fabs(a[i] - b[i])) : linear_difference;
    }
    sn_affine_apply(a, joint, joint_positions[0]);
    sn_affine_apply(b, joint, joint_positions[1]);
    return linear_difference > TOLERANCE || sn_distance3(joint_positions[0], joint_positions[1]) > TOLERANCE * diagonal;
}

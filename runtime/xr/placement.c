/* SPDX-License-Identifier: MIT */
#include "runtime/xr/placement.h"

#include <math.h>
#include <stdbool.h>

#include "host/math/quaternion.h"

/* result = R v, or R^T v if is_inverse. */
static void rotate(const double *q, bool is_inverse, const double v[3], double result[3])
{
    double m[9];
    sn_quaternion_to_matrix(q, m);
    for (int i = 0; i < 3; ++i) {
        result[i] = 0;
        for (int j = 0; j < 3; ++j) {
            result[i] += (is_inverse ? m[3 * j + i] : m[3 * i + j]) * v[j];
        }
    }
}

static void yaw_quaternion(double yaw, double *q)
{
    q[0] = q[2] = 0;
    q[1] = sin(yaw / 2);
    q[3] = cos(yaw / 2);
}

sn_xr_pose sn_xr_to_world(const sn_xr_placement *placement, const sn_xr_pose *pose)
{
    double back[4], offset[3];
    sn_xr_pose result;
    yaw_quaternion(-placement->yaw, back);
    sn_quaternion_multiply(back, pose->orientation, result.orientation);
    for (int d = 0; d < 3; ++d) {
        offset[d] = (pose->position[d] - placement->position[d]) / placement->metres_per_unit;
    }
    rotate(back, false, offset, result.position);
    for (int d = 0; d < 3; ++d) {
        result.position[d] += placement->anchor[d];
    }
    return result;
}

void sn_xr_pose_apply(const sn_xr_pose *pose, const double point[3], double result[3])
{
    rotate(pose->orientation, false, point, result);
    for (int d = 0; d < 3; ++d) {
        result[d] += pose->position[d];
    }
}

void sn_xr_pose_invert(const sn_xr_pose *pose, const double point[3], double result[3])
{
    const double offset[3] = {point[0] - pose->position[0], point[1] - pose->position[1], point[2] - pose->position[2]};
    rotate(pose->orientation, true, offset, result);
}

double sn_xr_yaw(const sn_xr_pose *pose)
{
    double back[3];
    rotate(pose->orientation, false, (const double[3]){0, 0, 1}, back);
    return hypot(back[0], back[2]) > 1e-6 ? atan2(back[0], back[2]) : 0;
}

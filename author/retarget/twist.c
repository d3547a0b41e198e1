/* SPDX-License-Identifier: MIT */
#include "author/retarget/twist.h"

#include <math.h>
#include <string.h>

#include "host/math/quaternion.h"
#include "host/math/vec3.h"

void sn_rig_twist(const double *rotation, const double *axis, double *twist)
{
    const double along = sn_dot3(rotation, axis);
    for (int d = 0; d < 3; ++d) {
        twist[d] = along * axis[d];
    }
    twist[3] = rotation[3];
    if (along * along + rotation[3] * rotation[3] < 1e-12) {
        memcpy(twist, (const double[4]){0, 0, 0, 1}, 4 * sizeof(double));
    }
    sn_quaternion_normalize(twist);
}

double sn_rig_twist_angle(const double *twist, const double *axis)
{
    const double sign = twist[3] < 0 ? -1 : 1;
    return 2 * atan2(sign * sn_dot3(twist, axis), sign * twist[3]);
}

void sn_rig_axis_rotation(const double *axis, double angle, double *rotation)
{
    for (int d = 0; d < 3; ++d) {
        rotation[d] = sin(angle / 2) * axis[d];
    }
    rotation[3] = cos(angle / 2);
}

/* Changes the twist of a rotation (swing times twist). */
static void set_twist(double *rotation, const double *axis, double from, double to)
{
    double change[4];
    sn_rig_axis_rotation(axis, to - from, change);
    sn_quaternion_multiply(rotation, change, rotation);
}

static double clamp(double value, double max_twist)
{
    return fmin(fmax(value, -max_twist), max_twist);
}

void sn_rig_limit_twist(double *upper, double *lower, const double *axis, double max_twist, double max_upper_twist)
{
    double twist_part[4], inverse_transfer[4];
    sn_rig_twist(lower, axis, twist_part);
    const double angle = sn_rig_twist_angle(twist_part, axis), retained = clamp(angle, max_twist),
                 excess_angle = angle - retained;
    if (excess_angle == 0) {
        return;
    }
    sn_rig_twist(upper, axis, twist_part);
    const double upper_angle = sn_rig_twist_angle(twist_part, axis);
    const double transferred =
        clamp(upper_angle + excess_angle, fmax(max_upper_twist, fabs(upper_angle))) - upper_angle;
    set_twist(upper, axis, 0, transferred);
    /* the transferred twist now precedes the swing: lower' = transferred^-1 lower, without the discarded twist */
    sn_rig_axis_rotation(axis, -transferred, inverse_transfer);
    sn_quaternion_multiply(inverse_transfer, lower, lower);
    set_twist(lower, axis, excess_angle - transferred, 0);
}

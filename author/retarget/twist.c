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

void sn_rig_about(const double *axis, double angle, double *rotation)
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
    sn_rig_about(axis, to - from, change);
    sn_quaternion_multiply(rotation, change, rotation);
}

static double clamp(double value, double most)
{
    return fmin(fmax(value, -most), most);
}

void sn_rig_limit_twist(double *upper, double *lower, const double *axis, double most, double most_upper)
{
    double part[4], excess[4];
    sn_rig_twist(lower, axis, part);
    const double angle = sn_rig_twist_angle(part, axis), kept = clamp(angle, most), rest = angle - kept;
    if (rest == 0) {
        return;
    }
    sn_rig_twist(upper, axis, part);
    const double before = sn_rig_twist_angle(part, axis);
    const double given = clamp(before + rest, fmax(most_upper, fabs(before))) - before;
    set_twist(upper, axis, 0, given);
    /* the transferred twist now precedes the swing: lower' = transferred^-1 lower, without the discarded twist */
    sn_rig_about(axis, -given, excess);
    sn_quaternion_multiply(excess, lower, lower);
    set_twist(lower, axis, rest - given, 0);
}

/* SPDX-License-Identifier: MIT */
#include "author/import/poses.h"

#include <math.h>

#include "host/math/affine.h"
#include "host/math/vec3.h"

#define STILL 1e-3 /* rad; also a fraction of the character's diagonal */

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
    double places[2][3], turned = 0;
    for (int i = 0; i < 12; ++i) {
        turned = i % 4 < 3 ? fmax(turned, fabs(a[i] - b[i])) : turned;
    }
    sn_affine_apply(a, joint, places[0]);
    sn_affine_apply(b, joint, places[1]);
    return turned > STILL || sn_distance3(places[0], places[1]) > STILL * diagonal;
}

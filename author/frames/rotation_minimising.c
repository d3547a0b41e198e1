/* SPDX-License-Identifier: MIT */
#include "author/frames/rotation_minimising.h"

#include <stdbool.h>
#include <string.h>

#include "host/math/vec3.h"

/* Computes the unit vector of the part of `vector` that is orthogonal to the unit vector `tangent`. Returns false if
 * that part is nearly zero. */
static bool orthogonal_part(const double *vector, const double *tangent, double *result)
{
    const double along = sn_dot3(vector, tangent);
    for (int d = 0; d < 3; ++d) {
        result[d] = vector[d] - along * tangent[d];
    }
    const double length = sn_length3(result);
    if (!(length > 1e-6 * sn_length3(vector))) {
        return false;
    }
    for (int d = 0; d < 3; ++d) {
        result[d] /= length;
    }
    return true;
}

static void choose_normal(const double *normal, const double *tangent, double *r)
{
    static const double up[3] = {0, 1, 0}, forward[3] = {0, 0, 1};
    const bool is_steep = fabs(tangent[1]) > 0.9;
    if (!orthogonal_part(normal, tangent, r) && !orthogonal_part(is_steep ? forward : up, tangent, r)) {
        memcpy(r, up, sizeof up);
    }
}

/* x - 2 (v . x) v / (v . v); x if v is zero. */
static void reflect(const double *v, const double *x, double *result)
{
    const double square = sn_dot3(v, v), fraction = square > 0 ? 2 * sn_dot3(v, x) / square : 0;
    for (int d = 0; d < 3; ++d) {
        result[d] = x[d] - fraction * v[d];
    }
}

static void set_frame(const double *t, const double *r, double *frame)
{
    double s[3];
    sn_cross3(t, r, s);
    for (int d = 0; d < 3; ++d) {
        frame[3 * d] = t[d];
        frame[3 * d + 1] = r[d];
        frame[3 * d + 2] = s[d];
    }
}

void sn_frames_minimise_rotation(int count, const double *points, const double *tangents, const double *normal,
                                 double *frames)
{
    double r[3];
    choose_normal(normal, tangents, r);
    set_frame(tangents, r, frames);
    for (int i = 0; i + 1 < count; ++i) {
        const double *x = points + 3 * (size_t)i, *t = tangents + 3 * (size_t)i;
        double v1[3], v2[3], r_left[3], t_left[3], next[3];
        sn_subtract3(x + 3, x, v1);
        reflect(v1, r, r_left);
        reflect(v1, t, t_left);
        sn_subtract3(t + 3, t_left, v2);
        reflect(v2, r_left, next);
        if (orthogonal_part(next, t + 3, r_left)) { /* differs from `next` only by rounding */
            memcpy(r, r_left, sizeof r);
        }
        set_frame(t + 3, r, frames + 9 * ((size_t)i + 1));
    }
}

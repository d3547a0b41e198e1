/* SPDX-License-Identifier: MIT */
#include "author/cook/colliders/segment_tet.h"

#include "host/math/vec3.h"

#define TOLERANCE 1e-9 /* fraction of a tet's height */

bool sn_segment_intersects_tet(const sn_tet_mesh *mesh, int tet, const double *gradients, const double *start,
                               const double *end)
{
    const double *origin = mesh->positions + 3 * (size_t)mesh->tets[4 * (size_t)tet];
    double from[3], to[3], first = 0, last = 1;
    sn_subtract3(start, origin, from);
    sn_subtract3(end, origin, to);
    for (int corner = 0; corner < 4 && first <= last; ++corner) {
        /* barycentric coordinates of the ends */
        const double *g = gradients + 3 * corner, constant_term = corner == 0 ? 1 : 0;
        const double a = constant_term + sn_dot3(g, from) + TOLERANCE, b = constant_term + sn_dot3(g, to) + TOLERANCE;
        if (a < 0 && b < 0) {
            return false;
        }
        if (a < 0) {
            first = fmax(first, a / (a - b));
        } else if (b < 0) {
            last = fmin(last, a / (a - b));
        }
    }
    return first <= last;
}

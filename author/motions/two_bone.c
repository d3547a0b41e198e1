/* SPDX-License-Identifier: MIT */
#include "author/motions/two_bone.h"

#include <string.h>

#include "host/math/vec3.h"

#define MIN_SLACK 1e-4

void sn_two_bone_solve(const double lengths[2], const double line[3], const double pole[3], double first[3],
                       double second[3])
{
    const double a = lengths[0], b = lengths[1];
    const double distance = fmin(fmax(sn_length3(line), fabs(a - b) + MIN_SLACK), a + b - MIN_SLACK);
    const double along = (a * a - b * b + distance * distance) / (2 * distance);
    const double out = sqrt(fmax(a * a - along * along, 0));
    double unit[3], bend[3];
    memcpy(unit, line, sizeof unit);
    sn_normalize3(unit, pole);
    const double projection = sn_dot3(pole, unit);
    for (int d = 0; d < 3; ++d) {
        bend[d] = pole[d] - projection * unit[d];
    }
    sn_normalize3(bend, pole);
    for (int d = 0; d < 3; ++d) {
        first[d] = along * unit[d] + out * bend[d];
        second[d] = distance * unit[d] - first[d];
    }
}

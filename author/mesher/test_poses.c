/* SPDX-License-Identifier: MIT */
#include "author/mesher/test_poses.h"

#include <math.h>
#include <string.h>

#include "host/base/arena.h"
#include "host/base/random.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"

#define PI 3.14159265358979323846

static void random_axis(uint64_t *random, double *axis)
{
    const double z = 2 * sn_random_unit(random) - 1, angle = 2 * PI * sn_random_unit(random);
    const double r = sqrt(fmax(0, 1 - z * z));
    axis[0] = r * cos(angle), axis[1] = r * sin(angle), axis[2] = z;
}

/* Rotation about an axis through a point: x' = R (x - p) + p. */
static void rotation_about(const double *axis, double angle, const double *point, double *m)
{
    const double c = cos(angle), s = sin(angle);
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        m[4 * i + i] = c + (1 - c) * axis[i] * axis[i];
        m[4 * i + j] = (1 - c) * axis[i] * axis[j] - s * axis[k];
        m[4 * i + k] = (1 - c) * axis[i] * axis[k] + s * axis[j];
    }
    for (int i = 0; i < 3; ++i) {
        m[4 * i + 3] = point[i] - sn_dot3(m + 4 * i, point);
    }
}

/* Orders bones so that parents come before children. A bone in a cycle counts as a root. */
static bool order_bones(const sn_skeleton *skeleton, sn_arena *scratch, int32_t *order)
{
    bool *is_listed = SN_NEW(scratch, bool, skeleton->bone_count);
    int32_t *path = SN_NEW(scratch, int32_t, skeleton->bone_count);
    if (!is_listed || !path) {
        return false;
    }
    int count = 0;
    for (int32_t bone = 0; bone < skeleton->bone_count; ++bone) {
        int depth = 0;
        for (int32_t b = bone; b >= 0 && !is_listed[b]; b = skeleton->parents[b]) {
            path[depth++] = b;
            is_listed[b] = true;
        }
        while (depth > 0) {
            order[count++] = path[--depth];
        }
    }
    return true;
}

/* Computes one pose. In `order`, parents come first; a parent in a cycle that is not posed yet counts as the identity.
 */
static void pose_randomly(const sn_skeleton *skeleton, const int32_t *order, double angle, uint64_t *random,
                          double *bones)
{
    for (int b = 0; b < skeleton->bone_count; ++b) {
        sn_affine_identity(bones + 12 * (size_t)b);
    }
    for (int i = 0; i < skeleton->bone_count; ++i) {
        const int32_t b = order[i], parent = skeleton->parents[b];
        double axis[3], rotation[12];
        random_axis(random, axis);
        rotation_about(axis, angle, skeleton->origins + 3 * (size_t)b, rotation);
        if (parent >= 0) {
            sn_affine_multiply(bones + 12 * (size_t)parent, rotation, bones + 12 * (size_t)b);
        } else {
            memcpy(bones + 12 * (size_t)b, rotation, sizeof rotation);
        }
    }
}

sn_result sn_test_poses(const sn_skeleton *skeleton, uint64_t seed, int pose_count, double *transforms)
{
    sn_arena scratch = {0};
    int32_t *order = SN_NEW(&scratch, int32_t, skeleton->bone_count);
    const bool is_ok = order && order_bones(skeleton, &scratch, order);
    for (int p = 0; p < pose_count && is_ok; ++p) {
        const double angle = (p % 2 ? 50 : 30) * PI / 180;
        pose_randomly(skeleton, order, angle, &seed, transforms + 12 * (size_t)p * (size_t)skeleton->bone_count);
    }
    sn_arena_finish(&scratch);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

/* SPDX-License-Identifier: MIT */
#include "author/io/motion/bvh.h"

#include <math.h>
#include <string.h>

#include "host/math/affine.h"
#include "host/math/quaternion.h"

static void local_of(const sn_bvh_joint *joint, const double *row, double place[3], double rotation[4])
{
    memcpy(place, joint->offset, 3 * sizeof(double));
    memcpy(rotation, (const double[4]){0, 0, 0, 1}, 4 * sizeof(double));
    for (int i = 0; i < joint->channel_count; ++i) {
        const sn_bvh_channel channel = joint->channels[i];
        const double value = row[joint->first_channel + i];
        if (channel <= SN_BVH_Z_POSITION) {
            place[channel] = value; /* an axis without a channel keeps its offset */
        } else {
            const double half = remainder(value, 720) * (3.14159265358979323846 / 360);
            double turn[4] = {0, 0, 0, cos(half)};
            turn[channel - SN_BVH_X_ROTATION] = sin(half);
            sn_quaternion_multiply(rotation, turn, rotation);
        }
    }
}

static void place_joint(const sn_bvh_file *file, int joint, const double *place, const double *rotation, double *world)
{
    const int32_t parent = file->joints[joint].parent;
    double turn[9], local[12];
    sn_quaternion_to_matrix(rotation, turn);
    for (int d = 0; d < 3; ++d) {
        memcpy(local + 4 * d, turn + 3 * d, 3 * sizeof(double));
        local[4 * d + 3] = place[d];
    }
    if (parent < 0) {
        memcpy(world + 12 * (size_t)joint, local, sizeof local);
    } else {
        sn_affine_multiply(world + 12 * (size_t)parent, local, world + 12 * (size_t)joint);
    }
}

void sn_bvh_pose(const sn_bvh_file *file, double frame, double *world)
{
    const double clamped = fmin(fmax(frame, 0), file->frame_count - 1);
    const int from = (int)clamped, to = from + 1 < file->frame_count ? from + 1 : from;
    const double fraction = clamped - from;
    const double *rows[2] = {file->values + (size_t)from * (size_t)file->channel_count,
                             file->values + (size_t)to * (size_t)file->channel_count};
    for (int j = 0; j < file->joint_count; ++j) {
        double places[2][3], rotations[2][4];
        local_of(&file->joints[j], rows[0], places[0], rotations[0]);
        if (fraction > 0) {
            local_of(&file->joints[j], rows[1], places[1], rotations[1]);
            for (int d = 0; d < 3; ++d) {
                places[0][d] += fraction * (places[1][d] - places[0][d]);
            }
            sn_quaternion_blend(rotations[0], rotations[1], fraction, rotations[0]);
        }
        place_joint(file, j, places[0], rotations[0], world);
    }
}

void sn_bvh_zero_pose(const sn_bvh_file *file, double *world)
{
    for (int j = 0; j < file->joint_count; ++j) {
        place_joint(file, j, file->joints[j].offset, (const double[4]){0, 0, 0, 1}, world);
    }
}

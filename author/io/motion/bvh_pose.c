/* SPDX-License-Identifier: MIT */
#include "author/io/motion/bvh.h"

#include <math.h>
#include <string.h>

#include "host/math/affine.h"
#include "host/math/quaternion.h"

static void local_of(const sn_bvh_joint *joint, const double *row, double position[3], double rotation[4])
{
    memcpy(position, joint->offset, 3 * sizeof(double));
    memcpy(rotation, (const double[4]){0, 0, 0, 1}, 4 * sizeof(double));
    for (int i = 0; i < joint->channel_count; ++i) {
        const sn_bvh_channel channel = joint->channels[i];
        const double value = row[joint->first_channel + i];
        if (channel <= SN_BVH_Z_POSITION) {
            position[channel] = value; /* an axis without a channel keeps its offset */
        } else {
            const double half = remainder(value, 720) * (3.14159265358979323846 / 360);
            double axis_rotation[4] = {0, 0, 0, cos(half)};
            axis_rotation[channel - SN_BVH_X_ROTATION] = sin(half);
            sn_quaternion_multiply(rotation, axis_rotation, rotation);
        }
    }
}

static void update_joint(const sn_bvh_file *file, int joint, const double *position, const double *rotation,
                         double *world)
{
    const int32_t parent = file->joints[joint].parent;
    double axis_rotation[9], local[12];
    sn_quaternion_to_matrix(rotation, axis_rotation);
    for (int d = 0; d < 3; ++d) {
        memcpy(local + 4 * d, axis_rotation + 3 * d, 3 * sizeof(double));
        local[4 * d + 3] = position[d];
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
        double positions[2][3], rotations[2][4];
        local_of(&file->joints[j], rows[0], positions[0], rotations[0]);
        if (fraction > 0) {
            local_of(&file->joints[j], rows[1], positions[1], rotations[1]);
            for (int d = 0; d < 3; ++d) {
                positions[0][d] += fraction * (positions[1][d] - positions[0][d]);
            }
            sn_quaternion_blend(rotations[0], rotations[1], fraction, rotations[0]);
        }
        update_joint(file, j, positions[0], rotations[0], world);
    }
}

void sn_bvh_zero_pose(const sn_bvh_file *file, double *world)
{
    for (int j = 0; j < file->joint_count; ++j) {
        update_joint(file, j, file->joints[j].offset, (const double[4]){0, 0, 0, 1}, world);
    }
}

/* SPDX-License-Identifier: MIT */
#include "host/contact/bone_collider.h"

#include <math.h>
#include <string.h>

#include "host/math/affine.h"
#include "host/math/vec3.h"

#define FLATTENED 1e-9 /* relative to a length: a smaller remainder is rounding */

/* The shape's frame moved by a bone: rotation, whose y axis is exact, scale along y, and RMS scale. */
typedef struct frame {
    double transform[12], along, mean;
} frame;

/* Removes the component along a unit axis. */
static void remove_component(const double *axis, double *vector)
{
    const double component = sn_dot3(axis, vector);
    for (int d = 0; d < 3; ++d) {
        vector[d] -= component * axis[d];
    }
}

/* Makes a vector perpendicular to the axis; arbitrary if a bone has collapsed the shape to the axis. */
static void make_perpendicular(const double *axis, double *vector)
{
    const double length = sn_length3(vector);
    remove_component(axis, vector);
    if (!(sn_length3(vector) > FLATTENED * length)) {
        const double x = fabs(axis[0]), y = fabs(axis[1]), z = fabs(axis[2]);
        const int min_axis = z <= x && z <= y ? 2 : x <= y ? 0 : 1;
        for (int d = 0; d < 3; ++d) {
            vector[d] = d == min_axis;
        }
        remove_component(axis, vector);
    }
    sn_normalize3(vector, axis);
}

static frame transform_frame(const sn_bone_collider *shape, const double *bone)
{
    static const double up[3] = {0, 1, 0};
    double rest[12], moved[12], columns[3][3], square = 0;
    frame f;
    for (int i = 0; i < 12; ++i) {
        rest[i] = (double)shape->transform[i];
    }
    sn_affine_multiply(bone, rest, moved);
    for (int k = 0; k < 3; ++k) {
        for (int d = 0; d < 3; ++d) {
            columns[k][d] = moved[4 * d + k];
        }
        square += sn_dot3(columns[k], columns[k]);
    }
    f.mean = sqrt(square / 3);
    f.along = sn_length3(columns[1]);
    sn_normalize3(columns[1], up);
    make_perpendicular(columns[1], columns[2]);
    sn_cross3(columns[1], columns[2], columns[0]);
    for (int d = 0; d < 3; ++d) {
        for (int k = 0; k < 3; ++k) {
            f.transform[4 * d + k] = columns[k][d];
        }
        f.transform[4 * d + 3] = moved[4 * d + 3];
    }
    return f;
}

void sn_bone_collider_pose(const sn_bone_collider *shape, const double *before, const double *now,
                           sn_collider *collider)
{
    const frame from = transform_frame(shape, before), to = transform_frame(shape, now);
    *collider = (sn_collider){.shape = (sn_collider_shape)shape->shape,
                              .radius = (double)shape->radius * to.mean,
                              .half_height = (double)shape->half_height * to.along,
                              .friction = (double)shape->friction};
    memcpy(collider->transform, to.transform, sizeof collider->transform);
    memcpy(collider->transform_before, from.transform, sizeof collider->transform_before);
}

void sn_bone_collider_bind(const sn_bone_collider *shape, sn_collider *collider)
{
    double identity[12];
    sn_affine_identity(identity);
    sn_bone_collider_pose(shape, identity, identity, collider);
}

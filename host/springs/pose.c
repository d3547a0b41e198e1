/* SPDX-License-Identifier: MIT */
/* Computes heads, solids and centers from a pose, and the resulting pose from the springs. Positions are doubles;
 * floats are relative to the body's anchor. */
#include <math.h>
#include <string.h>

#include "host/math/affine.h"
#include "host/springs/swing.h"

static void apply(const double *m, const float *point, double *result)
{
    const double x = (double)point[0], y = (double)point[1], z = (double)point[2];
    for (int d = 0; d < 3; ++d) {
        result[d] = m[4 * d] * x + m[4 * d + 1] * y + m[4 * d + 2] * z + m[4 * d + 3];
    }
}

static void apply_linear(const double *m, const double *displacement, double *result)
{
    for (int d = 0; d < 3; ++d) {
        result[d] = m[4 * d] * displacement[0] + m[4 * d + 1] * displacement[1] + m[4 * d + 2] * displacement[2];
    }
}

void sn_springs_update_heads(sn_springs *s, const double *pose, double *anchor)
{
    const sn_spring_joint *joints = s->model->spring_joints;
    apply(pose + 12 * (size_t)joints[0].bone, joints[0].head, anchor);
    for (int i = 0; i < s->block_count; ++i) {
        sn_spring_block *b = &s->blocks[i];
        for (int lane = 0; lane < SN_SPRING_LANES && b->joints[lane] >= 0; ++lane) {
            const sn_spring_joint *j = &joints[b->joints[lane]];
            const double *m = pose + 12 * (size_t)j->bone;
            const double along[3] = {(double)(j->tail[0] - j->head[0]), (double)(j->tail[1] - j->head[1]),
                                     (double)(j->tail[2] - j->head[2])};
            double head[3], displacement[3];
            apply(m, j->head, head);
            apply_linear(m, along, displacement);
            for (int d = 0; d < 3; ++d) {
                b->head[d][lane] = (float)(head[d] - anchor[d]);
                b->along[d][lane] = (float)displacement[d];
            }
        }
    }
}

/* The rotation of a slot as an affine transform in the world (12). */
static void world_rotation(const sn_springs *s, int32_t slot, double *m)
{
    const sn_spring_block *b = &s->blocks[slot / SN_SPRING_LANES];
    const int lane = slot % SN_SPRING_LANES;
    for (int d = 0; d < 3; ++d) {
        double location = s->anchor[d] + (double)b->location[d][lane];
        for (int k = 0; k < 3; ++k) {
            m[4 * d + k] = (double)b->rotation[3 * d + k][lane];
            location -= m[4 * d + k] * (s->anchor[k] + (double)b->head[k][lane]);
        }
        m[4 * d + 3] = location;
    }
}

/* Transforms a plane's normal by the cofactor matrix. */
static void transform_normal(const double *m, const float *normal, float *result)
{
    double rotated[3], square = 0;
    for (int d = 0; d < 3; ++d) {
        const double *a = m + 4 * ((d + 1) % 3), *b = m + 4 * ((d + 2) % 3);
        rotated[d] = 0;
        for (int k = 0; k < 3; ++k) {
            const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            rotated[d] += (a[k1] * b[k2] - a[k2] * b[k1]) * (double)normal[k];
        }
        square += rotated[d] * rotated[d];
    }
    for (int d = 0; d < 3; ++d) {
        result[d] = (float)(square > 0 ? rotated[d] / sqrt(square) : 0);
    }
}

static void pose_solid(const sn_spring_solid *from, const double *m, const double *anchor, sn_posed_solid *to)
{
    double location[3], end[3], scale = 0, square = 0;
    apply(m, from->location, location);
    apply(m, from->end, end);
    for (int i = 0; i < 12; ++i) {
        scale += i % 4 < 3 ? m[i] * m[i] : 0;
    }
    for (int d = 0; d < 3; ++d) {
        to->location[d] = (float)(location[d] - anchor[d]);
        to->along[d] = (float)(end[d] - location[d]);
        square += (end[d] - location[d]) * (end[d] - location[d]);
    }
    to->radius = (float)((double)from->radius * sqrt(scale / 3)); /* as for all colliders on bones */
    to->is_plane = from->shape == SN_COLLIDER_PLANE;
    to->is_inside = from->is_inside;
    to->inverse = from->shape == SN_COLLIDER_CAPSULE && square > 1e-30 ? (float)(1 / square) : 0;
    if (to->is_plane) {
        transform_normal(m, from->end, to->along);
    }
}

void sn_springs_update_solids(sn_springs *s, const double *pose)
{
    const sn_model *model = s->model;
    for (int i = 0; i < (int)model->spring_solid_count; ++i) {
        const sn_spring_solid *from = &model->spring_solids[i];
        const double *bone = pose + 12 * (size_t)from->bone;
        const int32_t joint = model->spring_bones[from->bone];
        double rotation[12], rotated[12];
        if (joint >= 0) {
            world_rotation(s, s->slots[joint], rotation);
            sn_affine_multiply(rotation, bone, rotated);
        }
        pose_solid(from, joint >= 0 ? rotated : bone, s->anchor, &s->solids[i]);
    }
}

/* Moves the stored positions of a lane with its center, by the center's motion since the last pose. */
static void move_with_center(sn_springs *s, sn_spring_block *b, int lane, const double *pose, const double *anchor)
{
    const size_t bone = (size_t)s->model->spring_joints[b->joints[lane]].center;
    double inverse[12], moved[12];
    if (sn_affine_invert(s->pose_last + 12 * bone, inverse)) {
        sn_affine_multiply(pose + 12 * bone, inverse, moved);
    } else {
        sn_affine_identity(moved);
    }
    sn_spring_lanes *const tails[] = SN_SPRING_STORED_POSITIONS(b);
    for (int i = 0; i < SN_SPRING_STORED_COUNT; ++i) {
        double from[3], to[3];
        for (int d = 0; d < 3; ++d) {
            from[d] = s->anchor[d] + (double)tails[i][d][lane];
        }
        sn_affine_apply(moved, from, to);
        for (int d = 0; d < 3; ++d) {
            tails[i][d][lane] = (float)(to[d] - anchor[d]);
        }
    }
}

static int32_t center_of(const sn_springs *s, const sn_spring_block *b, int lane)
{
    return b->joints[lane] >= 0 ? s->model->spring_joints[b->joints[lane]].center : -1;
}

void sn_springs_move_tails(sn_springs *s, const double *pose, const double *anchor)
{
    double displacement[3], square = 0;
    for (int d = 0; d < 3; ++d) {
        displacement[d] = anchor[d] - s->anchor[d];
        square += displacement[d] * displacement[d];
    }
    const double length = sqrt(square), limited = length > s->max_displacement ? s->max_displacement / length : 1;
    for (int i = 0; i < s->block_count; ++i) {
        sn_spring_block *b = &s->blocks[i];
        for (int lane = 0; lane < SN_SPRING_LANES && s->has_centers; ++lane) {
            if (center_of(s, b, lane) >= 0) {
                move_with_center(s, b, lane, pose, anchor);
            }
        }
        sn_spring_lanes *const tails[] = SN_SPRING_STORED_POSITIONS(b);
        for (int lane = 0; lane < SN_SPRING_LANES; ++lane) {
            const float blend_weight = s->has_centers && center_of(s, b, lane) >= 0 ? 0 : 1;
            for (int k = 0; k < 3 * SN_SPRING_STORED_COUNT; ++k) {
                tails[k / 3][k % 3][lane] -= blend_weight * (float)(limited * displacement[k % 3]);
            }
        }
    }
}

void sn_springs_gather_parents(sn_springs *s, sn_spring_block *b)
{
    for (int lane = 0; lane < SN_SPRING_LANES && b->has_parents; ++lane) {
        if (b->parents[lane] < 0) {
            continue;
        }
        const sn_spring_block *from = &s->blocks[b->parents[lane] / SN_SPRING_LANES];
        const int at = b->parents[lane] % SN_SPRING_LANES;
        for (int i = 0; i < 9; ++i) {
            b->parent_rotation[i][lane] = from->rotation[i][at];
        }
        for (int d = 0; d < 3; ++d) {
            b->parent_head[d][lane] = from->head[d][at];
            b->parent_location[d][lane] = from->location[d][at];
        }
    }
}

/* Blends a direction with the straight one. */
static void blend_with_straight(const sn_spring_block *b, int lane, double blend_weight, double *displacement)
{
    double length = 0, straight = 0;
    for (int d = 0; d < 3; ++d) {
        length += displacement[d] * displacement[d];
        straight += (double)b->along[d][lane] * (double)b->along[d][lane];
    }
    for (int d = 0; d < 3 && blend_weight < 1 && length > 0 && straight > 0; ++d) {
        displacement[d] = blend_weight * displacement[d] / sqrt(length) +
                          (1 - blend_weight) * (double)b->along[d][lane] / sqrt(straight);
    }
}

void sn_springs_update_rotations(sn_springs *s, double fraction, double blend_weight, const double *pose)
{
    for (int i = 0; i < s->block_count; ++i) {
        sn_spring_block *b = &s->blocks[i];
        for (int lane = 0; lane < SN_SPRING_LANES && b->joints[lane] >= 0; ++lane) {
            const size_t joint = (size_t)b->joints[lane];
            const float *from = s->bone_directions[0] + 3 * joint, *to = s->bone_directions[1] + 3 * joint;
            double parent_direction[3], displacement[3];
            for (int d = 0; d < 3; ++d) {
                parent_direction[d] = (double)from[d] + fraction * ((double)to[d] - (double)from[d]);
            }
            apply_linear(pose + 12 * (size_t)s->model->spring_joints[joint].bone, parent_direction, displacement);
            blend_with_straight(b, lane, blend_weight, displacement);
            const double length = sqrt(displacement[0] * displacement[0] + displacement[1] * displacement[1] +
                                       displacement[2] * displacement[2]);
            for (int d = 0; d < 3; ++d) {
                const double straight = (double)b->along[d][lane];
                b->parent_direction[d][lane] = (float)(length > 0 ? displacement[d] / length : straight);
            }
        }
        sn_springs_gather_parents(s, b);
        s->kernels->rotation(b);
    }
}

void sn_springs_rotated_bone(const sn_springs *s, int joint, const double *pose, double *rotated)
{
    double rotation[12];
    world_rotation(s, s->slots[joint], rotation);
    sn_affine_multiply(rotation, pose + 12 * (size_t)s->model->spring_joints[joint].bone, rotated);
}

void sn_springs_pose(const sn_springs *s, const double *pose, double *posed)
{
    for (int bone = 0; bone < s->model->counts.bone_count; ++bone) {
        const int32_t joint = s->model->spring_bones[bone];
        const double *from = pose + 12 * (size_t)bone;
        double *to = posed + 12 * (size_t)bone, rotation[12], at[12];
        if (joint >= 0) {
            world_rotation(s, s->slots[joint], rotation);
            memcpy(at, from, sizeof at);
            sn_affine_multiply(rotation, at, to);
        } else if (to != from) {
            memcpy(to, from, 12 * sizeof *to);
        }
    }
}

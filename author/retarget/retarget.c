/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "author/retarget/links.h"
#include "host/math/affine.h"
#include "host/math/quaternion.h"
#include "host/math/vec3.h"

#define MISSING_BYTES 400

/* The source's point that determines the translation. */
static void moved_point_of(const sn_retargeting *r, const double *positions, double point[3])
{
    if (r->is_humanoid) {
        sn_rig_body_midpoint(&r->source, positions, SN_PART_UPPER_LEG, point);
    } else {
        memcpy(point, positions + 3 * (size_t)r->links[r->root].from[0], 3 * sizeof(double));
    }
}

/* R R_ref^-1 of a joint, where joint_rotations holds R. */
static void rotation_change(const sn_retargeting *r, const double *joint_rotations, int32_t joint, double *delta)
{
    double inverse[4];
    sn_quaternion_conjugate(r->source.joint_rotations + 4 * (size_t)joint, inverse);
    sn_quaternion_multiply(joint_rotations + 4 * (size_t)joint, inverse, delta);
}

static void rotation_of(const sn_retargeting *r, const double *joint_rotations, const sn_rig_link *from,
                        double *rotation)
{
    double delta[4], second[4];
    rotation_change(r, joint_rotations, from->from[0], delta);
    if (from->from[1] >= 0) {
        rotation_change(r, joint_rotations, from->from[1], second);
        sn_quaternion_blend(delta, second, from->weight, delta);
    }
    sn_quaternion_multiply(r->to_world, delta, rotation);
    sn_quaternion_multiply(rotation, r->from_body, rotation);
    sn_quaternion_multiply(rotation, from->align, rotation);
}

/* The rigid transform with this rotation that maps point to target_position. */
static void rigid_transform(const double *rotation, const double *point, const double *target_position, double *pose)
{
    double m[9];
    sn_quaternion_to_matrix(rotation, m);
    for (int d = 0; d < 3; ++d) {
        memcpy(pose + 4 * d, m + 3 * d, 3 * sizeof(double));
        pose[4 * d + 3] = target_position[d] - sn_dot3(m + 3 * d, point);
    }
}

static void pose_root(const sn_retargeting *r, const double *joint_rotations, const double *positions, double *pose)
{
    double point[3], rotation[4];
    moved_point_of(r, positions, point);
    sn_subtract3(point, r->from, point);
    sn_rig_rotate(r->to_world, point, point);
    for (int d = 0; d < 3; ++d) {
        point[d] = r->to[d] + r->scale * point[d];
    }
    rotation_of(r, joint_rotations, &r->links[r->root], rotation);
    rigid_transform(rotation, r->moved_point, point, pose);
}

/* Fixes an unlinked joint to its parent as at rest, or as in the base. */
static void keep_relative(const double *base, const double *poses, int32_t base_pose, int32_t joint, double *pose)
{
    double inverse[12], local[12];
    if (base && base_pose != joint && sn_affine_invert(base + 12 * (size_t)base_pose, inverse)) {
        sn_affine_multiply(inverse, base + 12 * (size_t)joint, local);
        sn_affine_multiply(poses + 12 * (size_t)base_pose, local, pose);
    } else {
        memcpy(pose, poses + 12 * (size_t)base_pose, 12 * sizeof(double));
    }
}

/* Whether a source joint that moves is linked to it. */
static bool is_driven(const sn_retargeting *r, const sn_rig_base *base, int32_t joint)
{
    const int32_t *from = r->links[joint].from;
    return from[0] >= 0 && (!base || base->is_moved[from[0]] || (from[1] >= 0 && base->is_moved[from[1]]));
}

static void pose_frame(const sn_retargeting *r, const double *joint_rotations, const double *positions,
                       const sn_rig_base *base, double *poses)
{
    const sn_rig_skeleton *target_skeleton = r->target.skeleton;
    double *root = poses + 12 * (size_t)r->root;
    pose_root(r, joint_rotations, positions, root);
    for (int i = 0; i < target_skeleton->joint_count; ++i) {
        const int32_t joint = r->target.tree.order[i], parent = target_skeleton->parents[joint];
        double *pose = poses + 12 * (size_t)joint;
        if (joint == r->root) {
            continue;
        }
        const bool is_above = sn_rig_is_above(&r->target.tree, joint, r->root);
        if (r->duplicate_of[joint] >= 0) {
            sn_affine_multiply(poses + 12 * (size_t)r->duplicate_of[joint], r->from_duplicate + 12 * (size_t)joint,
                               pose);
            continue;
        }
        const int32_t base_joint = is_above || parent < 0 ? r->root : parent;
        const double *base_pose = poses + 12 * (size_t)base_joint, *point = r->target.positions + 3 * (size_t)joint;
        if (!is_driven(r, base, joint) || is_above) {
            keep_relative(base ? base->poses : NULL, poses, base_joint, joint, pose);
            continue;
        }
        double target_position[3], rotation[4];
        for (int d = 0; d < 3; ++d) {
            target_position[d] = sn_dot3(base_pose + 4 * d, point) + base_pose[4 * d + 3];
        }
        rotation_of(r, joint_rotations, &r->links[joint], rotation);
        rigid_transform(rotation, point, target_position, pose);
    }
}

static void find_duplicates(sn_retargeting *r)
{
    const sn_rig_skeleton *target_skeleton = r->target.skeleton;
    for (int32_t joint = 0; joint < target_skeleton->joint_count; ++joint) {
        double inverse[12];
        r->duplicate_of[joint] = -1;
        for (int32_t other = 0; other < joint && target_skeleton->names[joint][0] && r->duplicate_of[joint] < 0;
             ++other) {
            const bool is_duplicate = target_skeleton->parents[other] == target_skeleton->parents[joint] &&
                                      r->duplicate_of[other] < 0 &&
                                      strcmp(target_skeleton->names[other], target_skeleton->names[joint]) == 0 &&
                                      sn_affine_invert(target_skeleton->rest + 12 * (size_t)joint, inverse);
            if (is_duplicate) {
                r->duplicate_of[joint] = other;
                sn_affine_multiply(target_skeleton->rest + 12 * (size_t)other, inverse,
                                   r->from_duplicate + 12 * (size_t)joint);
            }
        }
    }
}

static sn_result link_all(sn_retargeting *r, sn_arena *arena)
{
    char missing[2][MISSING_BYTES];
    const int counts[2] = {sn_humanoid_missing(r->source.of_role, missing[0], sizeof missing[0]),
                           sn_humanoid_missing(r->target.of_role, missing[1], sizeof missing[1])};
    const bool is_quadruped = counts[0] == 0 && r->motion->is_capture &&
                              sn_rig_body_is_quadruped(&r->source, r->motion->worlds, r->motion->frame_count);
    if (counts[0] == 0 && counts[1] == 0 && !is_quadruped) {
        return sn_link_humanoids(r, arena);
    }
    if (sn_link_by_names(r)) {
        return SN_OK;
    }
    if (is_quadruped) {
        return sn_fail(
            SN_ERROR_FORMAT,
            "%s: cannot be retargeted to %s: the joint names differ, and the motion is of a four-legged animal",
            r->source.skeleton->name, r->target.skeleton->name);
    }
    const int incomplete = counts[1] > 0 ? 1 : 0;
    return sn_fail(SN_ERROR_FORMAT,
                   "%s: cannot be retargeted to %s: the joint names differ, and %s lacks the humanoid bones %s",
                   r->source.skeleton->name, r->target.skeleton->name,
                   incomplete ? r->target.skeleton->name : r->source.skeleton->name, missing[incomplete]);
}

sn_result sn_retarget_plan(const sn_rig_motion *motion, const sn_rig_skeleton *target, sn_arena *arena,
                           sn_retargeting **plan)
{
    const size_t n = (size_t)motion->skeleton.joint_count, b = (size_t)target->joint_count;
    sn_retargeting *r = SN_NEW(arena, sn_retargeting, 1);
    *plan = r;
    if (!r) {
        return SN_ERROR_MEMORY;
    }
    r->motion = motion;
    r->links = SN_NEW(arena, sn_rig_link, b);
    r->duplicate_of = r->links ? SN_NEW(arena, int32_t, b) : NULL;
    r->from_duplicate = r->duplicate_of ? SN_NEW(arena, double, 12 * b) : NULL;
    r->joint_rotations = r->from_duplicate ? SN_NEW(arena, double, 7 * n) : NULL;
    if (!r->joint_rotations) {
        return SN_ERROR_MEMORY;
    }
    for (size_t j = 0; j < b; ++j) {
        r->links[j].from[0] = r->links[j].from[1] = -1;
    }
    SN_TRY(sn_rig_body_init(&motion->skeleton, motion->is_capture, arena, &r->source));
    SN_TRY(sn_rig_body_init(target, false, arena, &r->target));
    find_duplicates(r);
    return link_all(r, arena);
}

void sn_retarget_pose(sn_retargeting *r, const double *worlds, const sn_rig_base *base, double *poses)
{
    double *positions = r->joint_rotations + 4 * (size_t)r->source.skeleton->joint_count;
    sn_rig_body_read(&r->source, worlds, r->joint_rotations, positions);
    pose_frame(r, r->joint_rotations, positions, base, poses);
}

sn_result sn_retarget(const sn_rig_motion *motion, const sn_rig_skeleton *target, sn_arena *arena, double *poses)
{
    const size_t n = (size_t)motion->skeleton.joint_count, b = (size_t)target->joint_count;
    sn_retargeting *plan;
    SN_TRY(sn_retarget_plan(motion, target, arena, &plan));
    for (size_t f = 0; f < (size_t)motion->frame_count; ++f) {
        sn_retarget_pose(plan, motion->worlds + 12 * n * f, NULL, poses + 12 * b * f);
    }
    return SN_OK;
}

/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "author/retarget/links.h"
#include "host/math/affine.h"
#include "host/math/quaternion.h"
#include "host/math/vec3.h"

#define MISSING_BYTES 400

/* The source's point that determines the translation. */
static void carrier_of(const sn_retargeting *r, const double *places, double point[3])
{
    if (r->is_humanoid) {
        sn_rig_body_middle(&r->source, places, SN_PART_UPPER_LEG, point);
    } else {
        memcpy(point, places + 3 * (size_t)r->links[r->root].from[0], 3 * sizeof(double));
    }
}

/* R R_ref^-1 of a joint, where joint_rotations holds R. */
static void turned(const sn_retargeting *r, const double *turns, int32_t joint, double *delta)
{
    double back[4];
    sn_quaternion_conjugate(r->source.turns + 4 * (size_t)joint, back);
    sn_quaternion_multiply(turns + 4 * (size_t)joint, back, delta);
}

static void rotation_of(const sn_retargeting *r, const double *turns, const sn_rig_link *from, double *rotation)
{
    double delta[4], second[4];
    turned(r, turns, from->from[0], delta);
    if (from->from[1] >= 0) {
        turned(r, turns, from->from[1], second);
        sn_quaternion_blend(delta, second, from->share, delta);
    }
    sn_quaternion_multiply(r->to_world, delta, rotation);
    sn_quaternion_multiply(rotation, r->from_body, rotation);
    sn_quaternion_multiply(rotation, from->align, rotation);
}

/* The rigid transform with this rotation that maps point to target_position. */
static void make_rigid(const double *rotation, const double *point, const double *place, double *pose)
{
    double m[9];
    sn_quaternion_to_matrix(rotation, m);
    for (int d = 0; d < 3; ++d) {
        memcpy(pose + 4 * d, m + 3 * d, 3 * sizeof(double));
        pose[4 * d + 3] = place[d] - sn_dot3(m + 3 * d, point);
    }
}

static void pose_root(const sn_retargeting *r, const double *turns, const double *places, double *pose)
{
    double point[3], rotation[4];
    carrier_of(r, places, point);
    sn_subtract3(point, r->from, point);
    sn_rig_rotate(r->to_world, point, point);
    for (int d = 0; d < 3; ++d) {
        point[d] = r->to[d] + r->scale * point[d];
    }
    rotation_of(r, turns, &r->links[r->root], rotation);
    make_rigid(rotation, r->carried, point, pose);
}

/* Fixes an unlinked joint to its parent as at rest, or as in the base. */
static void keep_to(const double *base, const double *poses, int32_t carrier, int32_t joint, double *pose)
{
    double back[12], local[12];
    if (base && carrier != joint && sn_affine_invert(base + 12 * (size_t)carrier, back)) {
        sn_affine_multiply(back, base + 12 * (size_t)joint, local);
        sn_affine_multiply(poses + 12 * (size_t)carrier, local, pose);
    } else {
        memcpy(pose, poses + 12 * (size_t)carrier, 12 * sizeof(double));
    }
}

/* Whether a source joint that moves is linked to it. */
static bool is_led(const sn_retargeting *r, const sn_rig_base *base, int32_t joint)
{
    const int32_t *from = r->links[joint].from;
    return from[0] >= 0 && (!base || base->is_moved[from[0]] || (from[1] >= 0 && base->is_moved[from[1]]));
}

static void pose_frame(const sn_retargeting *r, const double *turns, const double *places, const sn_rig_base *base,
                       double *poses)
{
    const sn_rig_skeleton *own = r->target.skeleton;
    double *root = poses + 12 * (size_t)r->root;
    pose_root(r, turns, places, root);
    for (int i = 0; i < own->joint_count; ++i) {
        const int32_t joint = r->target.tree.order[i], parent = own->parents[joint];
        double *pose = poses + 12 * (size_t)joint;
        if (joint == r->root) {
            continue;
        }
        const bool is_above = sn_rig_is_above(&r->target.tree, joint, r->root);
        if (r->twins[joint] >= 0) {
            sn_affine_multiply(poses + 12 * (size_t)r->twins[joint], r->from_twin + 12 * (size_t)joint, pose);
            continue;
        }
        const int32_t on = is_above || parent < 0 ? r->root : parent;
        const double *carrier = poses + 12 * (size_t)on, *point = r->target.places + 3 * (size_t)joint;
        if (!is_led(r, base, joint) || is_above) {
            keep_to(base ? base->poses : NULL, poses, on, joint, pose);
            continue;
        }
        double place[3], rotation[4];
        for (int d = 0; d < 3; ++d) {
            place[d] = sn_dot3(carrier + 4 * d, point) + carrier[4 * d + 3];
        }
        rotation_of(r, turns, &r->links[joint], rotation);
        make_rigid(rotation, point, place, pose);
    }
}

static void find_twins(sn_retargeting *r)
{
    const sn_rig_skeleton *own = r->target.skeleton;
    for (int32_t joint = 0; joint < own->joint_count; ++joint) {
        double back[12];
        r->twins[joint] = -1;
        for (int32_t other = 0; other < joint && own->names[joint][0] && r->twins[joint] < 0; ++other) {
            const bool is_twin = own->parents[other] == own->parents[joint] && r->twins[other] < 0 &&
                                 strcmp(own->names[other], own->names[joint]) == 0 &&
                                 sn_affine_invert(own->rest + 12 * (size_t)joint, back);
            if (is_twin) {
                r->twins[joint] = other;
                sn_affine_multiply(own->rest + 12 * (size_t)other, back, r->from_twin + 12 * (size_t)joint);
            }
        }
    }
}

static sn_result link_all(sn_retargeting *r, sn_arena *arena)
{
    char missing[2][MISSING_BYTES];
    const int counts[2] = {sn_humanoid_missing(r->source.of_role, missing[0], sizeof missing[0]),
                           sn_humanoid_missing(r->target.of_role, missing[1], sizeof missing[1])};
    const bool is_on_fours = counts[0] == 0 && r->motion->is_capture &&
                             sn_rig_body_goes_on_fours(&r->source, r->motion->worlds, r->motion->frame_count);
    if (counts[0] == 0 && counts[1] == 0 && !is_on_fours) {
        return sn_link_humanoids(r, arena);
    }
    if (sn_link_by_names(r)) {
        return SN_OK;
    }
    if (is_on_fours) {
        return sn_fail(
            SN_ERROR_FORMAT,
            "%s: cannot be retargeted to %s: the joint names differ, and the motion is of a four-legged animal",
            r->source.skeleton->name, r->target.skeleton->name);
    }
    const int lacking = counts[1] > 0 ? 1 : 0;
    return sn_fail(SN_ERROR_FORMAT,
                   "%s: cannot be retargeted to %s: the joint names differ, and %s lacks the humanoid bones %s",
                   r->source.skeleton->name, r->target.skeleton->name,
                   lacking ? r->target.skeleton->name : r->source.skeleton->name, missing[lacking]);
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
    r->twins = r->links ? SN_NEW(arena, int32_t, b) : NULL;
    r->from_twin = r->twins ? SN_NEW(arena, double, 12 * b) : NULL;
    r->turns = r->from_twin ? SN_NEW(arena, double, 7 * n) : NULL;
    if (!r->turns) {
        return SN_ERROR_MEMORY;
    }
    for (size_t j = 0; j < b; ++j) {
        r->links[j].from[0] = r->links[j].from[1] = -1;
    }
    sn_result result = sn_rig_body_init(&motion->skeleton, motion->is_capture, arena, &r->source);
    result = result ? result : sn_rig_body_init(target, false, arena, &r->target);
    if (result == SN_OK) {
        find_twins(r);
        result = link_all(r, arena);
    }
    return result;
}

void sn_retarget_pose(sn_retargeting *r, const double *worlds, const sn_rig_base *base, double *poses)
{
    double *places = r->turns + 4 * (size_t)r->source.skeleton->joint_count;
    sn_rig_body_read(&r->source, worlds, r->turns, places);
    pose_frame(r, r->turns, places, base, poses);
}

sn_result sn_retarget(const sn_rig_motion *motion, const sn_rig_skeleton *target, sn_arena *arena, double *poses)
{
    const size_t n = (size_t)motion->skeleton.joint_count, b = (size_t)target->joint_count;
    sn_retargeting *plan;
    const sn_result result = sn_retarget_plan(motion, target, arena, &plan);
    for (size_t f = 0; f < (size_t)motion->frame_count && result == SN_OK; ++f) {
        sn_retarget_pose(plan, motion->worlds + 12 * n * f, NULL, poses + 12 * b * f);
    }
    return result;
}

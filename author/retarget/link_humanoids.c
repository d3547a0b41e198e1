/* SPDX-License-Identifier: MIT */
/* Links two humanoids: limbs by their roles, spine and neck in proportion, other joints by names. */
#include <math.h>
#include <string.h>

#include "author/retarget/links.h"
#include "host/math/quaternion.h"
#include "host/math/vec3.h"

static void link_role(sn_retargeting *r, int bone)
{
    sn_link_set(r, r->target.of_role[bone], r->source.of_role[bone], -1, 0);
}

/* Links the joints of a chain to those at proportional positions of the source's chain. */
static void link_chain(sn_retargeting *r, const sn_rig_chain *target_joints, const sn_rig_chain *source_joints,
                       int32_t preceding, int32_t following)
{
    const int is_open = following >= 0; /* the chain continues to a joint that has its own link */
    for (int k = 0; k < target_joints->count; ++k) {
        const double at = (double)((k + 1) * (source_joints->count + is_open)) / (target_joints->count + is_open) - 1;
        const int low = (int)floor(at + 1e-9);
        const double weight = at - low;
        const int32_t first_rotation = low < 0                      ? preceding
                                       : low < source_joints->count ? source_joints->joints[low]
                                                                    : following;
        const int32_t second = low + 1 < source_joints->count ? source_joints->joints[low + 1] : following;
        sn_link_set(r, target_joints->joints[k], first_rotation, weight > 1e-6 ? second : -1,
                    weight > 1e-6 ? weight : 0);
    }
}

/* Aligns the spine where the reference pose is a frame of the motion, which may lean. */
static void align_leaning(sn_retargeting *r)
{
    const int32_t arms[2] = {r->target.of_role[SN_HUMANOID_HIPS], r->target.of_role[SN_HUMANOID_HEAD]};
    const int32_t source_joints[2] = {r->source.of_role[SN_HUMANOID_HIPS], r->source.of_role[SN_HUMANOID_HEAD]};
    double align[4];
    if (arms[1] < 0 || source_joints[1] < 0) {
        return;
    }
    double direction[3], source_direction[3];
    sn_link_directions(r, arms, source_joints, direction, source_direction);
    sn_rig_rotate_to(direction, source_direction, align);
    for (int k = 0; k < r->target.spine.count; ++k) {
        memcpy(r->links[r->target.spine.joints[k]].align, align, sizeof align);
    }
}

/* Aligns a foot: about the vertical, to the source's direction; then, with a known flat pitch, to the source's slope
 * relative to a flat sole. */
static void align_foot(sn_retargeting *r, int side, double *align)
{
    const int foot = sn_humanoid_bone_index(side, SN_PART_FOOT), toes = sn_humanoid_bone_index(side, SN_PART_TOES);
    const int32_t target_joints[2] = {r->target.of_role[foot], r->target.of_role[toes]};
    const int32_t source_joints[2] = {r->source.of_role[foot], r->source.of_role[toes]};
    double up[3], direction[3], source_direction[3], flat[3], rotation[4];
    memcpy(align, (const double[4]){0, 0, 0, 1}, 4 * sizeof(double));
    if (target_joints[0] < 0 || source_joints[1] < 0) {
        return;
    }
    sn_link_directions(
        r, (const int32_t[2]){target_joints[0], target_joints[1] >= 0 ? target_joints[1] : target_joints[0]},
        source_joints, direction, source_direction);
    sn_rig_rotate(r->target.axes, (const double[3]){0, 1, 0}, up);
    const double target_rise = sn_dot3(direction, up), source_rise = sn_dot3(source_direction, up);
    for (int d = 0; d < 3; ++d) {
        direction[d] -= target_rise * up[d];
        flat[d] = source_direction[d] - source_rise * up[d];
    }
    sn_rig_rotate_to(direction, flat, align);
    if (r->source.has_flat_foot_pitch) {
        const double length = sn_length3(flat), slope = tan(r->source.flat_foot_pitch[side]);
        for (int d = 0; d < 3; ++d) {
            flat[d] -= length * slope * up[d];
        }
        sn_rig_rotate_to(flat, source_direction, rotation);
        sn_quaternion_multiply(rotation, align, align);
    }
}

static void align_limb(sn_retargeting *r, int side, int part, const double *above)
{
    const int32_t target_joints[2] = {r->target.of_role[sn_humanoid_bone_index(side, part)],
                                      r->target.of_role[sn_humanoid_bone_index(side, part + 1)]};
    const int32_t source_joints[2] = {r->source.of_role[sn_humanoid_bone_index(side, part)],
                                      r->source.of_role[sn_humanoid_bone_index(side, part + 1)]};
    sn_link_align(r, above, target_joints, source_joints);
}

static void set_align(sn_retargeting *r, int bone, const double *align)
{
    const int32_t joint = r->target.of_role[bone];
    if (sn_is_linked(r, joint)) {
        memcpy(r->links[joint].align, align, 4 * sizeof(double));
    }
}

static void align_side(sn_retargeting *r, int side)
{
    static const double none[4] = {0, 0, 0, 1};
    double foot[4];
    const int limbs[2] = {SN_PART_UPPER_LEG, SN_PART_UPPER_ARM};
    for (int k = 0; k < 2; ++k) {
        align_limb(r, side, limbs[k], none);
        align_limb(r, side, limbs[k] + 1, r->links[r->target.of_role[sn_humanoid_bone_index(side, limbs[k])]].align);
    }
    const double *arm = r->links[r->target.of_role[sn_humanoid_bone_index(side, SN_PART_LOWER_ARM)]].align;
    for (int part = SN_PART_HAND; part < SN_PART_COUNT; ++part) {
        set_align(r, sn_humanoid_bone_index(side, part), arm);
    }
    align_foot(r, side, foot);
    set_align(r, sn_humanoid_bone_index(side, SN_PART_FOOT), foot);
    set_align(r, sn_humanoid_bone_index(side, SN_PART_TOES), foot);
}

/* Links other joints with equal names; they have the alignment of the nearest linked ancestor. */
static void link_names(sn_retargeting *r)
{
    const sn_rig_skeleton *target_joints = r->target.skeleton, *source_joints = r->source.skeleton;
    for (int i = 0; i < target_joints->joint_count; ++i) {
        const int32_t joint = r->target.tree.order[i];
        const int32_t match = sn_link_find_name(source_joints, target_joints->names[joint]);
        int32_t above = target_joints->parents[joint];
        while (above >= 0 && !sn_is_linked(r, above)) {
            above = target_joints->parents[above];
        }
        if (match >= 0 && above >= 0 && !sn_is_linked(r, joint)) {
            sn_link_set(r, joint, match, -1, 0);
            memcpy(r->links[joint].align, r->links[above].align, sizeof r->links[joint].align);
        }
    }
}

sn_result sn_link_humanoids(sn_retargeting *r, sn_arena *arena)
{
    const sn_rig_motion *m = r->motion;
    double inverse[4], up[3], left[3], first_rotation[4];
    sn_result result = SN_OK;
    if (m->is_capture) {
        result = sn_rig_body_of_motion(&r->source, m->worlds, m->frame_count, arena, up);
    } else {
        sn_rig_body_rest(&r->source);
    }
    if (result != SN_OK) {
        return result;
    }
    sn_rig_body_rest(&r->target);
    sn_quaternion_conjugate(r->target.axes, inverse);
    sn_quaternion_multiply(r->source.axes, inverse, r->from_body);
    sn_quaternion_conjugate(r->from_body, r->to_world);
    if (m->is_capture) {
        double *positions = SN_NEW(arena, double, 7 * (size_t)m->skeleton.joint_count);
        if (!positions) {
            return SN_ERROR_MEMORY;
        }
        sn_rig_body_read(&r->source, m->worlds, positions + 3 * (size_t)m->skeleton.joint_count, positions);
        sn_rig_body_left(&r->source, positions, false, left);
        sn_rig_axes(left, up, first_rotation);
        sn_quaternion_conjugate(first_rotation, first_rotation);
        sn_quaternion_multiply(r->target.axes, first_rotation, r->to_world);
    }
    const sn_rig_body *shorter = r->source.leg_length > 0 ? &r->target : &r->source;
    if (!(shorter->leg_length > 0)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: the legs of the skeleton have zero length", shorter->skeleton->name);
    }
    for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
        const bool is_chain = bone == SN_HUMANOID_SPINE || bone == SN_HUMANOID_CHEST ||
                              bone == SN_HUMANOID_UPPER_CHEST || bone == SN_HUMANOID_NECK;
        if (!is_chain) {
            link_role(r, bone);
        }
    }
    const int32_t hips = r->source.of_role[SN_HUMANOID_HIPS];
    const int32_t chest = r->source.spine.count > 0 ? r->source.spine.joints[r->source.spine.count - 1] : hips;
    link_chain(r, &r->target.spine, &r->source.spine, hips, -1);
    link_chain(r, &r->target.neck, &r->source.neck, chest, r->source.of_role[SN_HUMANOID_HEAD]);
    if (r->source.is_motion_frame) {
        align_leaning(r);
    }
    align_side(r, 0);
    align_side(r, 1);
    link_names(r);
    r->is_humanoid = true;
    r->root = r->target.of_role[SN_HUMANOID_HIPS];
    r->scale = r->target.leg_length / r->source.leg_length;
    memcpy(r->from, r->source.standing_point, sizeof r->from);
    memcpy(r->to, r->target.standing_point, sizeof r->to);
    sn_rig_body_midpoint(&r->target, r->target.positions, SN_PART_UPPER_LEG, r->moved_point);
    return SN_OK;
}

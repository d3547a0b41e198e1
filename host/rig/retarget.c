/* SPDX-License-Identifier: MIT */
#include "host/rig/retarget.h"

#include <math.h>
#include <string.h>

#include "host/math/quaternion.h"
#include "host/math/vec3.h"
#include "host/rig/body.h"

#define MISSING_BYTES 400

/* What a joint of the target follows: one joint, or two in proportion. */
typedef struct link {
    int32_t from[2]; /* -1: it keeps to its parent */
    double share;    /* of the second */
    double align[4]; /* A */
} link;

typedef struct retargeting {
    const sn_rig_motion *motion;
    sn_rig_body source, target;
    link *links;                      /* (target's joint_count) */
    bool is_humanoid;                 /* by roles; else by names alone */
    int32_t root;                     /* of the target: what carries it along */
    double to_world[4], from_body[4]; /* M; B_s B_t^-1 */
    double scale;
    double from[3], to[3], carried[3]; /* the source's point `from` is at the target's `to`; the target's point that is
                                          taken there, at rest */
} retargeting;

static bool is_linked(const retargeting *r, int32_t joint)
{
    return joint >= 0 && r->links[joint].from[0] >= 0;
}

static void set_link(retargeting *r, int32_t joint, int32_t from, int32_t second, double share)
{
    if (joint >= 0 && from >= 0 && !is_linked(r, joint)) {
        r->links[joint] = (link){.from = {from, second}, .share = share, .align = {0, 0, 0, 1}};
    }
}

/* A direction of the source's reference pose, in the target's. */
static void into_target(const retargeting *r, const double *way, double *result)
{
    double back[4];
    sn_quaternion_conjugate(r->from_body, back);
    sn_rig_rotate(back, way, result);
}

static void bone_ways(const retargeting *r, const int32_t own[2], const int32_t theirs[2], double way[3],
                      double their_way[3])
{
    sn_subtract3(r->target.places + 3 * (size_t)own[1], r->target.places + 3 * (size_t)own[0], way);
    sn_subtract3(r->source.places + 3 * (size_t)theirs[1], r->source.places + 3 * (size_t)theirs[0], their_way);
    into_target(r, their_way, their_way);
}

/* align = (least rotation of what `above` makes of the bone's direction to the source's) above. */
static void align_bone(retargeting *r, const double *above, const int32_t own[2], const int32_t theirs[2])
{
    double way[3], their_way[3], turn[4], *align = r->links[own[0]].align;
    memcpy(align, above, 4 * sizeof(double));
    if (own[1] >= 0 && theirs[1] >= 0) {
        bone_ways(r, own, theirs, way, their_way);
        sn_rig_rotate(above, way, way);
        sn_rig_turn_to(way, their_way, turn);
        sn_quaternion_multiply(turn, above, align);
    }
}

/* ---- humanoids ---- */

static void link_role(retargeting *r, int bone)
{
    set_link(r, r->target.of_role[bone], r->source.of_role[bone], -1, 0);
}

/* The joint at place k of count, among those of the other chain. */
static void link_chain(retargeting *r, const sn_rig_chain *own, const sn_rig_chain *theirs, int32_t before,
                       int32_t behind)
{
    const int open = behind >= 0; /* the chain goes on to a joint that has its own link */
    for (int k = 0; k < own->count; ++k) {
        const double at = (double)((k + 1) * (theirs->count + open)) / (own->count + open) - 1;
        const int low = (int)floor(at + 1e-9);
        const double share = at - low;
        const int32_t first = low < 0 ? before : low < theirs->count ? theirs->joints[low] : behind;
        const int32_t second = low + 1 < theirs->count ? theirs->joints[low + 1] : behind;
        set_link(r, own->joints[k], first, share > 1e-6 ? second : -1, share > 1e-6 ? share : 0);
    }
}

/* Along the spine and the neck, where the reference pose is a frame of the motion, which may lean. */
static void align_leaning(retargeting *r)
{
    const int32_t arms[2] = {r->target.of_role[SN_HUMANOID_HIPS], r->target.of_role[SN_HUMANOID_HEAD]};
    const int32_t theirs[2] = {r->source.of_role[SN_HUMANOID_HIPS], r->source.of_role[SN_HUMANOID_HEAD]};
    double align[4];
    if (arms[1] < 0 || theirs[1] < 0) {
        return;
    }
    double way[3], their_way[3];
    bone_ways(r, arms, theirs, way, their_way);
    sn_rig_turn_to(way, their_way, align);
    for (int k = 0; k < r->target.spine.count; ++k) {
        memcpy(r->links[r->target.spine.joints[k]].align, align, sizeof align);
    }
}

/* Of a foot: about the vertical, to where the other one points; then as the other slopes, of one whose sole is flat. */
static void align_foot(retargeting *r, int side, double *align)
{
    const int foot = sn_humanoid_of(side, SN_PART_FOOT), toes = sn_humanoid_of(side, SN_PART_TOES);
    const int32_t own[2] = {r->target.of_role[foot], r->target.of_role[toes]};
    const int32_t theirs[2] = {r->source.of_role[foot], r->source.of_role[toes]};
    double up[3], way[3], their_way[3], flat[3], turn[4];
    memcpy(align, (const double[4]){0, 0, 0, 1}, 4 * sizeof(double));
    if (own[0] < 0 || theirs[1] < 0) {
        return;
    }
    bone_ways(r, (const int32_t[2]){own[0], own[1] >= 0 ? own[1] : own[0]}, theirs, way, their_way);
    sn_rig_rotate(r->target.axes, (const double[3]){0, 1, 0}, up);
    const double rise = sn_dot3(way, up), their_rise = sn_dot3(their_way, up);
    for (int d = 0; d < 3; ++d) {
        way[d] -= rise * up[d];
        flat[d] = their_way[d] - their_rise * up[d];
    }
    sn_rig_turn_to(way, flat, align);
    if (r->source.is_flat_known) {
        const double length = sn_length3(flat), slope = tan(r->source.flat_pitch[side]);
        for (int d = 0; d < 3; ++d) {
            flat[d] -= length * slope * up[d];
        }
        sn_rig_turn_to(flat, their_way, turn);
        sn_quaternion_multiply(turn, align, align);
    }
}

static void align_limb(retargeting *r, int side, int part, const double *above)
{
    const int32_t own[2] = {r->target.of_role[sn_humanoid_of(side, part)],
                            r->target.of_role[sn_humanoid_of(side, part + 1)]};
    const int32_t theirs[2] = {r->source.of_role[sn_humanoid_of(side, part)],
                               r->source.of_role[sn_humanoid_of(side, part + 1)]};
    align_bone(r, above, own, theirs);
}

static void set_align(retargeting *r, int bone, const double *align)
{
    const int32_t joint = r->target.of_role[bone];
    if (is_linked(r, joint)) {
        memcpy(r->links[joint].align, align, 4 * sizeof(double));
    }
}

static void align_side(retargeting *r, int side)
{
    static const double none[4] = {0, 0, 0, 1};
    double foot[4];
    const int limbs[2] = {SN_PART_UPPER_LEG, SN_PART_UPPER_ARM};
    for (int k = 0; k < 2; ++k) {
        align_limb(r, side, limbs[k], none);
        align_limb(r, side, limbs[k] + 1, r->links[r->target.of_role[sn_humanoid_of(side, limbs[k])]].align);
    }
    const double *arm = r->links[r->target.of_role[sn_humanoid_of(side, SN_PART_LOWER_ARM)]].align;
    for (int part = SN_PART_HAND; part < SN_PART_COUNT; ++part) {
        set_align(r, sn_humanoid_of(side, part), arm);
    }
    align_foot(r, side, foot);
    set_align(r, sn_humanoid_of(side, SN_PART_FOOT), foot);
    set_align(r, sn_humanoid_of(side, SN_PART_TOES), foot);
}

static int32_t find_name(const sn_rig_skeleton *skeleton, const char *name)
{
    for (int32_t j = 0; name[0] && j < skeleton->joint_count; ++j) {
        if (strcmp(skeleton->names[j], name) == 0) {
            return j;
        }
    }
    return -1;
}

/* What else is called alike, with the alignment of what it hangs on. */
static void link_names(retargeting *r)
{
    const sn_rig_skeleton *own = r->target.skeleton, *theirs = r->source.skeleton;
    for (int i = 0; i < own->joint_count; ++i) {
        const int32_t joint = r->target.order[i];
        const int32_t found = find_name(theirs, own->names[joint]);
        int32_t above = own->parents[joint];
        while (above >= 0 && !is_linked(r, above)) {
            above = own->parents[above];
        }
        if (found >= 0 && above >= 0 && !is_linked(r, joint)) {
            set_link(r, joint, found, -1, 0);
            memcpy(r->links[joint].align, r->links[above].align, sizeof r->links[joint].align);
        }
    }
}

static sn_result plan_humanoids(retargeting *r, sn_arena *arena)
{
    const sn_rig_motion *m = r->motion;
    double back[4], up[3], left[3], first[4];
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
    sn_quaternion_conjugate(r->target.axes, back);
    sn_quaternion_multiply(r->source.axes, back, r->from_body);
    sn_quaternion_conjugate(r->from_body, r->to_world);
    if (m->is_capture) {
        double *places = SN_NEW(arena, double, 7 * (size_t)m->skeleton.joint_count);
        if (!places) {
            return SN_ERROR_MEMORY;
        }
        sn_rig_body_read(&r->source, m->worlds, places + 3 * (size_t)m->skeleton.joint_count, places);
        sn_rig_body_left(&r->source, places, false, left);
        sn_rig_axes(left, up, first);
        sn_quaternion_conjugate(first, first);
        sn_quaternion_multiply(r->target.axes, first, r->to_world);
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
    if (r->source.is_leaning) {
        align_leaning(r);
    }
    align_side(r, 0);
    align_side(r, 1);
    link_names(r);
    r->is_humanoid = true;
    r->root = r->target.of_role[SN_HUMANOID_HIPS];
    r->scale = r->target.leg / r->source.leg;
    memcpy(r->from, r->source.stand, sizeof r->from);
    memcpy(r->to, r->target.stand, sizeof r->to);
    sn_rig_body_middle(&r->target, r->target.places, SN_PART_UPPER_LEG, r->carried);
    return SN_OK;
}

/* The source's point that is carried along. */
static void carrier_of(const retargeting *r, const double *places, double point[3])
{
    if (r->is_humanoid) {
        sn_rig_body_middle(&r->source, places, SN_PART_UPPER_LEG, point);
    } else {
        memcpy(point, places + 3 * (size_t)r->links[r->root].from[0], 3 * sizeof(double));
    }
}

/* ---- by names ---- */

/* The one that turns b to a best, of product = sum a b^T: the best of what several beginnings come to. */
static void find_rotation(const double *product, double *turn)
{
    double best = 0;
    for (int k = 0; k < 10; ++k) { /* none, half turns, quarters either way */
        double q[4] = {0, 0, 0, 0}, m[9], trace = 0;
        q[3] = k == 0 ? 1 : k < 4 ? 0 : k % 2 == 0 ? 1 : -1;
        if (k > 0) {
            q[k < 4 ? k - 1 : (k - 4) / 2] = 1;
        }
        sn_quaternion_normalize(q);
        sn_quaternion_polar(product, q);
        sn_quaternion_to_matrix(q, m);
        for (int d = 0; d < 9; ++d) {
            trace += m[d] * product[d];
        }
        if (k == 0 || trace > best + 1e-9 * fabs(best)) {
            best = trace;
            memcpy(turn, q, sizeof q);
        }
    }
}

/* The rotation and the scale that take the linked joints' places nearest to those of the target. */
static void fit_places(retargeting *r)
{
    double middles[2][3] = {{0}}, product[9] = {0}, squares[2] = {0};
    int count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t j = 0; j < r->target.skeleton->joint_count; ++j) {
            if (!is_linked(r, j)) {
                continue;
            }
            const double *own = r->target.places + 3 * (size_t)j;
            const double *theirs = r->source.places + 3 * (size_t)r->links[j].from[0];
            count += pass == 0;
            for (int d = 0; d < 3; ++d) {
                middles[0][d] += pass == 0 ? own[d] : 0;
                middles[1][d] += pass == 0 ? theirs[d] : 0;
            }
            double a[3], b[3];
            sn_subtract3(own, middles[0], a);
            sn_subtract3(theirs, middles[1], b);
            for (int d = 0; pass == 1 && d < 9; ++d) {
                product[d] += a[d / 3] * b[d % 3];
            }
            squares[0] += pass == 1 ? sn_dot3(a, a) : 0;
            squares[1] += pass == 1 ? sn_dot3(b, b) : 0;
        }
        for (int d = 0; pass == 0 && d < 3; ++d) {
            middles[0][d] /= count;
            middles[1][d] /= count;
        }
    }
    find_rotation(product, r->to_world);
    sn_quaternion_conjugate(r->to_world, r->from_body);
    r->scale = squares[1] > 0 ? sqrt(squares[0] / squares[1]) : 1;
}

/* Along the one child that is linked, too; at forks and ends as the parent. */
static void align_names(retargeting *r)
{
    const sn_rig_skeleton *own = r->target.skeleton;
    for (int i = 0; i < own->joint_count; ++i) {
        const int32_t joint = r->target.order[i], parent = own->parents[joint];
        double above[4] = {0, 0, 0, 1};
        int32_t child = -1;
        int children = 0;
        if (!is_linked(r, joint)) {
            continue;
        }
        for (int32_t j = 0; j < own->joint_count; ++j) {
            if (own->parents[j] == joint && is_linked(r, j)) {
                child = j;
                ++children;
            }
        }
        if (is_linked(r, parent)) {
            memcpy(above, r->links[parent].align, sizeof above);
        }
        child = children == 1 ? child : -1;
        align_bone(r, above, (const int32_t[2]){joint, child},
                   (const int32_t[2]){r->links[joint].from[0], child >= 0 ? r->links[child].from[0] : -1});
    }
}

/* False where too few are called alike. */
static bool plan_names(retargeting *r)
{
    const sn_rig_skeleton *own = r->target.skeleton, *theirs = r->source.skeleton;
    int count = 0;
    sn_rig_body_read(&r->source, theirs->rest, r->source.turns, r->source.places);
    sn_rig_body_read(&r->target, own->rest, r->target.turns, r->target.places);
    for (int i = own->joint_count - 1; i >= 0; --i) {
        const int32_t joint = r->target.order[i], from = find_name(theirs, own->names[joint]);
        set_link(r, joint, from, -1, 0);
        r->root = from >= 0 ? joint : r->root;
        count += from >= 0;
    }
    if (count < 2 || 2 * count < own->joint_count) {
        return false;
    }
    fit_places(r);
    align_names(r);
    memcpy(r->to, r->target.places + 3 * (size_t)r->root, sizeof r->to);
    memcpy(r->carried, r->to, sizeof r->to);
    carrier_of(r, r->source.places, r->from);
    if (r->motion->is_capture && sn_length3(r->from) == 0) { /* it rests nowhere: it begins where the target rests */
        const double *first = r->motion->worlds + 12 * (size_t)r->links[r->root].from[0];
        for (int d = 0; d < 3; ++d) {
            r->from[d] = first[4 * d + 3];
        }
    }
    return true;
}

/* ---- every frame ---- */

/* R R_ref^-1 of a joint; turns are R. */
static void turned(const retargeting *r, const double *turns, int32_t joint, double *delta)
{
    double back[4];
    sn_quaternion_conjugate(r->source.turns + 4 * (size_t)joint, back);
    sn_quaternion_multiply(turns + 4 * (size_t)joint, back, delta);
}

static void rotation_of(const retargeting *r, const double *turns, const link *from, double *rotation)
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

/* The rotation that takes a point to a place. */
static void make_rigid(const double *rotation, const double *point, const double *place, double *pose)
{
    double m[9];
    sn_quaternion_to_matrix(rotation, m);
    for (int d = 0; d < 3; ++d) {
        memcpy(pose + 4 * d, m + 3 * d, 3 * sizeof(double));
        pose[4 * d + 3] = place[d] - sn_dot3(m + 3 * d, point);
    }
}

static void pose_root(const retargeting *r, const double *turns, const double *places, double *pose)
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

static void pose_frame(const retargeting *r, const double *turns, const double *places, double *poses)
{
    const sn_rig_skeleton *own = r->target.skeleton;
    double *root = poses + 12 * (size_t)r->root;
    pose_root(r, turns, places, root);
    for (int i = 0; i < own->joint_count; ++i) {
        const int32_t joint = r->target.order[i], parent = own->parents[joint];
        double *pose = poses + 12 * (size_t)joint;
        if (joint == r->root) {
            continue;
        }
        const bool is_above = sn_rig_is_above(own, joint, r->root);
        const double *carrier = is_above || parent < 0 ? root : poses + 12 * (size_t)parent;
        const double *point = r->target.places + 3 * (size_t)joint;
        if (!is_linked(r, joint) || is_above) {
            memcpy(pose, carrier, 12 * sizeof(double));
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

static sn_result plan(retargeting *r, sn_arena *arena)
{
    char missing[2][MISSING_BYTES];
    const int counts[2] = {sn_rig_body_missing(&r->source, missing[0], sizeof missing[0]),
                           sn_rig_body_missing(&r->target, missing[1], sizeof missing[1])};
    if (counts[0] == 0 && counts[1] == 0) {
        return plan_humanoids(r, arena);
    }
    if (plan_names(r)) {
        return SN_OK;
    }
    const int lacking = counts[1] > 0 ? 1 : 0;
    return sn_fail(SN_ERROR_FORMAT, "%s: cannot move %s: its joints have other names, and as a humanoid %s has no %s",
                   r->source.skeleton->name, r->target.skeleton->name,
                   lacking ? r->target.skeleton->name : r->source.skeleton->name, missing[lacking]);
}

sn_result sn_retarget(const sn_rig_motion *motion, const sn_rig_skeleton *target, sn_arena *arena, double *poses)
{
    const size_t n = (size_t)motion->skeleton.joint_count, b = (size_t)target->joint_count;
    retargeting r = {.motion = motion, .links = SN_NEW(arena, link, b)};
    double *turns = r.links ? SN_NEW(arena, double, 7 * n) : NULL;
    if (!turns) {
        return SN_ERROR_MEMORY;
    }
    for (size_t j = 0; j < b; ++j) {
        r.links[j].from[0] = r.links[j].from[1] = -1;
    }
    sn_result result = sn_rig_body_init(&motion->skeleton, arena, &r.source);
    result = result ? result : sn_rig_body_init(target, arena, &r.target);
    result = result ? result : plan(&r, arena);
    for (size_t f = 0; f < (size_t)motion->frame_count && result == SN_OK; ++f) {
        sn_rig_body_read(&r.source, motion->worlds + 12 * n * f, turns, turns + 4 * n);
        pose_frame(&r, turns, turns + 4 * n, poses + 12 * b * f);
    }
    return result;
}

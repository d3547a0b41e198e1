/* SPDX-License-Identifier: MIT */
/* Guesses the humanoid bone of each joint from the rest pose, which must be upright with y up. The two lowest chain
 * ends, at about equal height, are feet or toes; their common ancestor is the hips. At the first branching above the
 * hips, the two chains that extend farthest to opposite sides are the arms. Chains of two to four joints below that are
 * used. The left side is determined from the toes or knees, which point forward. */
#include <math.h>
#include <string.h>

#include "author/retarget/humanoid.h"
#include "host/math/vec3.h"

#define LEVEL_TOLERANCE 0.1 /* max. height difference of the feet, as a fraction of the height */
#define MAX_CHAIN_LENGTH 8

typedef struct shape {
    const sn_rig_skeleton *skeleton;
    const sn_rig_tree *tree;
    double low, high;
} shape;

static void position_of(const sn_rig_skeleton *s, int32_t joint, double position[3])
{
    for (int d = 0; d < 3; ++d) {
        position[d] = s->rest[12 * (size_t)joint + 4 * (size_t)d + 3];
    }
}

static double height_of(const sn_rig_skeleton *s, int32_t joint)
{
    return s->rest[12 * (size_t)joint + 7];
}

static bool is_end(const shape *p, int32_t joint)
{
    return p->tree->child_counts[joint] == 0;
}

static bool is_at_or_below(const shape *p, int32_t top, int32_t joint)
{
    return joint == top || sn_rig_is_above(p->tree, top, joint);
}

/* The child of `above` on the path to `joint`. */
static int32_t child_towards(const sn_rig_skeleton *s, int32_t above, int32_t joint)
{
    while (joint >= 0 && s->parents[joint] != above) {
        joint = s->parents[joint];
    }
    return joint;
}

/* Lists the joints from `above` (excluded) to `joint`; returns 0 if there are too many. */
static int chain_to(const sn_rig_skeleton *s, int32_t above, int32_t joint, int32_t chain[MAX_CHAIN_LENGTH])
{
    int count = 0;
    for (int32_t at = joint; at != above; at = s->parents[at]) {
        if (at < 0 || count == MAX_CHAIN_LENGTH) {
            return 0;
        }
        ++count;
    }
    int32_t at = joint;
    for (int k = count; k-- > 0; at = s->parents[at]) {
        chain[k] = at;
    }
    return count;
}

/* Finds the two lowest chain ends. */
static bool find_feet(const shape *p, int32_t feet[2])
{
    const sn_rig_skeleton *s = p->skeleton;
    feet[0] = feet[1] = -1;
    for (int k = 0; k < 2; ++k) {
        for (int32_t j = 0; j < s->joint_count; ++j) {
            if (j != feet[0] && is_end(p, j) && (feet[k] < 0 || height_of(s, j) < height_of(s, feet[k]))) {
                feet[k] = j;
            }
        }
    }
    return feet[1] >= 0 && fabs(height_of(s, feet[0]) - height_of(s, feet[1])) < LEVEL_TOLERANCE * (p->high - p->low) &&
           sn_rig_common_ancestor(p->tree, feet[0], feet[1]) >= 0;
}

/* Whether another chain ends at about the same height, that is, there are more than two legs. */
static bool has_more_legs(const shape *p, const int32_t feet[2], const int32_t legs[2])
{
    const sn_rig_skeleton *s = p->skeleton;
    for (int32_t j = 0; j < s->joint_count; ++j) {
        const bool is_leg = sn_rig_is_above(p->tree, legs[0], j) || sn_rig_is_above(p->tree, legs[1], j);
        if (is_end(p, j) && !is_leg && height_of(s, j) < height_of(s, feet[1]) + LEVEL_TOLERANCE * (p->high - p->low)) {
            return true;
        }
    }
    return false;
}

/* Extent of a joint and its descendants along an axis, with the joints that attain it (the first of several). */
typedef struct extent {
    double max, min;
    int32_t max_end, min_end;
} extent;

static void merge_extent(extent *r, const extent *by)
{
    if (by->max > r->max || (!(by->max < r->max) && by->max_end < r->max_end)) {
        r->max = by->max;
        r->max_end = by->max_end;
    }
    if (by->min < r->min || (!(by->min > r->min) && by->min_end < r->min_end)) {
        r->min = by->min;
        r->min_end = by->min_end;
    }
}

/* Computes the extents (joint_count) from the leaves to the roots. */
static void find_extents(const shape *p, const double axis[3], extent *extents)
{
    const sn_rig_skeleton *s = p->skeleton;
    for (int32_t j = 0; j < s->joint_count; ++j) {
        double position[3];
        position_of(s, j, position);
        const double at = sn_dot3(position, axis);
        extents[j] = (extent){at, at, j, j};
    }
    for (int32_t i = s->joint_count; i-- > 0;) {
        const int32_t joint = p->tree->order[i], parent = s->parents[joint];
        if (parent >= 0) {
            merge_extent(&extents[parent], &extents[joint]);
        }
    }
}

static double distance_along(const sn_rig_skeleton *s, const double origin[3], int32_t joint, const double axis[3])
{
    double distance[3];
    position_of(s, joint, distance);
    sn_subtract3(distance, origin, distance);
    return sn_dot3(distance, axis);
}

/* The signed maximum distance of a subtree from its parent along an axis, and the joint that attains it. */
static double farthest_along(const sn_rig_skeleton *s, const extent *r, const double origin[3], const double axis[3],
                             int32_t *end)
{
    const double max = distance_along(s, origin, r->max_end, axis), min = distance_along(s, origin, r->min_end, axis);
    const bool is_equal = !(fabs(max) > fabs(min)) && !(fabs(min) > fabs(max));
    const bool is_max = is_equal ? r->max_end < r->min_end : fabs(max) > fabs(min);
    *end = is_max ? r->max_end : r->min_end;
    return is_max ? max : min;
}

/* Extents of a joint's children to both sides of it, with the joints that attain them. */
typedef struct branch_extent {
    double distances[2];
    int32_t ends[2];
} branch_extent;

/* Computes branch_extents (joint_count) without the legs. */
static void find_branch_extents(const shape *p, const int32_t legs[2], const double axis[3], const extent *extents,
                                branch_extent *branch_extents)
{
    const sn_rig_skeleton *s = p->skeleton;
    for (int32_t j = 0; j < s->joint_count; ++j) {
        branch_extents[j] = (branch_extent){{0, 0}, {-1, -1}};
    }
    for (int32_t child = 0; child < s->joint_count; ++child) {
        const int32_t parent = s->parents[child];
        if (parent < 0 || child == legs[0] || child == legs[1]) {
            continue;
        }
        double origin[3];
        int32_t end = -1;
        position_of(s, parent, origin);
        const double distance = farthest_along(s, &extents[child], origin, axis, &end);
        branch_extent *to = &branch_extents[parent];
        const int side = distance > 0 ? 0 : 1;
        if (fabs(distance) > fabs(to->distances[side])) {
            to->distances[side] = distance;
            to->ends[side] = end;
        }
    }
}

/* Finds the chest: the first joint above the hips whose children extend to both sides. */
static int32_t choose_arms(const shape *p, int32_t hips, const int32_t legs[2], const branch_extent *branch_extents,
                           int32_t arms[2])
{
    const double min = LEVEL_TOLERANCE * (p->high - p->low);
    for (int32_t j = 0; j < p->skeleton->joint_count; ++j) {
        const branch_extent *to = &branch_extents[j];
        const bool is_body =
            is_at_or_below(p, hips, j) && !is_at_or_below(p, legs[0], j) && !is_at_or_below(p, legs[1], j);
        if (is_body && to->ends[0] >= 0 && to->ends[1] >= 0 && to->distances[0] > min && to->distances[1] < -min &&
            fabs(to->distances[0] + to->distances[1]) < min) {
            arms[0] = to->ends[0];
            arms[1] = to->ends[1];
            return j;
        }
    }
    return -1;
}

/* Finds the ends of the arms; chest is -1 if there are none. */
static sn_result find_arms(const shape *p, int32_t hips, const int32_t legs[2], const double axis[3], int32_t arms[2],
                           int32_t *chest)
{
    sn_arena scratch = {0};
    extent *extents = SN_NEW(&scratch, extent, p->skeleton->joint_count);
    branch_extent *branch_extents = SN_NEW(&scratch, branch_extent, p->skeleton->joint_count);
    const bool is_ok = extents && branch_extents;
    if (is_ok) {
        find_extents(p, axis, extents);
        find_branch_extents(p, legs, axis, extents, branch_extents);
        *chest = choose_arms(p, hips, legs, branch_extents, arms);
    }
    sn_arena_finish(&scratch);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

/* The first joint of a chain that branches (into fingers), or the end itself. */
static int32_t before_fingers(const shape *p, int32_t top, int32_t end)
{
    const int32_t *parents = p->skeleton->parents;
    int32_t hand = end;
    for (int32_t at = parents[end]; at >= 0 && at != parents[top]; at = parents[at]) {
        hand = p->tree->child_counts[at] > 1 ? at : hand;
    }
    return hand;
}

static void assign_leg(const sn_rig_skeleton *s, int32_t hips, int32_t end, int32_t *of_side)
{
    int32_t chain[MAX_CHAIN_LENGTH];
    const int count = chain_to(s, hips, end, chain);
    for (int k = 0; (count == 3 || count == 4) && k < count; ++k) {
        of_side[SN_PART_UPPER_LEG + k] = chain[k];
    }
}

static void assign_arm(const shape *p, int32_t chest, int32_t end, int32_t *of_side)
{
    const sn_rig_skeleton *s = p->skeleton;
    int32_t chain[MAX_CHAIN_LENGTH];
    const int count = chain_to(s, chest, before_fingers(p, child_towards(s, chest, end), end), chain);
    for (int k = 0; (count == 3 || count == 4) && k < count; ++k) {
        of_side[SN_PART_SHOULDER + 4 - count + k] = chain[k];
    }
}

/* Whether feet[0] is the left foot. */
static bool is_first_left(const sn_rig_skeleton *s, int32_t hips, const int32_t feet[2], const double axis[3])
{
    double forward[3] = {0}, left[3];
    const double up[3] = {0, 1, 0};
    for (int k = 0; k < 2; ++k) {
        int32_t chain[MAX_CHAIN_LENGTH];
        double toe[3], ankle[3];
        const int count = chain_to(s, hips, feet[k], chain);
        if (count == 4) { /* toes are in front of the ankle */
            position_of(s, chain[3], toe);
            position_of(s, chain[2], ankle);
        } else if (count == 3) { /* a knee is in front of the line from hip to foot */
            double hip[3], foot[3];
            position_of(s, chain[0], hip);
            position_of(s, chain[1], toe);
            position_of(s, chain[2], foot);
            const double at = sn_segment_nearest(toe, hip, foot);
            for (int d = 0; d < 3; ++d) {
                ankle[d] = hip[d] + at * (foot[d] - hip[d]);
            }
        } else {
            continue;
        }
        for (int d = 0; d < 3; ++d) {
            forward[d] += toe[d] - ankle[d];
        }
    }
    sn_cross3(up, forward, left); /* left of the forward direction */
    return sn_dot3(left, axis) >= 0;
}

/* The highest joint above the chest that belongs to neither arm; -1: none. */
static int32_t find_head(const shape *p, int32_t chest, const int32_t arms[2])
{
    const sn_rig_skeleton *s = p->skeleton;
    const int32_t tops[2] = {child_towards(s, chest, arms[0]), child_towards(s, chest, arms[1])};
    int32_t head = -1;
    for (int32_t j = 0; j < s->joint_count; ++j) {
        const bool is_arm = is_at_or_below(p, tops[0], j) || is_at_or_below(p, tops[1], j);
        if (sn_rig_is_above(p->tree, chest, j) && !is_arm && (head < 0 || height_of(s, j) > height_of(s, head))) {
            head = j;
        }
    }
    return head;
}

sn_result sn_humanoid_guess_shape(const sn_rig_tree *tree, int32_t *of_role)
{
    const sn_rig_skeleton *s = tree->skeleton;
    shape p = {.skeleton = s, .tree = tree, .low = INFINITY, .high = -INFINITY};
    int32_t feet[2], arms[2], chest = -1;
    double positions[2][3], axis[3];
    for (int32_t j = 0; j < s->joint_count; ++j) {
        p.low = fmin(p.low, height_of(s, j));
        p.high = fmax(p.high, height_of(s, j));
    }
    if (!find_feet(&p, feet)) {
        return SN_OK;
    }
    const int32_t hips = sn_rig_common_ancestor(tree, feet[0], feet[1]);
    const int32_t legs[2] = {child_towards(s, hips, feet[0]), child_towards(s, hips, feet[1])};
    if (has_more_legs(&p, feet, legs)) {
        return SN_OK;
    }
    position_of(s, feet[0], positions[0]);
    position_of(s, feet[1], positions[1]);
    sn_subtract3(positions[0], positions[1], axis);
    axis[1] = 0;
    sn_normalize3(axis, axis);
    const sn_result result = find_arms(&p, hips, legs, axis, arms, &chest);
    if (result != SN_OK || chest < 0) {
        return result;
    }
    const int first = is_first_left(s, hips, feet, axis) ? 0 : 1; /* side of feet[0] and arms[0] */
    for (int k = 0; k < 2; ++k) {
        assign_leg(s, hips, feet[k], of_role + sn_humanoid_bone_index(k == 0 ? first : 1 - first, 0));
        assign_arm(&p, chest, arms[k], of_role + sn_humanoid_bone_index(k == 0 ? first : 1 - first, 0));
    }
    of_role[SN_HUMANOID_HIPS] = hips;
    of_role[SN_HUMANOID_HEAD] = find_head(&p, chest, arms);
    return SN_OK;
}

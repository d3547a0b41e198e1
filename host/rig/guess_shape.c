/* SPDX-License-Identifier: MIT */
/* Which bones joints are, by where they rest: upright, y up. Of chains' ends the lowest two, at about one height, are
 * feet, or toes; where their chains part are the hips. Where ways part above the hips, the two that reach farthest to
 * opposite sides, or but for those the head's, are arms. Chains of two to four joints below that are taken. Left is
 * where toes, or knees, have it: they point ahead. */
#include <math.h>
#include <string.h>

#include "host/math/vec3.h"
#include "host/rig/humanoid.h"

#define LEVEL 0.1 /* of the height: feet stand so level */
#define LONGEST_CHAIN 8

typedef struct shape {
    const sn_rig_skeleton *skeleton;
    const int32_t *depths;
    double low, high;
} shape;

static void place_of(const sn_rig_skeleton *s, int32_t joint, double place[3])
{
    for (int d = 0; d < 3; ++d) {
        place[d] = s->rest[12 * (size_t)joint + 4 * (size_t)d + 3];
    }
}

static double height_of(const sn_rig_skeleton *s, int32_t joint)
{
    return s->rest[12 * (size_t)joint + 7];
}

static bool is_end(const sn_rig_skeleton *s, int32_t joint)
{
    for (int32_t j = 0; j < s->joint_count; ++j) {
        if (s->parents[j] == joint) {
            return false;
        }
    }
    return true;
}

/* The child of `above` on the way down to `joint`. */
static int32_t child_towards(const sn_rig_skeleton *s, int32_t above, int32_t joint)
{
    while (joint >= 0 && s->parents[joint] != above) {
        joint = s->parents[joint];
    }
    return joint;
}

/* Joints from `above` (not itself) down to `joint`; 0 where they are too many. */
static int chain_to(const sn_rig_skeleton *s, int32_t above, int32_t joint, int32_t chain[LONGEST_CHAIN])
{
    int count = 0;
    for (int32_t at = joint; at != above; at = s->parents[at]) {
        if (at < 0 || count == LONGEST_CHAIN) {
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

/* The two lowest ends, of different chains. */
static bool find_feet(const shape *p, int32_t feet[2])
{
    const sn_rig_skeleton *s = p->skeleton;
    feet[0] = feet[1] = -1;
    for (int k = 0; k < 2; ++k) {
        for (int32_t j = 0; j < s->joint_count; ++j) {
            if (j != feet[0] && is_end(s, j) && (feet[k] < 0 || height_of(s, j) < height_of(s, feet[k]))) {
                feet[k] = j;
            }
        }
    }
    return feet[1] >= 0 && fabs(height_of(s, feet[0]) - height_of(s, feet[1])) < LEVEL * (p->high - p->low) &&
           sn_rig_common(s, p->depths, feet[0], feet[1]) >= 0;
}

/* Whether another chain ends about as low: of more legs than two. */
static bool stands_on_more(const shape *p, const int32_t feet[2], const int32_t legs[2])
{
    const sn_rig_skeleton *s = p->skeleton;
    for (int32_t j = 0; j < s->joint_count; ++j) {
        const bool is_leg = sn_rig_is_above(s, legs[0], j) || sn_rig_is_above(s, legs[1], j);
        if (is_end(s, j) && !is_leg && height_of(s, j) < height_of(s, feet[1]) + LEVEL * (p->high - p->low)) {
            return true;
        }
    }
    return false;
}

/* How far aside of a joint its subtree reaches along an axis, with the sign; and the end that does. */
static double reach_of(const sn_rig_skeleton *s, int32_t top, const double origin[3], const double axis[3],
                       int32_t *end)
{
    double farthest = 0;
    *end = top;
    for (int32_t j = 0; j < s->joint_count; ++j) {
        double place[3];
        place_of(s, j, place);
        sn_subtract3(place, origin, place);
        const double way = sn_dot3(place, axis);
        if ((j == top || sn_rig_is_above(s, top, j)) && fabs(way) > fabs(farthest)) {
            farthest = way;
            *end = j;
        }
    }
    return farthest;
}

/* Up the body from the hips to where ways part to both sides: there is the chest. */
static int32_t find_arms(const shape *p, int32_t hips, const int32_t legs[2], const double axis[3], int32_t arms[2])
{
    const sn_rig_skeleton *s = p->skeleton;
    for (int32_t j = 0; j < s->joint_count; ++j) {
        const bool is_body = j == hips || (sn_rig_is_above(s, hips, j) && j != legs[0] && j != legs[1] &&
                                           !sn_rig_is_above(s, legs[0], j) && !sn_rig_is_above(s, legs[1], j));
        double origin[3], farthest[2] = {0, 0};
        int32_t ends[2] = {-1, -1};
        place_of(s, j, origin);
        for (int32_t child = 0; is_body && child < s->joint_count; ++child) {
            int32_t end = -1;
            if (s->parents[child] != j || child == legs[0] || child == legs[1]) {
                continue;
            }
            const double way = reach_of(s, child, origin, axis, &end);
            const int to = way > 0 ? 0 : 1;
            if (fabs(way) > fabs(farthest[to])) {
                farthest[to] = way;
                ends[to] = end;
            }
        }
        const double least = LEVEL * (p->high - p->low);
        if (ends[0] >= 0 && ends[1] >= 0 && farthest[0] > least && farthest[1] < -least &&
            fabs(farthest[0] + farthest[1]) < least) {
            arms[0] = ends[0];
            arms[1] = ends[1];
            return j;
        }
    }
    return -1;
}

/* A chain's last joint before it spreads to fingers, at the most the end itself. */
static int32_t before_fingers(const sn_rig_skeleton *s, int32_t top, int32_t end)
{
    int32_t hand = end;
    for (int32_t at = s->parents[end]; at >= 0 && at != s->parents[top]; at = s->parents[at]) {
        int children = 0;
        for (int32_t j = 0; j < s->joint_count; ++j) {
            children += s->parents[j] == at;
        }
        hand = children > 1 ? at : hand;
    }
    return hand;
}

static void take_leg(const sn_rig_skeleton *s, int32_t hips, int32_t end, int32_t *of_side)
{
    int32_t chain[LONGEST_CHAIN];
    const int count = chain_to(s, hips, end, chain);
    for (int k = 0; (count == 3 || count == 4) && k < count; ++k) {
        of_side[SN_PART_UPPER_LEG + k] = chain[k];
    }
}

static void take_arm(const sn_rig_skeleton *s, int32_t chest, int32_t end, int32_t *of_side)
{
    int32_t chain[LONGEST_CHAIN];
    const int count = chain_to(s, chest, before_fingers(s, child_towards(s, chest, end), end), chain);
    for (int k = 0; (count == 3 || count == 4) && k < count; ++k) {
        of_side[SN_PART_SHOULDER + 4 - count + k] = chain[k];
    }
}

/* Whether end 0 of the feet is the left one. */
static bool is_first_left(const sn_rig_skeleton *s, int32_t hips, const int32_t feet[2], const double axis[3])
{
    double ahead[3] = {0}, across[3];
    const double up[3] = {0, 1, 0};
    for (int k = 0; k < 2; ++k) {
        int32_t chain[LONGEST_CHAIN];
        double toe[3], ankle[3];
        const int count = chain_to(s, hips, feet[k], chain);
        if (count == 4) { /* toes before the ankle */
            place_of(s, chain[3], toe);
            place_of(s, chain[2], ankle);
        } else if (count == 3) { /* a knee before the line from hip to foot */
            double hip[3], foot[3];
            place_of(s, chain[0], hip);
            place_of(s, chain[1], toe);
            place_of(s, chain[2], foot);
            const double at = sn_segment_nearest(toe, hip, foot);
            for (int d = 0; d < 3; ++d) {
                ankle[d] = hip[d] + at * (foot[d] - hip[d]);
            }
        } else {
            continue;
        }
        for (int d = 0; d < 3; ++d) {
            ahead[d] += toe[d] - ankle[d];
        }
    }
    sn_cross3(up, ahead, across); /* left of one who looks ahead */
    return sn_dot3(across, axis) >= 0;
}

void sn_humanoid_guess_shape(const sn_rig_skeleton *s, const int32_t *depths, int32_t *of_role)
{
    shape p = {.skeleton = s, .depths = depths, .low = INFINITY, .high = -INFINITY};
    int32_t feet[2], arms[2];
    double places[2][3], axis[3];
    for (int32_t j = 0; j < s->joint_count; ++j) {
        p.low = fmin(p.low, height_of(s, j));
        p.high = fmax(p.high, height_of(s, j));
    }
    if (!find_feet(&p, feet)) {
        return;
    }
    const int32_t hips = sn_rig_common(s, depths, feet[0], feet[1]);
    const int32_t legs[2] = {child_towards(s, hips, feet[0]), child_towards(s, hips, feet[1])};
    if (stands_on_more(&p, feet, legs)) {
        return;
    }
    place_of(s, feet[0], places[0]);
    place_of(s, feet[1], places[1]);
    sn_subtract3(places[0], places[1], axis);
    axis[1] = 0;
    sn_normalize3(axis, axis);
    const int32_t chest = find_arms(&p, hips, legs, axis, arms);
    if (chest < 0) {
        return;
    }
    const int first = is_first_left(s, hips, feet, axis) ? 0 : 1; /* the side that foot 0 and arm 0 are of */
    for (int k = 0; k < 2; ++k) {
        take_leg(s, hips, feet[k], of_role + sn_humanoid_of(k == 0 ? first : 1 - first, 0));
        take_arm(s, chest, arms[k], of_role + sn_humanoid_of(k == 0 ? first : 1 - first, 0));
    }
    of_role[SN_HUMANOID_HIPS] = hips;
    int32_t head = -1; /* the highest joint above the chest that is on neither arm; or its parent, below the chest */
    for (int32_t j = 0; j < s->joint_count; ++j) {
        const int32_t way = sn_rig_is_above(s, chest, j) ? child_towards(s, chest, j) : -1;
        const bool is_arm = way == child_towards(s, chest, arms[0]) || way == child_towards(s, chest, arms[1]);
        if (way >= 0 && !is_arm && (head < 0 || height_of(s, j) > height_of(s, head))) {
            head = j;
        }
    }
    of_role[SN_HUMANOID_HEAD] = head;
}

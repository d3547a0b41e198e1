/* SPDX-License-Identifier: MIT */
/* Inverse kinematics of DragonBones: a bone points at a target, or reaches for it together with its parent, by the law
 * of cosines. Constraints are evaluated in sequence after the bones' own transforms. A constraint that rotates a bone
 * precedes those that rotate or target its descendants; otherwise the file's order is kept. */
#include <math.h>
#include <string.h>

#include "author/io/drawing/dragonbones.h"

#define LEAST_LENGTH 1e-9 /* pixels, min. length of a direction */

static double wrap(double angle)
{
    return angle - 2 * SN_DRAGON_HALF_TURN * round(angle / (2 * SN_DRAGON_HALF_TURN));
}

/* Rotates a bone and its descendants about the bone's origin. */
static void turn(sn_dragon_bone *bones, int count, int at, double angle)
{
    double *m = bones[at].world.m;
    const double c = cos(angle), s = sin(angle);
    for (int axis = 0; axis < 2; ++axis) {
        const double x = m[2 * axis], y = m[2 * axis + 1];
        m[2 * axis] = c * x - s * y;
        m[2 * axis + 1] = s * x + c * y;
        bones[at].turn[axis] += angle;
    }
    for (int b = at; b < count; ++b) {
        bones[b].is_moved = b == at || (bones[b].parent >= at && bones[bones[b].parent].is_moved);
        if (bones[b].is_moved && b > at) {
            sn_dragon_place(&bones[b].local, &bones[bones[b].parent], &bones[b]);
        }
    }
}

static double direction(const double *from, const double *to, double *length)
{
    const double x = to[0] - from[0], y = to[1] - from[1];
    *length = hypot(x, y);
    return atan2(y, x);
}

/* Rotates the parent such that the bone's end can meet the target; if it is too far away, the chain is straight. */
static void turn_parent(const sn_dragon_reach *reach, sn_dragon_bone *bones, int count)
{
    const int parent = bones[reach->bone].parent, above = bones[parent].parent;
    const double *bone = bones[reach->bone].world.m, *root = bones[parent].world.m + 4;
    const double *upper = above >= 0 ? bones[above].world.m : NULL;
    const bool is_mirrored = upper && upper[0] * upper[3] < upper[1] * upper[2];
    const double lower_length = fabs(bones[reach->bone].length) * hypot(bone[0], bone[1]);
    double upper_length, target_length;
    const double now = direction(root, bone + 4, &upper_length);
    const double to_target = direction(root, bones[reach->target].world.m + 4, &target_length);
    if (upper_length < LEAST_LENGTH || target_length < LEAST_LENGTH) {
        return;
    }
    const double cosine = (upper_length * upper_length + target_length * target_length - lower_length * lower_length) /
                          (2 * upper_length * target_length);
    const double bend = acos(fmin(fmax(cosine, -1), 1));
    const double wanted = to_target + (reach->bends_positively != is_mirrored ? -bend : bend);
    turn(bones, count, parent, reach->weight * wrap(wanted - now));
}

void sn_dragon_reach_all(const sn_dragon_reach *reaches, int reach_count, sn_dragon_bone *bones, int bone_count)
{
    for (int i = 0; i < reach_count; ++i) {
        const sn_dragon_reach *reach = &reaches[i];
        const double *m = bones[reach->bone].world.m, before = atan2(m[1], m[0]);
        double length;
        if (reach->has_parent) {
            turn_parent(reach, bones, bone_count);
        }
        const double to_target = direction(m + 4, bones[reach->target].world.m + 4, &length);
        if (length >= LEAST_LENGTH) {
            const double wanted = before + reach->weight * wrap(to_target - before);
            turn(bones, bone_count, reach->bone, wrap(wanted - atan2(m[1], m[0])));
        }
    }
}

/* The topmost bone that the constraint rotates. */
static int root_of(const sn_dragon_reach *reach, const sn_dragon_bone *bones)
{
    return reach->has_parent ? bones[reach->bone].parent : reach->bone;
}

/* Fills ranks (bone_count), a topological order in which each bone follows its parent and its targets. Cycles are
 * broken at their first bone. */
static void place_bones(const sn_dragon_reach *reaches, int reach_count, const sn_dragon_bone *bones, int bone_count,
                        int *places, bool *is_waiting)
{
    for (int b = 0; b < bone_count; ++b) {
        places[b] = -1;
    }
    for (int placed = 0, before = -1; placed < bone_count;) {
        const bool is_stuck = placed == before;
        bool is_one_let = false;
        before = placed;
        memset(is_waiting, 0, (size_t)bone_count * sizeof *is_waiting);
        for (int i = 0; i < reach_count; ++i) {
            is_waiting[root_of(&reaches[i], bones)] |= places[reaches[i].target] < 0;
        }
        for (int b = 0; b < bone_count; ++b) {
            const bool is_let = is_waiting[b] && is_stuck && !is_one_let;
            if (places[b] < 0 && (!is_waiting[b] || is_let) && (bones[b].parent < 0 || places[bones[b].parent] >= 0)) {
                places[b] = placed++;
                is_one_let |= is_let;
            }
        }
    }
}

static sn_result order_reaches(sn_dragon_reach *reaches, int count, const sn_dragon_bone *bones, int bone_count,
                               sn_arena *arena)
{
    int *places = SN_NEW(arena, int, bone_count);
    bool *is_waiting = SN_NEW(arena, bool, bone_count);
    if (!places || !is_waiting) {
        return SN_ERROR_MEMORY;
    }
    place_bones(reaches, count, bones, bone_count, places, is_waiting);
    for (int i = 1; i < count; ++i) {
        const sn_dragon_reach moved = reaches[i];
        int at = i;
        for (; at > 0 && places[root_of(&reaches[at - 1], bones)] > places[root_of(&moved, bones)]; --at) {
            reaches[at] = reaches[at - 1];
        }
        reaches[at] = moved;
    }
    return SN_OK;
}

static sn_result read_reaches(const char *file, const json_t *armature, const sn_dragon_bone *bones, int bone_count,
                              sn_arena *arena, sn_dragon_reach **reaches, int *reach_count)
{
    const json_t *list = json_object_get(armature, "ik");
    const size_t count = json_array_size(list);
    *reaches = SN_NEW(arena, sn_dragon_reach, count);
    *reach_count = 0;
    if (!*reaches || count > SN_DRAGON_REACH_LIMIT) {
        return *reaches ? sn_fail(SN_ERROR_UNSUPPORTED, "%s: armature '%s': ik: there are more than %d constraints",
                                  file, sn_dragon_show(arena, sn_dragon_text(armature, "name")), SN_DRAGON_REACH_LIMIT)
                        : SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const json_t *json = json_array_get(list, i);
        const int bone = sn_dragon_find_bone(bones, bone_count, sn_dragon_text(json, "bone"));
        const int target = sn_dragon_find_bone(bones, bone_count, sn_dragon_text(json, "target"));
        if (bone < 0 || target < 0) {
            const char *member = bone < 0 ? "bone" : "target";
            return sn_fail(SN_ERROR_FORMAT, "%s: armature '%s': ik[%zu].%s: the bone '%s' does not exist", file,
                           sn_dragon_show(arena, sn_dragon_text(armature, "name")), i, member,
                           sn_dragon_show(arena, sn_dragon_text(json, member)));
        }
        (*reaches)[*reach_count] =
            (sn_dragon_reach){.bone = bone,
                              .target = target,
                              .has_parent = sn_dragon_number(json, "chain", 0) > 0 && bones[bone].parent >= 0,
                              .bends_positively = !json_is_false(json_object_get(json, "bendPositive")),
                              .weight = fmin(fmax(sn_dragon_number(json, "weight", 1), 0), 1)};
        ++*reach_count;
    }
    return order_reaches(*reaches, *reach_count, bones, bone_count, arena);
}

sn_result sn_dragon_skeleton_read(const char *file, const json_t *armature, sn_arena *arena, sn_dragon_skeleton *s)
{
    sn_result result = sn_dragon_bones_place(file, armature, arena, s);
    if (result == SN_OK) {
        result = read_reaches(file, armature, s->bones, s->bone_count, arena, &s->reaches, &s->reach_count);
    }
    if (result == SN_OK) {
        sn_dragon_reach_all(s->reaches, s->reach_count, s->bones, s->bone_count);
    }
    return result;
}

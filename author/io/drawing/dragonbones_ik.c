/* SPDX-License-Identifier: MIT */
/* Inverse kinematics of DragonBones: a bone points at a target, or reaches for it together with its parent, by the law
 * of cosines. Constraints are evaluated in sequence after the bones' own transforms. A constraint that rotates a bone
 * precedes those that rotate or target its descendants; otherwise the file's order is kept. */
#include <math.h>
#include <string.h>

#include "author/io/drawing/dragonbones.h"

#define MIN_LENGTH 1e-9 /* pixels, min. length of a direction */

static double wrap(double angle)
{
    return angle - 2 * SN_DRAGON_PI * round(angle / (2 * SN_DRAGON_PI));
}

/* Rotates a bone and its descendants about the bone's origin. */
static void rotation(sn_dragon_bone *bones, int count, int at, double angle)
{
    double *m = bones[at].world.m;
    const double c = cos(angle), s = sin(angle);
    for (int axis = 0; axis < 2; ++axis) {
        const double x = m[2 * axis], y = m[2 * axis + 1];
        m[2 * axis] = c * x - s * y;
        m[2 * axis + 1] = s * x + c * y;
        bones[at].rotation[axis] += angle;
    }
    for (int b = at; b < count; ++b) {
        bones[b].is_moved = b == at || (bones[b].parent >= at && bones[bones[b].parent].is_moved);
        if (bones[b].is_moved && b > at) {
            sn_dragon_update_world(&bones[b].local, &bones[bones[b].parent], &bones[b]);
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
static void rotate_parent(const sn_dragon_ik *ik, sn_dragon_bone *bones, int count)
{
    const int parent = bones[ik->bone].parent, above = bones[parent].parent;
    const double *bone = bones[ik->bone].world.m, *root = bones[parent].world.m + 4;
    const double *upper = above >= 0 ? bones[above].world.m : NULL;
    const bool is_mirrored = upper && upper[0] * upper[3] < upper[1] * upper[2];
    const double lower_length = fabs(bones[ik->bone].length) * hypot(bone[0], bone[1]);
    double upper_length, target_length;
    const double now = direction(root, bone + 4, &upper_length);
    const double to_target = direction(root, bones[ik->target].world.m + 4, &target_length);
    if (upper_length < MIN_LENGTH || target_length < MIN_LENGTH) {
        return;
    }
    const double cosine = (upper_length * upper_length + target_length * target_length - lower_length * lower_length) /
                          (2 * upper_length * target_length);
    const double bend = acos(fmin(fmax(cosine, -1), 1));
    const double target_angle = to_target + (ik->bends_positively != is_mirrored ? -bend : bend);
    rotation(bones, count, parent, ik->weight * wrap(target_angle - now));
}

void sn_dragon_apply_ik(const sn_dragon_ik *ik_list, int ik_count, sn_dragon_bone *bones, int bone_count)
{
    for (int i = 0; i < ik_count; ++i) {
        const sn_dragon_ik *ik = &ik_list[i];
        const double *m = bones[ik->bone].world.m, before = atan2(m[1], m[0]);
        double length;
        if (ik->has_parent) {
            rotate_parent(ik, bones, bone_count);
        }
        const double to_target = direction(m + 4, bones[ik->target].world.m + 4, &length);
        if (length >= MIN_LENGTH) {
            const double target_angle = before + ik->weight * wrap(to_target - before);
            rotation(bones, bone_count, ik->bone, wrap(target_angle - atan2(m[1], m[0])));
        }
    }
}

/* The topmost bone that the constraint rotates. */
static int root_of(const sn_dragon_ik *ik, const sn_dragon_bone *bones)
{
    return ik->has_parent ? bones[ik->bone].parent : ik->bone;
}

/* Fills ranks (bone_count), a topological order in which each bone follows its parent and its targets. Cycles are
 * broken at their first bone. */
static void order_bones(const sn_dragon_ik *ik_list, int ik_count, const sn_dragon_bone *bones, int bone_count,
                        int *ranks, bool *is_waiting)
{
    for (int b = 0; b < bone_count; ++b) {
        ranks[b] = -1;
    }
    for (int ordered_count = 0, before = -1; ordered_count < bone_count;) {
        const bool is_cyclic = ordered_count == before;
        bool is_any_released = false;
        before = ordered_count;
        memset(is_waiting, 0, (size_t)bone_count * sizeof *is_waiting);
        for (int i = 0; i < ik_count; ++i) {
            is_waiting[root_of(&ik_list[i], bones)] |= ranks[ik_list[i].target] < 0;
        }
        for (int b = 0; b < bone_count; ++b) {
            const bool is_released = is_waiting[b] && is_cyclic && !is_any_released;
            if (ranks[b] < 0 && (!is_waiting[b] || is_released) &&
                (bones[b].parent < 0 || ranks[bones[b].parent] >= 0)) {
                ranks[b] = ordered_count++;
                is_any_released |= is_released;
            }
        }
    }
}

static sn_result sort_ik(sn_dragon_ik *ik_list, int count, const sn_dragon_bone *bones, int bone_count, sn_arena *arena)
{
    int *ranks = SN_NEW(arena, int, bone_count);
    bool *is_waiting = SN_NEW(arena, bool, bone_count);
    if (!ranks || !is_waiting) {
        return SN_ERROR_MEMORY;
    }
    order_bones(ik_list, count, bones, bone_count, ranks, is_waiting);
    for (int i = 1; i < count; ++i) {
        const sn_dragon_ik moved = ik_list[i];
        int at = i;
        for (; at > 0 && ranks[root_of(&ik_list[at - 1], bones)] > ranks[root_of(&moved, bones)]; --at) {
            ik_list[at] = ik_list[at - 1];
        }
        ik_list[at] = moved;
    }
    return SN_OK;
}

static sn_result read_ik(const char *file, const json_t *armature, const sn_dragon_bone *bones, int bone_count,
                         sn_arena *arena, sn_dragon_ik **ik_list, int *ik_count)
{
    const json_t *list = json_object_get(armature, "ik");
    const size_t count = json_array_size(list);
    *ik_list = SN_NEW(arena, sn_dragon_ik, count);
    *ik_count = 0;
    if (!*ik_list || count > SN_DRAGON_IK_LIMIT) {
        return *ik_list
                   ? sn_fail(SN_ERROR_UNSUPPORTED, "%s: armature '%s': ik: there are more than %d constraints", file,
                             sn_dragon_printable(arena, sn_dragon_text(armature, "name")), SN_DRAGON_IK_LIMIT)
                   : SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const json_t *json = json_array_get(list, i);
        const int bone = sn_dragon_find_bone(bones, bone_count, sn_dragon_text(json, "bone"));
        const int target = sn_dragon_find_bone(bones, bone_count, sn_dragon_text(json, "target"));
        if (bone < 0 || target < 0) {
            const char *member = bone < 0 ? "bone" : "target";
            return sn_fail(SN_ERROR_FORMAT, "%s: armature '%s': ik[%zu].%s: the bone '%s' does not exist", file,
                           sn_dragon_printable(arena, sn_dragon_text(armature, "name")), i, member,
                           sn_dragon_printable(arena, sn_dragon_text(json, member)));
        }
        (*ik_list)[*ik_count] =
            (sn_dragon_ik){.bone = bone,
                           .target = target,
                           .has_parent = sn_dragon_number(json, "chain", 0) > 0 && bones[bone].parent >= 0,
                           .bends_positively = !json_is_false(json_object_get(json, "bendPositive")),
                           .weight = fmin(fmax(sn_dragon_number(json, "weight", 1), 0), 1)};
        ++*ik_count;
    }
    return sort_ik(*ik_list, *ik_count, bones, bone_count, arena);
}

sn_result sn_dragon_skeleton_read(const char *file, const json_t *armature, sn_arena *arena, sn_dragon_skeleton *s)
{
    SN_TRY(sn_dragon_read_bones(file, armature, arena, s));
    SN_TRY(read_ik(file, armature, s->bones, s->bone_count, arena, &s->ik_list, &s->ik_count));
    sn_dragon_apply_ik(s->ik_list, s->ik_count, s->bones, s->bone_count);
    return SN_OK;
}

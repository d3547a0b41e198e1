/* SPDX-License-Identifier: MIT */
/* The bones of a humanoid, by VRM 1.0's names: what joints of different skeletons have in common. */
#ifndef SN_HOST_RIG_HUMANOID_H
#define SN_HOST_RIG_HUMANOID_H

#include "host/rig/skeleton.h"

/* Of either side. */
typedef enum sn_humanoid_part {
    SN_PART_UPPER_LEG,
    SN_PART_LOWER_LEG,
    SN_PART_FOOT,
    SN_PART_TOES,
    SN_PART_SHOULDER,
    SN_PART_UPPER_ARM,
    SN_PART_LOWER_ARM,
    SN_PART_HAND,
    SN_PART_THUMB,                     /* metacarpal, proximal, distal */
    SN_PART_INDEX = SN_PART_THUMB + 3, /* proximal, intermediate, distal; so the others */
    SN_PART_MIDDLE = SN_PART_INDEX + 3,
    SN_PART_RING = SN_PART_MIDDLE + 3,
    SN_PART_LITTLE = SN_PART_RING + 3,
    SN_PART_COUNT = SN_PART_LITTLE + 3
} sn_humanoid_part;

typedef enum sn_humanoid_bone {
    SN_HUMANOID_HIPS,
    SN_HUMANOID_SPINE,
    SN_HUMANOID_CHEST,
    SN_HUMANOID_UPPER_CHEST,
    SN_HUMANOID_NECK,
    SN_HUMANOID_HEAD,
    SN_HUMANOID_LEFT_EYE,
    SN_HUMANOID_RIGHT_EYE,
    SN_HUMANOID_JAW,
    SN_HUMANOID_LEFT,
    SN_HUMANOID_RIGHT = SN_HUMANOID_LEFT + SN_PART_COUNT,
    SN_HUMANOID_COUNT = SN_HUMANOID_RIGHT + SN_PART_COUNT
} sn_humanoid_bone;

/* side: 0 left, 1 right. */
static inline int sn_humanoid_of(int side, int part)
{
    return SN_HUMANOID_LEFT + side * SN_PART_COUNT + part;
}

/* "hips", "leftUpperArm", "rightThumbMetacarpal" */
const char *sn_humanoid_name(int bone);
/* By that name; -1: none. */
int sn_humanoid_find(const char *name);
/* The bone that it hangs on, of those that there may be: of a proximal finger the hand, of the shoulder the upper
 * chest; before it in the list. Of the hips -1. */
int sn_humanoid_parent(int bone);
/* Hips, upper and lower legs, feet, upper and lower arms: what retargeting cannot do without. */
bool sn_humanoid_is_required(int bone);

/* roles (joint_count): which joint is which bone, -1: none; each bone at most once. By the joints' names (those of
 * Mixamo, Rigify, Unreal, 3ds Max's bipeds, Daz, Poser, CMU's captures, KayKit, VRM and the like), or, where these say
 * nothing, or not all that is required and nothing that differs, by the skeleton's shape, upright with y up: two chains
 * that reach lowest are legs, two that hang on the way up to the head are arms. Joints of the spine have no role but
 * hips, neck and head: they are what lies between. */
sn_result sn_humanoid_guess(const sn_rig_skeleton *skeleton, bool is_capture, sn_arena *arena, int32_t *roles);

/* The same the other way around: of_role (SN_HUMANOID_COUNT), joints or -1. What the skeleton's own roles say goes
 * before what is guessed. */
sn_result sn_humanoid_find_roles(const sn_rig_skeleton *skeleton, bool is_capture, sn_arena *arena, int32_t *of_role);
/* Names of required bones that are missing, after each other, into text; their count. */
int sn_humanoid_missing(const int32_t *of_role, char *text, size_t size);

/* The two ways; private to host/rig. of_role (SN_HUMANOID_COUNT): joints, or -1. */
sn_result sn_humanoid_guess_names(const sn_rig_tree *tree, sn_arena *arena, int32_t *of_role);
sn_result sn_humanoid_guess_shape(const sn_rig_tree *tree, int32_t *of_role);

#endif

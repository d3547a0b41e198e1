/* SPDX-License-Identifier: MIT */
/* The bones of a humanoid, by VRM 1.0's names: what joints of different skeletons have in common. */
#ifndef SN_AUTHOR_RETARGET_HUMANOID_H
#define SN_AUTHOR_RETARGET_HUMANOID_H

#include "author/retarget/skeleton.h"
#include "host/model/humanoid_bone.h"

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

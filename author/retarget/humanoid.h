/* SPDX-License-Identifier: MIT */
/* The bones of a humanoid with VRM 1.0's names, by which joints of different skeletons correspond. */
#ifndef SN_AUTHOR_RETARGET_HUMANOID_H
#define SN_AUTHOR_RETARGET_HUMANOID_H

#include "author/retarget/skeleton.h"
#include "host/model/humanoid_bone.h"

/* For example "hips", "leftUpperArm", "rightThumbMetacarpal". */
const char *sn_humanoid_name(int bone);
/* The bone with this name; -1: none. */
int sn_humanoid_find(const char *name);
/* The parent bone, with all optional bones present: the hand for a proximal finger bone, the upper chest for a
 * shoulder; -1 for the hips. It precedes the bone in the list. */
int sn_humanoid_parent(int bone);
/* Whether retargeting requires the bone: hips, upper and lower legs, feet, upper and lower arms. */
bool sn_humanoid_is_required(int bone);

/* Fills roles (joint_count): the humanoid bone of each joint or -1; each bone at most once. Names are tried first
 * (those of Mixamo, Rigify, Unreal, 3ds Max Biped, Daz, Poser, CMU captures, KayKit, VRM and others). If they do not
 * yield all required bones, the rest pose is used, upright with y up: the two lowest chains are legs, the two that
 * branch off below the head are arms. The joints of the spine have no roles except hips, neck and head. */
sn_result sn_humanoid_guess(const sn_rig_skeleton *skeleton, bool is_capture, sn_arena *arena, int32_t *roles);

/* The inverse map: of_role (SN_HUMANOID_COUNT), joint or -1. The skeleton's own roles take precedence over guesses. */
sn_result sn_humanoid_find_roles(const sn_rig_skeleton *skeleton, bool is_capture, sn_arena *arena, int32_t *of_role);
/* Writes the comma-separated names of missing required bones into text; returns their number. */
int sn_humanoid_missing(const int32_t *of_role, char *text, size_t size);

/* The two methods; private to author/retarget. of_role is (SN_HUMANOID_COUNT): joint or -1. */
sn_result sn_humanoid_guess_names(const sn_rig_tree *tree, sn_arena *arena, int32_t *of_role);
sn_result sn_humanoid_guess_shape(const sn_rig_tree *tree, int32_t *of_role);

#endif

/* SPDX-License-Identifier: MIT */
/* Bones that turn with other bones: VRMC_node_constraint 1.0. Twist bones of forearms and thighs are the usual ones;
 * without them, wrists collapse. */
#ifndef SN_AUTHOR_IMPORT_BONE_CONSTRAINTS_H
#define SN_AUTHOR_IMPORT_BONE_CONSTRAINTS_H

#include "author/import/character.h"
#include "author/import/character_bones.h"
#include "author/io/scene_pose.h"

/* Fills the constraints of a character whose bones are set. Those of nodes that are no bones, or whose source is none,
 * and those of a cycle, are left out. The pose's state is then the rest pose. Error: SN_ERROR_MEMORY. */
sn_result sn_bone_constraints_build(const sn_scene_file *scene, sn_scene_pose *pose, const sn_bone_list *bones,
                                    sn_arena *arena, sn_character *character);

/* Turns the constrained bones of a pose, and what they carry: transforms (bone_count x 12), relative to bind. */
void sn_bone_constraints_apply(const sn_character *character, double *transforms);

#endif

/* SPDX-License-Identifier: MIT */
/* A VRM's spring bones as they lie at bind: what swings, about what, and which bones go along. */
#ifndef SN_AUTHOR_IMPORT_CHARACTER_SPRINGS_H
#define SN_AUTHOR_IMPORT_CHARACTER_SPRINGS_H

#include "author/import/character.h"
#include "author/import/character_bones.h"

/* Fills links and bone_links; bones and springs are in place. Links without a length or a bone to hang on are left out.
 */
sn_result sn_character_build_links(const sn_scene_file *scene, const sn_bone_list *bones, sn_arena *arena,
                                   sn_character *character);

#endif

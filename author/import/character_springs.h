/* SPDX-License-Identifier: MIT */
/* Converts the spring bones of a VRM to the bind pose of a character. */
#ifndef SN_AUTHOR_IMPORT_CHARACTER_SPRINGS_H
#define SN_AUTHOR_IMPORT_CHARACTER_SPRINGS_H

#include "author/import/character.h"
#include "author/import/character_bones.h"

/* Fills links and bone_links; bones and springs must be set. Links of zero length and links without a bone are omitted.
 */
sn_result sn_character_build_links(const sn_scene_file *scene, const sn_bone_list *bones, sn_arena *arena,
                                   sn_character *character);

#endif

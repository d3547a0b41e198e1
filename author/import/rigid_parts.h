/* SPDX-License-Identifier: MIT */
/* Finds the parts of a character that are not flesh: eyes, glasses, swords. */
#ifndef SN_AUTHOR_IMPORT_RIGID_PARTS_H
#define SN_AUTHOR_IMPORT_RIGID_PARTS_H

#include "author/import/character.h"
#include "author/io/rig/sidecar.h"

/* Fills is_rigid and the parts' is_hidden, rigid_piece_count and piece_count. Unless the sidecar says otherwise, these
 * are rigid:
 *
 * - unskinned meshes attached to a bone of a skinned character (swords, helmets). Two or more that overlap at a hand,
 *   or at a leaf bone that moves no skin and is no head by its name, are alternatives (the weapons of a kit) and are
 *   hidden;
 * - connected pieces moved by one bone, if it is an eye's, or if they are closed and smaller than 0.15 of the
 *   character's diagonal (glasses, buttons, teeth; open ones are decals on the skin, such as blushes and toon eyes). If
 *   such pieces make up more than 0.3 of the surface, the character consists of stiff segments, and they are soft;
 * - single-bone pieces with more than half of their vertices in the box of an unskinned mesh on the same bone: a head
 *   in its helmet, which would otherwise penetrate it.
 *
 * At least one triangle stays soft; if none would, all visible parts are soft, with a warning. */
sn_result sn_character_find_rigid_parts(sn_character *character, const sn_sidecar *sidecar);

#endif

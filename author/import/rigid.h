/* SPDX-License-Identifier: MIT */
/* Which parts of a character are not flesh: eyes, glasses, swords. */
#ifndef SN_AUTHOR_IMPORT_RIGID_H
#define SN_AUTHOR_IMPORT_RIGID_H

#include "author/import/character.h"
#include "author/io/rig/sidecar.h"

/* Rigid are, unless the sidecar says otherwise:
 *  - meshes that hang unskinned on a bone of a skinned character (swords, helmets). Two or more that overlap at a hand,
 *    or at a bone that moves no skin, has no other below it and is no head by its name, are alternatives (the weapons
 * of a kit): hidden;
 *  - connected pieces that one bone alone moves, if that is an eye's, or if they are closed and smaller than .15 of the
 *    character's diagonal (glasses, buttons, teeth; open ones are drawings on the skin, as blushes and toon eyes are):
 *    unless such pieces make up .3 of the whole surface, which is then a character of stiff segments that should be
 *    flesh;
 *  - such pieces, too, if more than half of their vertices lie in the box of what hangs unskinned on the same bone: a
 *    head in its helmet, which would come through it.
 * Fills is_rigid and the parts' is_hidden, rigid_pieces, piece_count. At least one triangle stays soft: otherwise every
 * shown part is, with a warning. */
sn_result sn_character_mark_rigid(sn_character *character, const sn_sidecar *sidecar);

#endif

/* SPDX-License-Identifier: MIT */
/* Finds spring bones that clips animate, which keep their animation. */
#ifndef SN_AUTHOR_IMPORT_ANIMATED_SPRINGS_H
#define SN_AUTHOR_IMPORT_ANIMATED_SPRINGS_H

#include "author/import/character.h"

/* Fills the `clip` of the character's springs; its clips must be set. */
void sn_springs_find_animated(sn_character *character);

#endif

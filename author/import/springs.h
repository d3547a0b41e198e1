/* SPDX-License-Identifier: MIT */
/* Spring bones that clips move after all: those have a motion of their own to keep. */
#ifndef SN_AUTHOR_IMPORT_SPRINGS_H
#define SN_AUTHOR_IMPORT_SPRINGS_H

#include "author/import/character.h"

/* Fills the clips of the character's springs; its clips are in place. */
void sn_springs_find_clips(sn_character *character);

#endif

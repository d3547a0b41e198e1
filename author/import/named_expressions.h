/* SPDX-License-Identifier: MIT */
/* Expressions that a file only has as names of morph targets. */
#ifndef SN_AUTHOR_IMPORT_NAMED_EXPRESSIONS_H
#define SN_AUTHOR_IMPORT_NAMED_EXPRESSIONS_H

#include "author/import/character.h"

/* Adds an expression for each of ARKit's blend shapes and VRM's presets of mouth, lids and mood that morph targets are
 * named after, unless the character has an expression of that name. It moves all these targets, on all meshes. Names
 * are compared without case, separators and a prefix that ends with a point; L and R as last word are Left and Right.
 * The spellings of VRChat, VRoid, MikuMikuDance and Character Creator are known, too. */
sn_result sn_character_name_expressions(sn_arena *arena, sn_character *character);

#endif

/* SPDX-License-Identifier: MIT */
/* Modes of characters with loose bones. */
#ifndef SN_AUTHOR_COOK_SPRINGS_CHAIN_MODES_H
#define SN_AUTHOR_COOK_SPRINGS_CHAIN_MODES_H

#include "author/cook/cooking.h"

/* Whether chains of loose bones get modes and stiffness of their own: those of a character, where a rig holds the rest.
 * Where the stiffness of flesh is given or painted, bones that the sidecar or the file calls loose are left to the
 * eigenmodes of the loose rig, and to that stiffness; springs are not. */
bool sn_chains_are_found(const sn_cooking *cooking);

/* Fills modes, chains, and constraints of the loose rig. A tail that hangs on flesh alone bends a thousand times more
 * easily than a body's flesh shakes: it would take most modes, and what moves most sets the stiffness of all. So body
 * and face get what they get with all bones held, modes and stiffness, and the chains some modes of their own, and,
 * where none is given, a stiffness (chain_factors.h). A chain that at no stiffness is calm is held, with a warning. */
sn_result sn_chains_find_modes(sn_cooking *cooking);

#endif

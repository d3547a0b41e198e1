/* SPDX-License-Identifier: MIT */
/* Modes of characters with loose spring bones, and how stiff the flesh of these is. */
#ifndef SN_AUTHOR_COOK_SPRING_MODES_H
#define SN_AUTHOR_COOK_SPRING_MODES_H

#include "author/cook/cook.h"

bool sn_springs_are_loose(const sn_cooking *cooking);

/* Fills modes, and constraints of the loose rig. A tail that hangs on flesh alone bends a thousand times more easily
 * than a body's flesh shakes: it would take most modes, and what moves most sets the stiffness of all. So body and face
 * get what they get with the springs held, modes and stiffness, and springs some modes of their own. Then their flesh
 * is as soft as lets a trial of the whole stay below .1 of the diagonal anywhere and, all but its tips and in most
 * motions, below .06: a factor from 1e-2 to 1e5, one for all springs, into tet_stiffness, tet_lame and spring_factor;
 * where the stiffness is given, 1. Where none is stiff enough the springs are held, with a warning. Stretch is no
 * guide: of a fox's tail it is 2 to 3 from a factor of 1 to 1e4. Nor is the file's own stiffness of springs: that of
 * one avatar's, against each other, drew thin strands out to 3.5 times their length. */
sn_result sn_springs_find_modes(sn_cooking *cooking);

#endif

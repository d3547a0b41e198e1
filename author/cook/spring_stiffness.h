/* SPDX-License-Identifier: MIT */
/* How stiff the flesh of spring bones is. */
#ifndef SN_AUTHOR_COOK_SPRING_STIFFNESS_H
#define SN_AUTHOR_COOK_SPRING_STIFFNESS_H

#include "author/cook/cook.h"

/* A tail that hangs on flesh alone bends a thousand times more easily than a body's flesh shakes, and what moves most
 * sets the stiffness of all: the body would be dead. So that is chosen twice, with the loose spring bones held and with
 * them loose, and their flesh is made stiffer by the ratio, twice at most: into tet_stiffness, tet_lame and
 * spring_factors. Nothing is done where there are none, or where the stiffness is given. Not by the file's own
 * stiffness of springs: that of one avatar's, against each other, drew thin strands out to 3.5 times their length. */
sn_result sn_springs_balance(sn_cooking *cooking);

#endif

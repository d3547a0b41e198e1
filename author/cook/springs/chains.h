/* SPDX-License-Identifier: MIT */
/* Chains of loose bones: a tail, an ear, a strand of hair, each a bone that hangs on one that is not loose, and all
 * loose ones that hang on it. */
#ifndef SN_AUTHOR_COOK_SPRINGS_CHAINS_H
#define SN_AUTHOR_COOK_SPRINGS_CHAINS_H

#include "author/cook/cooking.h"

/* Lists the loose bones' chains that move flesh, factors 1, with their shares of it. */
sn_result sn_chains_find(sn_cooking *cooking);

/* Has the chains' flesh sway as if it were so many times as stiff: of a factor above 1 half, as exponents go, goes into
 * tet_stiffness and tet_lame, of which stiffness and lame (tet_count) are those without, and the other half off
 * model_mass; one below 1 is all softness. What hangs on flesh pulls at it: an avatar's buns, stiff and as heavy as her
 * head's flesh, drew her brows out to 5.8 times their length as her head turned, and to 1.7 so. And steps converge on
 * flesh that is a hundred times stiffer than what it hangs on sooner than on what is ten thousand times. By the roots,
 * below a share of a quarter, shares count as exponents. */
void sn_chains_stiffen(sn_cooking *cooking, const double *stiffness, const double *lame);

#endif

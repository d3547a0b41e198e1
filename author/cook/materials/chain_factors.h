/* SPDX-License-Identifier: MIT */
/* How stiff the flesh of each chain of loose bones is, against the body's. */
#ifndef SN_AUTHOR_COOK_MATERIALS_CHAIN_FACTORS_H
#define SN_AUTHOR_COOK_MATERIALS_CHAIN_FACTORS_H

#include "author/cook/cooking.h"

/* What the chains' flesh does while it is held: modes are those of the held rig, and the stiffness is chosen. */
sn_result sn_chains_see_held(sn_cooking *cooking);

/* Chains' factors, from 1e-2 to 1e6, into chains and sn_chains_stiffen: each as soft as lets a trial of the character
 * keep the chain's flesh below .1 of the diagonal anywhere and, all but a fiftieth of its skin and in most motions,
 * below .06, and its edges below twice their length (as all of a character is to: preset.h), or where each was with the
 * chain held, if that is more. A character without clips hops, and turns what its chains hang on by .6 to and fro
 * at 1.2 hertz, since that is what drives them. Chains are looked for at the same time, in a few runs for all. Those
 * whose stiffness is given keep 1; those that no factor makes calm are wild (is_wild). Modes and clusters are in place.
 *
 * Mirror images that shared a factor swung unlike: an avatar's buns by .06 and .02, since one hangs on more flesh. A
 * file's own stiffness of springs is no guide: that of the same avatar's, against each other, drew thin strands out to
 * 3.5 times their length. */
sn_result sn_chains_choose_factors(sn_cooking *cooking);

#endif

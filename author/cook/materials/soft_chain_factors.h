/* SPDX-License-Identifier: MIT */
/* Chooses the stiffness of each chain of soft bones, relative to the body. */
#ifndef SN_AUTHOR_COOK_MATERIALS_SOFT_CHAIN_FACTORS_H
#define SN_AUTHOR_COOK_MATERIALS_SOFT_CHAIN_FACTORS_H

#include "author/cook/cook_context.h"

/* Measures the chains' flesh with the chains fixed, which gives the bounds of the search. The modes must be those of
 * the fixed rig, and the body's stiffness must be chosen. */
sn_result sn_soft_chains_measure_fixed(sn_cook_context *cook);

/* Finds the softest factor of each chain, in [1e-2, 1e6], at which a trial keeps the flesh in bounds: displacement
 * below 0.1 of the diagonal everywhere, below 0.06 for all but 2% of its skin in most motions, and edges below 2 times
 * their length; or the values with the chain fixed, if those are larger. A character without clips is tried with a hop,
 * and its chains' parents are rotated by 0.6 rad at 1.2 Hz. All chains are searched at the same time, so a few trials
 * serve all. Stores the result in `chains` and calls sn_soft_chains_apply_factors. Chains with a user stiffness keep 1.
 * Chains that are unstable at every factor get is_unstable. Needs modes and clusters. Mirrored chains get separate
 * factors, since the flesh below them may differ. A file's spring stiffness is not used: it does not predict the
 * stretch of thin strands. */
sn_result sn_soft_chains_choose_factors(sn_cook_context *cook);

#endif

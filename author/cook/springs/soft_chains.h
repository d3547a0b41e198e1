/* SPDX-License-Identifier: MIT */
/* Chains of soft bones: a tail, an ear or a strand of hair. A chain is a soft bone whose parent is not soft, with all
 * of its soft descendants. */
#ifndef SN_AUTHOR_COOK_SPRINGS_SOFT_CHAINS_H
#define SN_AUTHOR_COOK_SPRINGS_SOFT_CHAINS_H

#include "author/cook/cook_context.h"

/* Lists the chains that move flesh, with factor 1 and their weights at the vertices. */
sn_result sn_soft_chains_find(sn_cook_context *cook);

/* Applies the chains' factors to tet_stiffness, tet_lame and model_mass. stiffness and lame (tet_count) are the values
 * at a factor of 1. A factor f > 1 multiplies the stiffness by sqrt(f) and divides the mass by sqrt(f), which scales
 * the squared frequency by f: a chain that is stiff but as heavy as before would pull at the flesh below it, and the
 * solver converges more slowly on large stiffness ratios. A factor below 1 only reduces the stiffness. Where chains
 * have at least 25% of a vertex it gets their full factor; below that, the exponent is proportional to the weight. */
void sn_soft_chains_apply_factors(sn_cook_context *cook, const double *stiffness, const double *lame);

#endif

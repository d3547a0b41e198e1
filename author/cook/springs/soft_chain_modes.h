/* SPDX-License-Identifier: MIT */
/* Computes the modes of characters with soft bones. */
#ifndef SN_AUTHOR_COOK_SPRINGS_SOFT_CHAIN_MODES_H
#define SN_AUTHOR_COOK_SPRINGS_SOFT_CHAIN_MODES_H

#include "author/cook/cook_context.h"

/* Whether chains of soft bones get their own modes and stiffness: for characters with fixed bones. If the stiffness is
 * given or painted, only spring bones do; other soft bones then use the eigenmodes and stiffness of the whole body. */
bool sn_soft_chains_are_separate(const sn_cook_context *cook);

/* Fills modes, chains and the constraint of the soft rig. The body's modes and stiffness are computed with all bones
 * fixed. Each chain then gets a few modes of its own and, if none is given, its own stiffness (soft_chain_factors.h).
 * Solved together, chains would take most of the modes, since a tail bends far more easily than a body shakes, and
 * would set the stiffness of the whole body. A chain that is unstable at every stiffness is fixed, with a warning. */
sn_result sn_soft_chains_compute_modes(sn_cook_context *cook);

#endif

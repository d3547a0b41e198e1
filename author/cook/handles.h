/* SPDX-License-Identifier: MIT */
/* Rigs of handles: points, bones and cages, of a rig file or a sidecar, and their weights. */
#ifndef SN_AUTHOR_COOK_HANDLES_H
#define SN_AUTHOR_COOK_HANDLES_H

#include "author/cook/cook.h"

/* The rig's handles, or those of the sidecar of a surface without a skeleton, become the bones; no part of the
 * character stays rigid. Nothing happens where neither has any. */
sn_result sn_handles_take(sn_cooking *cooking);

/* Fills rig_weights: the file's, or bounded biharmonic ones over the tets, or, in cages, over what is inside of these.
 */
sn_result sn_handles_weigh(sn_cooking *cooking);

#endif

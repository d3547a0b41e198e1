/* SPDX-License-Identifier: MIT */
/* Morph targets as a part of the rig: displacement fields that move the tets. */
#ifndef SN_AUTHOR_COOK_STAGES_MORPH_FIELDS_H
#define SN_AUTHOR_COOK_STAGES_MORPH_FIELDS_H

#include "author/cook/materials/stuff.h"

/* Fills morph_fields, morph_shares, morph_pairs and morph_columns. There are no fields if no flesh lies under a target,
 * or if the desc or the sidecar makes targets visual only. Needs rig_weights and mass. */
sn_result sn_cooking_feel_morphs(sn_cooking *cooking, const sn_node_places *places);

#endif

/* SPDX-License-Identifier: MIT */
/* Morph targets as a part of the rig: which fields of displacements carry the tets along. */
#ifndef SN_AUTHOR_COOK_STAGES_MORPH_FIELDS_H
#define SN_AUTHOR_COOK_STAGES_MORPH_FIELDS_H

#include "author/cook/materials/stuff.h"

/* Fills morph_fields, morph_shares, morph_pairs and morph_columns; none where no flesh lies under a target, or where
 * the desc or the sidecar says that targets are only drawn. The rig's weights and the mass are in place. */
sn_result sn_cooking_feel_morphs(sn_cooking *cooking, const sn_node_places *places);

#endif

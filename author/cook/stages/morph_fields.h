/* SPDX-License-Identifier: MIT */
/* Morph targets as a part of the rig: displacement fields that move the tets. */
#ifndef SN_AUTHOR_COOK_STAGES_MORPH_FIELDS_H
#define SN_AUTHOR_COOK_STAGES_MORPH_FIELDS_H

#include "author/cook/materials/tet_material.h"

/* Fills morph_fields, morph_field_weights, morph_pairs and morph_columns. There are no fields if no flesh lies under a
 * target, or if the desc or the sidecar makes targets visual only. Needs rig_weights and mass. */
sn_result sn_cook_context_build_morph_fields(sn_cook_context *cook, const sn_node_surface_points *surface_points);

#endif

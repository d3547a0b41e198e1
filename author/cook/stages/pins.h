/* SPDX-License-Identifier: MIT */
/* Vertices that no mode moves: those of the desc, and those of the names in the sidecar. */
#ifndef SN_AUTHOR_COOK_STAGES_PINS_H
#define SN_AUTHOR_COOK_STAGES_PINS_H

#include "author/cook/materials/tet_material.h"

/* Fills is_pinned, if any vertex is pinned, and pin_count; sets the leak to 0 there. A bone named in the sidecar pins
 * the vertices of which it, with the other named bones, has at least half of the weight. A node or material pins the
 * tets that its triangles lie in, and the flesh behind them that is closer to them than to other parts of the surface.
 * Needs rig_weights and leak. */
sn_result sn_pins_find(sn_cook_context *cook, const sn_node_surface_points *surface_points);

#endif

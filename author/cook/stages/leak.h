/* SPDX-License-Identifier: MIT */
/* The momentum leak D on the tets: 1 where flesh gets none of the rig's momentum, 0 where it may get all of it. */
#ifndef SN_AUTHOR_COOK_STAGES_LEAK_H
#define SN_AUTHOR_COOK_STAGES_LEAK_H

#include "author/cook/materials/tet_material.h"

/* Fills leak and leak_choice: the user's values, all, none, or by diffusion. The sidecar's values for materials and
 * bones override none and diffusion; painted values raise the result. The leak must be 1 everywhere before. */
sn_result sn_leak_find(sn_cook_context *cook, const sn_node_surface_points *surface_points);

#endif

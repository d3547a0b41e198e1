/* SPDX-License-Identifier: MIT */
#ifndef SN_AUTHOR_COOK_SURFACE_H
#define SN_AUTHOR_COOK_SURFACE_H

#include "author/cook/cook.h"

/* Fills the model's surface. mode_weights (vertex_count x mode_count) are those of the tet mesh. In this version it is
 * the boundary of the tet mesh: its vertices in ascending order, one part, one plain material. */
sn_result sn_cooking_add_surface(sn_cooking *cooking, const double *mode_weights, sn_model *model);

#endif

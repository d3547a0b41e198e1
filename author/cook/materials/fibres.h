/* SPDX-License-Identifier: MIT */
/* Fibre frames of a layered body: along the user's curves, or along its bones. */
#ifndef SN_AUTHOR_COOK_MATERIALS_FIBRES_H
#define SN_AUTHOR_COOK_MATERIALS_FIBRES_H

#include "author/cook/colliders/bone_lines.h"

/* Allocates frames (tet_count x 9) in the arena: row-major rotations with the axes in columns. Errors:
 * SN_ERROR_ARGUMENT if a curve is farther from the body than 0.1 of the diagonal. */
sn_result sn_fibres_build(sn_cook_context *cook, const sn_bone_lines *lines, double **frames);

#endif

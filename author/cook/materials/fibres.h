/* SPDX-License-Identifier: MIT */
/* The frames of a layered body: along curves of the user, or along its bones. */
#ifndef SN_AUTHOR_COOK_MATERIALS_FIBRES_H
#define SN_AUTHOR_COOK_MATERIALS_FIBRES_H

#include "author/cook/colliders/bone_lines.h"

/* frames (tet_count x 9), from the arena: rotations, row-major, axes by columns. Errors: SN_ERROR_ARGUMENT where a
 * curve is farther from the body than a tenth of its diagonal. */
sn_result sn_fibres_build(sn_cooking *cooking, const sn_bone_lines *lines, double **frames);

#endif

/* SPDX-License-Identifier: MIT */
/* Detects sidecar names that match nothing, most likely because they are misspelt. */
#ifndef SN_AUTHOR_COOK_STAGES_SIDECAR_NAMES_H
#define SN_AUTHOR_COOK_STAGES_SIDECAR_NAMES_H

#include "author/cook/cook_context.h"

/* Warns about each. Errors: SN_ERROR_ARGUMENT if the mesh is a tet mesh with named groups and a material's name is none
 * of a group that has tets. Needs the bones. */
sn_result sn_sidecar_check_names(const sn_cook_context *cook);

#endif

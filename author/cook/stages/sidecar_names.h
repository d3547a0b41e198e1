/* SPDX-License-Identifier: MIT */
/* Names in a sidecar that match nothing: they are most likely misspelt. */
#ifndef SN_AUTHOR_COOK_STAGES_SIDECAR_NAMES_H
#define SN_AUTHOR_COOK_STAGES_SIDECAR_NAMES_H

#include "author/cook/cooking.h"

/* A warning for each; SN_ERROR_ARGUMENT for one among the materials where a tet mesh alone has groups, of which none
 * with tets is called so. The bones are there. */
sn_result sn_sidecar_check_names(const sn_cooking *cooking);

#endif

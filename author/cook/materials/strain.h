/* SPDX-License-Identifier: MIT */
/* The parts of a model that only layered bodies have: bone-attached vertices, strain stiffness, fibre frames. */
#ifndef SN_AUTHOR_COOK_MATERIALS_STRAIN_H
#define SN_AUTHOR_COOK_MATERIALS_STRAIN_H

#include "author/cook/cook_context.h"

/* Fills strain_type and the strain arrays. The model's bones, pivots and materials must be in place. */
sn_result sn_strain_add(sn_cook_context *cook, sn_model *model);

#endif

/* SPDX-License-Identifier: MIT */
/* What a model for layered bodies has besides others: the vertices that bones carry, stiffnesses of strain, frames. */
#ifndef SN_AUTHOR_COOK_MATERIALS_STRAIN_H
#define SN_AUTHOR_COOK_MATERIALS_STRAIN_H

#include "author/cook/cooking.h"

/* Fills strain_kind and the arrays of strain. Bones, pivots and stuff of the model are in place. */
sn_result sn_strain_add(sn_cooking *cooking, sn_model *model);

#endif

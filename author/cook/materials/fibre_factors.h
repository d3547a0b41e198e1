/* SPDX-License-Identifier: MIT */
/* How much stiffer a tet of a layered body is along its three axes, and between them. */
#ifndef SN_AUTHOR_COOK_MATERIALS_FIBRE_FACTORS_H
#define SN_AUTHOR_COOK_MATERIALS_FIBRE_FACTORS_H

#include "author/cook/materials/stuff.h"

/* Whether anything is not 1: of the fibres, a material's or a bone's. */
bool sn_fibre_factors_are_said(const sn_cooking *cooking);

/* Fills fibre_factors where anything is said that concerns a tet: the fibres' own, times those of a tet's material and
 * bones, as other stuff (stuff.h). Errors: those of sn_given_fibres_check. */
sn_result sn_fibre_factors_weigh(sn_cooking *cooking, const sn_node_places *places);

#endif

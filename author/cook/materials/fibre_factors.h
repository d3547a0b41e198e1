/* SPDX-License-Identifier: MIT */
/* Stiffness factors of a layered body's tets along the three fibre axes (stretch) and between them (shear). */
#ifndef SN_AUTHOR_COOK_MATERIALS_FIBRE_FACTORS_H
#define SN_AUTHOR_COOK_MATERIALS_FIBRE_FACTORS_H

#include "author/cook/materials/tet_material.h"

/* Whether the fibres, a material or a bone set any factor other than 1. */
bool sn_fibre_factors_are_set(const sn_cook_context *cook);

/* Fills fibre_factors if any tet has a factor other than 1: the fibres' factors times those of the tet's material and
 * bones, combined as in tet_material.h. Errors: those of sn_input_fibres_check. */
sn_result sn_fibre_factors_build(sn_cook_context *cook, const sn_node_surface_points *surface_points);

#endif

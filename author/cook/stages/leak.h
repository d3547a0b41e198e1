/* SPDX-License-Identifier: MIT */
/* The momentum leak D on the tets: 1 where flesh carries none of the rig's momentum, 0 where it may carry all. */
#ifndef SN_AUTHOR_COOK_STAGES_LEAK_H
#define SN_AUTHOR_COOK_STAGES_LEAK_H

#include "author/cook/materials/stuff.h"

/* Fills leak and leak_choice: given values; all or none; or by diffusion. None and diffusion hold where the sidecar
 * says nothing else of a material or bone; what is painted raises them. The leak is 1 everywhere before. */
sn_result sn_leak_find(sn_cooking *cooking, const sn_node_places *places);

#endif

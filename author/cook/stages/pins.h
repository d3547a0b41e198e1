/* SPDX-License-Identifier: MIT */
/* Vertices that no mode moves: the desc's, and those of what the sidecar names. */
#ifndef SN_AUTHOR_COOK_STAGES_PINS_H
#define SN_AUTHOR_COOK_STAGES_PINS_H

#include "author/cook/materials/stuff.h"

/* Fills is_pinned, where anything is, and pin_count; the leak becomes 0 there. Of the sidecar's names, a bone pins what
 * it moves by half or more (with the other bones that are named), a node or material the tets that its triangles lie
 * in, and the flesh behind these that is nearer to them than to other surface. The rig's weights and the leak are in
 * place. */
sn_result sn_pins_find(sn_cooking *cooking, const sn_node_places *places);

#endif

/* SPDX-License-Identifier: MIT */
/* Connects the components that are still separate after the fragments were joined. */
#ifndef SN_AUTHOR_MESHER_CONNECT_H
#define SN_AUTHOR_MESHER_CONNECT_H

#include "author/mesher/fragments.h"

/* Joins components that touch, in ascending order of how far they move against each other. */
sn_result sn_connect_contacts(sn_fragments *fragments);

/* Joins components that touch nothing by a bar of new tets across each gap. Appends fragments without elements and,
 * where needed, cells. Adds to *bridge_count. */
sn_result sn_connect_bridges(sn_fragments *fragments, sn_arena *arena, int *bridge_count);

#endif

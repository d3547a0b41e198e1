/* SPDX-License-Identifier: MIT */
/* What is still apart after the fragments were joined becomes one piece. */
#ifndef SN_AUTHOR_MESHER_CONNECT_H
#define SN_AUTHOR_MESHER_CONNECT_H

#include "author/mesher/fragments.h"

/* Joins components where they touch, those first that move least against each other. */
sn_result sn_connect_contacts(sn_fragments *fragments);

/* Joins what touches nothing: a bar of new tets for each gap. Appends fragments, which hold no element, and perhaps
 * cells. Adds to *bridge_count. */
sn_result sn_connect_bridges(sn_fragments *fragments, sn_arena *arena, int *bridge_count);

#endif

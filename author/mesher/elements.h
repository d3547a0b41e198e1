/* SPDX-License-Identifier: MIT */
/* The first half of sn_fragments_build: cells, elements, and the positions of elements in the test poses. */
#ifndef SN_AUTHOR_MESHER_ELEMENTS_H
#define SN_AUTHOR_MESHER_ELEMENTS_H

#include "author/mesher/fragments.h"

sn_result sn_elements_build(sn_fragments *fragments, const sn_inside *inside, sn_arena *arena);

/* Computes where an element's center is in each pose if it is transformed with the skinning of its piece. */
void sn_elements_transform(const sn_fragments *fragments, const sn_motion *motion, int32_t element, float *moved);

#endif

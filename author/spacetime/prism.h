/* SPDX-License-Identifier: MIT */
/* The paper's STRETCH and TWIST: a prism of cells cut into six tets each, whose ends are held. */
#ifndef SN_AUTHOR_SPACETIME_PRISM_H
#define SN_AUTHOR_SPACETIME_PRISM_H

#include "author/spacetime/spacetime.h"

typedef enum sn_spacetime_prism { SN_SPACETIME_STRETCH, SN_SPACETIME_TWIST } sn_spacetime_prism;

/* 1.6 x 3 x 1 on the ground; fineness 1 has the paper's 8 x 10 x 5 cells, 594 vertices and 2400 tets, others as many
 * times that along each side. All of it lives in the arena. */
sn_result sn_spacetime_prism_build(sn_spacetime_prism which, double fineness, sn_arena *arena,
                                   sn_spacetime_input *input);

#endif

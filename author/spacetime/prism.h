/* SPDX-License-Identifier: MIT */
/* The paper's STRETCH and TWIST scenes: a prism of cells, each split into six tets, with fixed ends. */
#ifndef SN_AUTHOR_SPACETIME_PRISM_H
#define SN_AUTHOR_SPACETIME_PRISM_H

#include "author/spacetime/spacetime.h"

typedef enum sn_spacetime_prism { SN_SPACETIME_STRETCH, SN_SPACETIME_TWIST } sn_spacetime_prism;

/* Builds a prism of 1.6 x 3 x 1 on the ground. Fineness 1 gives the paper's 8 x 10 x 5 cells with 594 vertices and 2400
 * tets; it scales the number of cells along each axis. Everything is allocated in the arena. */
sn_result sn_spacetime_prism_build(sn_spacetime_prism scene, double fineness, sn_arena *arena,
                                   sn_spacetime_input *input);

#endif

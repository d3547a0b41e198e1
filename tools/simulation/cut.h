/* SPDX-License-Identifier: MIT */
/* Where a clip that jumps begins again, as in the window (runtime/session/loop.h): reduced flesh is moved along, or put
 * at rest, and does not feel the jump. */
#ifndef SN_TOOLS_SIMULATION_CUT_H
#define SN_TOOLS_SIMULATION_CUT_H

#include "tools/simulation/simulation.h"

/* Whether the clip begins again with this step, and jumps. */
bool sn_cut_is_due(const sn_simulation *simulation, int frame);
/* Before the step: of the simulation's own body, whose next pose and morph weights are set. */
void sn_cut_take(sn_simulation *simulation);
/* The way of SN_LOOP_TELEPORT, 3 x 4. */
void sn_cut_jump(const sn_loop *loop, double jump[12]);

#endif

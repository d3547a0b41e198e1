/* SPDX-License-Identifier: MIT */
/* Handles the jump of a clip that wraps around, as the window does (runtime/session/loop.h): reduced flesh is moved
 * with the rig or put at rest, so that the jump causes no motion. */
#ifndef SN_TOOLS_SIMULATION_LOOP_JUMP_H
#define SN_TOOLS_SIMULATION_LOOP_JUMP_H

#include "tools/simulation/simulation.h"

/* Returns true if the clip wraps around in this step with a jump. */
bool sn_loop_jump_is_due(const sn_simulation *simulation, int frame);
/* Applies the jump to the simulation's body; call it before the step, when the next pose and morph weights are set. */
void sn_loop_jump_apply(sn_simulation *simulation);
/* The displacement of SN_LOOP_TELEPORT as a 3 x 4 transform. */
void sn_loop_jump_transform(const sn_loop *loop, double jump[12]);

#endif

/* SPDX-License-Identifier: MIT */
/* The option --floor auto|none|Y of sim and bake. */
#ifndef SN_TOOLS_SIMULATION_FLOOR_H
#define SN_TOOLS_SIMULATION_FLOOR_H

#include "tools/simulation/simulation.h"

#define SN_FLOOR_HELP "height of the floor in input units; auto: the rig's lowest point [auto]"

/* Checks the option's value; null means auto. Returns SN_CONTINUE, or an exit code after one line on stderr. */
int sn_check_floor(const char *option);

/* Adds the requested floor. For auto, if allow_auto, it is the lowest point of the surface under the rig alone within
 * `frames` steps. *height is in model units; -INFINITY: no floor. */
sn_result sn_floor_add(const char *option, const char *model_path, bool allow_auto, int frames,
                       sn_simulation *simulation, double *height);

#endif

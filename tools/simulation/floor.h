/* SPDX-License-Identifier: MIT */
/* --floor auto|none|Y: what sim and bake share. */
#ifndef SN_TOOLS_SIMULATION_FLOOR_H
#define SN_TOOLS_SIMULATION_FLOOR_H

#include "tools/simulation/simulation.h"

#define SN_FLOOR_HELP "flesh stays above height Y, in IN's units; auto: the rig's lowest point, where the model stands"

/* SN_CONTINUE, or an exit code after one line on stderr. said may be null: auto. */
int sn_check_floor(const char *said);

/* Lays the floor that is asked for under the simulation: what is said, or where the model stands the lowest point of
 * the surface under the rig alone within `frames` steps. *height is in model units; -INFINITY: there is none. */
sn_result sn_floor_lay(const char *said, const char *model_path, bool can_stand, int frames, sn_simulation *simulation,
                       double *height);

#endif

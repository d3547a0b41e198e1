/* SPDX-License-Identifier: MIT */
/* sinew sim --replay: a recording stepped again and compared, without a window. */
#ifndef SN_TOOLS_SIM_REPLAY_H
#define SN_TOOLS_SIM_REPLAY_H

#include "tools/sim/arguments.h"

/* An exit code: 1 also where a step is not what was recorded. */
int sn_sim_replay(const sn_sim_arguments *arguments);

#endif

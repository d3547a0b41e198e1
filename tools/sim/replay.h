/* SPDX-License-Identifier: MIT */
/* sinew sim --replay: steps a recording again and compares the results, without a window. */
#ifndef SN_TOOLS_SIM_REPLAY_H
#define SN_TOOLS_SIM_REPLAY_H

#include "tools/sim/arguments.h"

/* Returns an exit code: 1 also if a step differs from the recording. */
int sn_sim_replay(const sn_sim_arguments *arguments);

#endif

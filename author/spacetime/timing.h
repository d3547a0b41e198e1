/* SPDX-License-Identifier: MIT */
/* When the keys come (the paper's 3.4): durations of the intervals for the shapes and velocities as they are. */
#ifndef SN_AUTHOR_SPACETIME_TIMING_H
#define SN_AUTHOR_SPACETIME_TIMING_H

#include "author/spacetime/residual.h"

/* One step of Newton's on the durations, by desc->timing; evaluates at the new ones and returns in *objective, which
 * was there before and is not higher then. *change: the largest relative one of a duration. SN_ERROR_MEMORY. */
sn_result sn_spacetime_retime(sn_spacetime_problem *problem, double *objective, double *change);

#endif

/* SPDX-License-Identifier: MIT */
/* Optimisation of the intervals' durations for fixed shapes and velocities (the paper's 3.4). */
#ifndef SN_AUTHOR_SPACETIME_TIMING_H
#define SN_AUTHOR_SPACETIME_TIMING_H

#include "author/spacetime/residual.h"

/* Performs one Newton step on the durations, as desc->timing allows, and evaluates the problem. *objective contains the
 * current objective and receives the new one, which is not higher. *change: the largest relative change of a duration.
 * SN_ERROR_MEMORY. */
sn_result sn_spacetime_retime(sn_spacetime_problem *problem, double *objective, double *change);

#endif

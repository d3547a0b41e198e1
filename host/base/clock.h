/* SPDX-License-Identifier: MIT */
/* Time for reports, never for results. */
#ifndef SN_HOST_BASE_CLOCK_H
#define SN_HOST_BASE_CLOCK_H

/* Seconds of a clock that only runs forward. */
double sn_now(void);

#endif

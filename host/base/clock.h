/* SPDX-License-Identifier: MIT */
/* Time for reports; results must not depend on it. */
#ifndef SN_HOST_BASE_CLOCK_H
#define SN_HOST_BASE_CLOCK_H

/* Seconds of a monotonic clock. */
double sn_now(void);

#endif

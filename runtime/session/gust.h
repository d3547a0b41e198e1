/* SPDX-License-Identifier: MIT */
/* Wind that comes and goes. */
#ifndef SN_RUNTIME_SESSION_GUST_H
#define SN_RUNTIME_SESSION_GUST_H

/* The share of a wind's speed at a time, .2 to 1.8, 1 on average: three waves whose periods do not meet. */
double sn_gust(double seconds);

#endif

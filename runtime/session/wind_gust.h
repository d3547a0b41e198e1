/* SPDX-License-Identifier: MIT */
/* Gusts: how the wind speed varies over time. */
#ifndef SN_RUNTIME_SESSION_WIND_GUST_H
#define SN_RUNTIME_SESSION_WIND_GUST_H

/* Factor on the wind speed at a time in seconds: 0.2 to 1.8, 1 on average. A sum of three sine waves of incommensurable
 * periods. */
double sn_wind_gust(double seconds);

#endif

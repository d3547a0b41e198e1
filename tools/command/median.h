/* SPDX-License-Identifier: MIT */
#ifndef SN_TOOLS_COMMAND_MEDIAN_H
#define SN_TOOLS_COMMAND_MEDIAN_H

/* Of at least one value; sorts them. */
double sn_median(double *values, int count);

#endif

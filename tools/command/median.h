/* SPDX-License-Identifier: MIT */
#ifndef SN_TOOLS_COMMAND_MEDIAN_H
#define SN_TOOLS_COMMAND_MEDIAN_H

/* Returns the median, 0 without values; sorts the array in place. */
double sn_median(double *values, int count);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef SN_TOOLS_COMMAND_PEAK_MEMORY_H
#define SN_TOOLS_COMMAND_PEAK_MEMORY_H

/* Peak memory use of this process, in MB of 2^20 bytes. */
double sn_peak_memory_mb(void);

#endif

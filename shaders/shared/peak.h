/* SPDX-License-Identifier: MIT */
/* Constants shared by compute/core/peak.c and its kernels. */
#ifndef SN_SHADERS_SHARED_PEAK_H
#define SN_SHADERS_SHARED_PEAK_H

#define SN_PEAK_GROUP_SIZE 256
#define SN_PEAK_CHAINS 16 /* four vec4 */
#define SN_PEAK_ROUNDS 512

#endif

/* SPDX-License-Identifier: MIT */
/* Small matrices and vectors in float: the one header through which cglm enters. Column vectors, column-major,
 * right-handed, depth 0 .. 1. cglm's mat4 wants an alignment of 16 or 32 bytes: in structs that cross files, store
 * plain float[16] and copy. */
#ifndef SN_HOST_MATH_LINEAR_H
#define SN_HOST_MATH_LINEAR_H

#define CGLM_FORCE_DEPTH_ZERO_TO_ONE
#include <cglm/cglm.h>

#endif

/* SPDX-License-Identifier: MIT */
/* Small matrices and vectors in float; the only header that includes cglm. Column vectors, column-major, right-handed,
 * depth 0 .. 1. cglm's mat4 requires an alignment of 16 or 32 bytes: in structs shared between files, store plain
 * float[16] and copy. */
#ifndef SN_HOST_MATH_LINEAR_H
#define SN_HOST_MATH_LINEAR_H

#define CGLM_FORCE_DEPTH_ZERO_TO_ONE
#include <cglm/cglm.h>

#endif

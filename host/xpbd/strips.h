/* SPDX-License-Identifier: MIT */
/* Elements one after the other, each with all corners of the one before but one: who sweeps them in that order keeps
 * those corners at hand. */
#ifndef SN_HOST_XPBD_STRIPS_H
#define SN_HOST_XPBD_STRIPS_H

#include "host/base/base.h"

#define SN_STRIP_LENGTH 6 /* at most; longer ones find fewer beside them and save little */

/* corners (count x corner_count): vertices, which are permuted within each element, so that element i of a strip
 * differs from the one before at corner (i - 1) mod corner_count alone. order (count): elements, strip after strip,
 * beginning with the first that is in none; lengths (count): of the strip that an element of `order` begins, or 0. */
sn_result sn_strips_find(int count, int corner_count, int vertex_count, int32_t *corners, int32_t *order,
                         int32_t *lengths);

#endif

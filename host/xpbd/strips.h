/* SPDX-License-Identifier: MIT */
/* Strips: sequences of elements, each of which shares all corners but one with the previous one. A sweep in that order
 * keeps the shared corners in registers. */
#ifndef SN_HOST_XPBD_STRIPS_H
#define SN_HOST_XPBD_STRIPS_H

#include "host/base/base.h"

#define SN_STRIP_LENGTH 6 /* maximal length; longer strips pack worse and save little */

/* corners (count x corner_count): vertices, permuted in place within each element so that element i of a strip differs
 * from the previous one only at corner (i - 1) mod corner_count. order (count): elements, strip after strip, each
 * starting with the first element not yet in a strip. lengths (count): length of the strip that starts at this position
 * of `order`, or 0. */
sn_result sn_strips_find(int count, int corner_count, int vertex_count, int32_t *corners, int32_t *order,
                         int32_t *lengths);

#endif

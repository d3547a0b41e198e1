/* SPDX-License-Identifier: MIT */
/* Bounding box of a body. */
#ifndef SN_RUNTIME_CAMERA_BODY_BOX_H
#define SN_RUNTIME_CAMERA_BODY_BOX_H

#include "host/base/arena.h"
#include "sinew/world.h"

/* Grows the box to include a body's skin in its current pose. The arena provides scratch memory. Errors:
 * SN_ERROR_MEMORY. */
sn_result sn_body_box_add(sn_body_id body, sn_arena *arena, double low[3], double high[3]);

#endif

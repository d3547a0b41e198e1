/* SPDX-License-Identifier: MIT */
/* How much room a body takes. */
#ifndef SN_RUNTIME_CAMERA_BODY_BOX_H
#define SN_RUNTIME_CAMERA_BODY_BOX_H

#include "host/base/arena.h"
#include "sinew/world.h"

/* Grows the box by the skin of a body as its bones have it now. SN_ERROR_MEMORY of the arena, which is scratch. */
sn_result sn_body_box_add(sn_body_id body, sn_arena *arena, double low[3], double high[3]);

#endif

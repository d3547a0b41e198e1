/* SPDX-License-Identifier: MIT */
/* Drawing a body of a world: on threads, from its matrices, or its embedding's; on the device, from where these lie,
 * without a copy. */
#ifndef SN_RUNTIME_VIEW_DRAW_BODY_H
#define SN_RUNTIME_VIEW_DRAW_BODY_H

#include "runtime/render/renderer.h"
#include "sinew/world.h"

/* drawn: with its model. All bodies on the device of a scene are of one world. Bones of coupled ones are read back
 * where the model blends; else their pose tells what is turned round. */
void sn_draw_body(sn_body_id body, sn_render_body *drawn, sn_render_scene *scene);

#endif

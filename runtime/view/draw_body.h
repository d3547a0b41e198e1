/* SPDX-License-Identifier: MIT */
/* Drawing a body of a world. CPU bodies are drawn from their matrices or their embedding's; GPU bodies from their
 * device buffers, without a copy. */
#ifndef SN_RUNTIME_VIEW_DRAW_BODY_H
#define SN_RUNTIME_VIEW_DRAW_BODY_H

#include "runtime/render/renderer.h"
#include "sinew/world.h"

/* Fills `drawn`, whose model is already set. All GPU bodies of a scene must belong to one world. The bones of coupled
 * bodies are read back if the model blends; else their input pose decides which triangles are mirrored. */
void sn_draw_body(sn_body_id body, sn_render_body *drawn, sn_render_scene *scene);

#endif

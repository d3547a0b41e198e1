/* SPDX-License-Identifier: MIT */
/* Drawing a body of a world that steps on the device: from where its matrices lie, without a copy. */
#ifndef SN_RUNTIME_APP_DEVICE_BODY_H
#define SN_RUNTIME_APP_DEVICE_BODY_H

#include "runtime/render/renderer.h"
#include "sinew/world.h"

/* drawn: with its model. All such bodies of a scene are of one world. */
void sn_draw_device_body(sn_body_id body, sn_render_body *drawn, sn_render_scene *scene);

#endif

/* SPDX-License-Identifier: MIT */
/* Draws a scene of scenes/: bodies, colliders, camera and light. */
#ifndef SN_RUNTIME_VIEW_SCENE_VIEW_H
#define SN_RUNTIME_VIEW_SCENE_VIEW_H

#include "runtime/camera/orbit.h"
#include "scenes/script/scene.h"

typedef struct sn_scene_view sn_scene_view;

/* `name` is for messages. The scene must outlive its view. Errors: SN_ERROR_UNSUPPORTED (a body has no surface). */
sn_result sn_scene_view_create(sn_scene *scene, const char *name, sn_scene_view **view);
/* Matrices per frame, for sn_renderer_desc.matrix_limit. */
int sn_scene_view_matrix_count(const sn_scene_view *view);
/* Uploads the render models; the renderer must outlive the view. */
sn_result sn_scene_view_upload(sn_scene_view *view, sn_renderer *renderer);
/* Call before each frame, and before a body's previous model is freed: handles bodies whose rig was replaced. */
sn_result sn_scene_view_update(sn_scene_view *view);
/* Accepts null. */
void sn_scene_view_destroy(sn_scene_view **view);

/* Camera, light and ground for the script's camera, or for one that frames all bodies in their initial pose. */
const sn_stage *sn_scene_view_stage(const sn_scene_view *view);
sn_orbit sn_scene_view_orbit(const sn_scene_view *view);

/* Fills the current scene; valid until the scene advances. */
void sn_scene_view_fill(sn_scene_view *view, const sn_orbit *orbit, double widening, sn_render_scene *scene);

#endif

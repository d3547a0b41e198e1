/* SPDX-License-Identifier: MIT */
/* A scene of scenes/ as the renderer has it: what is drawn of its bodies and colliders, a camera and a light. */
#ifndef SN_RUNTIME_VIEW_SCENE_VIEW_H
#define SN_RUNTIME_VIEW_SCENE_VIEW_H

#include "runtime/camera/orbit.h"
#include "scenes/script/scene.h"

typedef struct sn_scene_view sn_scene_view;

/* `name` is for messages. The scene must outlive its view. SN_ERROR_UNSUPPORTED where a body has no surface. */
sn_result sn_scene_view_create(sn_scene *scene, const char *name, sn_scene_view **view);
/* Transforms of a frame, for the renderer's desc. */
int sn_scene_view_matrix_count(const sn_scene_view *view);
/* Uploads what is drawn; the renderer must outlive it. */
sn_result sn_scene_view_upload(sn_scene_view *view, sn_renderer *renderer);
/* Before a frame, and before a model that a body had goes: bodies may have other rigs than at the last one. */
sn_result sn_scene_view_update(sn_scene_view *view);
/* Accepts null. */
void sn_scene_view_destroy(sn_scene_view **view);

/* Camera, light and ground, as seen from the script's camera, or one that sees all bodies where they begin. */
const sn_stage *sn_scene_view_stage(const sn_scene_view *view);
sn_orbit sn_scene_view_orbit(const sn_scene_view *view);

/* The scene as it is now; valid until it moves on. */
void sn_scene_view_fill(sn_scene_view *view, const sn_orbit *orbit, double widening, sn_render_scene *scene);

#endif

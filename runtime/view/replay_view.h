/* SPDX-License-Identifier: MIT */
/* Draws the world of a replay: bodies, and colliders that are spheres, capsules or boxes. The first horizontal plane is
 * the ground. The camera starts as for a scene and follows bodies that move away. */
#ifndef SN_RUNTIME_VIEW_REPLAY_VIEW_H
#define SN_RUNTIME_VIEW_REPLAY_VIEW_H

#include "runtime/camera/orbit.h"
#include "sinew/record.h"

typedef struct sn_replay_view sn_replay_view;

/* `replay` must have stepped. Replay and renderer must outlive the view. Errors: SN_ERROR_UNSUPPORTED (no body with a
 * surface). */
sn_result sn_replay_view_create(const sn_replay *replay, sn_renderer *renderer, sn_replay_view **view);
/* Accepts null. */
void sn_replay_view_destroy(sn_replay_view **view);

/* Call after steps: uploads new bodies and colliders, moves the camera. */
sn_result sn_replay_view_update(sn_replay_view *view);
const sn_stage *sn_replay_view_stage(const sn_replay_view *view);
sn_orbit sn_replay_view_orbit(const sn_replay_view *view);
/* The scene refers to memory of the view that is valid until the next update. */
void sn_replay_view_fill(sn_replay_view *view, const sn_orbit *orbit, double widening, sn_render_scene *scene);

#endif

/* SPDX-License-Identifier: MIT */
/* What a replay's world holds, drawn: bodies, and colliders that are spheres, capsules and boxes; of planes that lie
 * flat, the first is the ground. The camera begins as a scene's does, and comes along where bodies leave. */
#ifndef SN_RUNTIME_VIEW_REPLAY_VIEW_H
#define SN_RUNTIME_VIEW_REPLAY_VIEW_H

#include "runtime/camera/orbit.h"
#include "sinew/record.h"

typedef struct sn_replay_view sn_replay_view;

/* Of a replay that has stepped. Both must outlive it. Errors: SN_ERROR_UNSUPPORTED (no body with a surface). */
sn_result sn_replay_view_create(const sn_replay *replay, sn_renderer *renderer, sn_replay_view **view);
/* Accepts null; nulls the pointer. */
void sn_replay_view_destroy(sn_replay_view **view);

/* After steps: what is new there. */
sn_result sn_replay_view_update(sn_replay_view *view);
const sn_stage *sn_replay_view_stage(const sn_replay_view *view);
sn_orbit sn_replay_view_orbit(const sn_replay_view *view);
/* Borrows from the view until the next update. */
void sn_replay_view_fill(sn_replay_view *view, const sn_orbit *orbit, double widening, sn_render_scene *scene);

#endif

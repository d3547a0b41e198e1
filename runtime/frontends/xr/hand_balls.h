/* SPDX-License-Identifier: MIT */
/* Draws hands as the spheres that push flesh. */
#ifndef SN_RUNTIME_FRONTENDS_XR_HAND_BALLS_H
#define SN_RUNTIME_FRONTENDS_XR_HAND_BALLS_H

#include "host/base/arena.h"
#include "runtime/frontends/xr/hands.h"

typedef struct sn_hand_balls {
    sn_arena arena;
    sn_renderer *renderer;
    sn_render_model *model;
    sn_mat3x4 transforms[SN_XR_HAND_COUNT];
    sn_render_body *bodies; /* (capacity) the scene's bodies, then the spheres */
    int capacity;
} sn_hand_balls;

/* The renderer must outlive the balls. */
sn_result sn_hand_balls_init(sn_hand_balls *balls, sn_renderer *renderer, double metres_per_unit);
/* Accepts a zeroed struct. */
void sn_hand_balls_finish(sn_hand_balls *balls);
/* Adds the spheres of tracked hands to the scene, which is valid until the next call. Allocates if the scene has more
 * bodies than any before. */
sn_result sn_hand_balls_draw(sn_hand_balls *balls, const sn_xr_hand hands[SN_XR_HAND_COUNT], sn_render_scene *scene);

#endif

/* SPDX-License-Identifier: MIT */
/* Two hands in a world: each is a ball that pushes flesh. A hand that closes grabs the flesh that it touches or points
 * at. Independent of OpenXR: the caller supplies the hand poses. */
#ifndef SN_RUNTIME_FRONTENDS_XR_HANDS_H
#define SN_RUNTIME_FRONTENDS_XR_HANDS_H

#include "runtime/frontends/headless/playable.h"
#include "runtime/xr/xr.h"

typedef struct sn_hand {
    sn_collider_id ball;
    bool is_solid; /* the ball is at the hand; else far outside the scene */
    bool is_closed;
    sn_body_id grabbed_body;
    int grab;
    bool is_grabbing;
    double grab_offset[3]; /* grabbed point in the frame of the grip */
    sn_xr_pose grip;       /* world */
    double impulse;        /* of the ball on the flesh in the last step, kg units / s */
} sn_hand;

typedef struct sn_hands {
    double metres_per_unit; /* metres per world unit */
    sn_hand hands[SN_XR_HAND_COUNT];
    int grab_count; /* number of grabs so far */
} sn_hands;

#define SN_HAND_RADIUS 0.05 /* metres */

/* Moves the hands to poses in the world; call it before each step of the world. Once both hands have been tracked, it
 * allocates only when a hand closes. Errors: SN_ERROR_MEMORY, SN_ERROR_UNSUPPORTED (the world has no colliders). */
sn_result sn_hands_move(sn_hands *hands, const sn_visible_bodies *visible_bodies,
                        const sn_xr_hand input[SN_XR_HAND_COUNT]);
/* Reads the balls' contact impulses; call it after each step. */
void sn_hands_read_impulses(sn_hands *hands);
/* Releases all grabs; call it before bodies are reset. */
void sn_hands_release(sn_hands *hands);
bool sn_hands_are_grabbing(const sn_hands *hands);

#endif

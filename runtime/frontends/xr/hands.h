/* SPDX-License-Identifier: MIT */
/* Two hands in a world: each is a ball that pushes flesh. A hand that closes grabs the flesh that it touches or points
 * at. Independent of OpenXR: the caller supplies the hand poses. */
#ifndef SN_RUNTIME_FRONTENDS_XR_HANDS_H
#define SN_RUNTIME_FRONTENDS_XR_HANDS_H

#include "runtime/frontends/headless/show.h"
#include "runtime/xr/xr.h"

typedef struct sn_hand {
    sn_collider_id ball;
    bool is_solid; /* the ball is at the hand; else far outside the scene */
    bool is_closed;
    sn_body_id held;
    int grab;
    bool is_holding;
    double held_at[3]; /* grabbed point in the frame of the grip */
    sn_xr_pose grip;   /* world */
    double impulse;    /* of the ball on the flesh in the last step, kg units / s */
} sn_hand;

typedef struct sn_hands {
    double metres; /* metres per world unit */
    sn_hand hands[SN_XR_HAND_COUNT];
    int grab_count; /* number of grabs so far */
} sn_hands;

#define SN_HAND_RADIUS 0.05 /* metres */

/* Moves the hands to poses in the world; call it before each step of the world. Once both hands have been tracked, it
 * allocates only when a hand closes. Errors: SN_ERROR_MEMORY, SN_ERROR_UNSUPPORTED (the world has no colliders). */
sn_result sn_hands_move(sn_hands *hands, const sn_show_cast *cast, const sn_xr_hand where[SN_XR_HAND_COUNT]);
/* Reads the balls' contact impulses; call it after each step. */
void sn_hands_feel(sn_hands *hands);
/* Releases all grabs; call it before bodies are reset. */
void sn_hands_let_go(sn_hands *hands);
bool sn_hands_are_holding(const sn_hands *hands);

#endif

/* SPDX-License-Identifier: MIT */
/* Two hands in a world: each is a ball that pushes flesh, and one that closes takes hold of flesh, where it is or where
 * it points. Without a headset of its own: whoever knows where hands are says so. */
#ifndef SN_RUNTIME_FRONTENDS_XR_HANDS_H
#define SN_RUNTIME_FRONTENDS_XR_HANDS_H

#include "runtime/frontends/headless/show.h"
#include "runtime/xr/xr.h"

typedef struct sn_hand {
    sn_collider_id ball;
    bool is_solid; /* the ball is where the hand is; else far away from everything */
    bool is_closed;
    sn_body_id held;
    int grab;
    bool is_holding;
    double held_at[3]; /* what it holds, in the grip's own frame */
    sn_xr_pose grip;   /* world */
    double impulse;    /* that the ball gave to the flesh in the last step, kg times units a second */
} sn_hand;

typedef struct sn_hands {
    double metres; /* a unit of the world */
    sn_hand hands[SN_XR_HAND_COUNT];
    int grab_count; /* how often flesh was taken hold of */
} sn_hands;

#define SN_HAND_RADIUS 0.05 /* metres */

/* Where the hands are from now on, in the world: before each step of the world. SN_ERROR_MEMORY, SN_ERROR_UNSUPPORTED
 * where the world has no colliders. Once both hands have been there, only closing one allocates anything. */
sn_result sn_hands_move(sn_hands *hands, const sn_show_cast *cast, const sn_xr_hand where[SN_XR_HAND_COUNT]);
/* Looks at what the balls did; after each step. */
void sn_hands_feel(sn_hands *hands);
/* Lets go of what is held: before bodies begin again. */
void sn_hands_let_go(sn_hands *hands);
bool sn_hands_are_holding(const sn_hands *hands);

#endif

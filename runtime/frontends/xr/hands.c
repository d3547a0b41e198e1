/* SPDX-License-Identifier: MIT */
#include "runtime/frontends/xr/hands.h"

#include <math.h>
#include <string.h>

#include "host/math/vec3.h"
#include "host/world/inspect.h"
#include "runtime/edit/drawn.h"
#include "runtime/edit/pick.h"

#define CLOSES 0.6 /* fraction of the trigger's travel */
#define OPENS 0.4
#define REACH 0.12     /* metres: from the hand to flesh that it grabs by touch */
#define FAR_REACH 0.15 /* fraction of the diagonal: from the point aimed at to soft flesh */
#define LEAP                                                                                                           \
    0.5          /* metres per frame: a larger jump means that tracking was lost, and moves the ball without velocity  \
                  */
#define AWAY 1e4 /* metres: position of the ball of an untracked hand */

/* ---- the ball ---- */

static sn_collider_desc ball_desc(const sn_hands *hands, const double place[3])
{
    sn_collider_desc desc = sn_default_collider_desc();
    desc.name = "hand";
    desc.shape = SN_COLLIDER_SPHERE;
    desc.radius = SN_HAND_RADIUS / hands->metres;
    for (int d = 0; d < 3; ++d) {
        desc.transform.m[d][3] = (float)place[d];
    }
    return desc;
}

/* Moves the ball without velocity, so that it pushes nothing on its path. */
static sn_result put_ball(const sn_hands *hands, sn_world_id world, sn_hand *hand, const double place[3])
{
    const sn_collider_desc desc = ball_desc(hands, place);
    return sn_collider_is_valid(hand->ball) ? sn_collider_set_desc(hand->ball, &desc)
                                            : sn_collider_create(world, &desc, &hand->ball);
}

/* Moves the ball with the hand's velocity. A closed hand has no solid ball. */
static sn_result move_ball(const sn_hands *hands, sn_world_id world, sn_hand *hand, const sn_xr_hand *where)
{
    const bool is_solid = where->is_tracked && !hand->is_closed;
    const double away[3] = {0, -AWAY / hands->metres, 0};
    const bool is_new = !sn_collider_is_valid(hand->ball);
    const double way = sn_distance3(where->grip.position, hand->grip.position) * hands->metres;
    sn_result result = SN_OK;
    if (!is_solid && (hand->is_solid || is_new)) {
        result = put_ball(hands, world, hand, away);
    } else if (is_solid && (!hand->is_solid || is_new || way > LEAP)) {
        result = put_ball(hands, world, hand, where->grip.position);
    } else if (is_solid) {
        const sn_collider_desc desc = ball_desc(hands, where->grip.position);
        result = sn_collider_set_transform(hand->ball, &desc.transform);
    }
    hand->is_solid = is_solid;
    return result;
}

/* ---- grabbing ---- */

static void let_go(sn_hand *hand)
{
    if (hand->is_holding && sn_body_is_valid(hand->held)) {
        sn_body_release(hand->held, hand->grab);
    }
    hand->is_holding = false;
}

void sn_hands_let_go(sn_hands *hands)
{
    for (int i = 0; i < SN_XR_HAND_COUNT; ++i) {
        let_go(&hands->hands[i]);
    }
}

/* A candidate for a grab. */
typedef struct target {
    sn_body_id body;
    double distance; /* from the hand, world units; INFINITY: none */
    double point[3], reach;
} target;

static double nearest_vertex(const sn_drawn *drawn, const double *place)
{
    double least = INFINITY;
    for (int v = 0; v < drawn->model->counts.surface_vertex_count; ++v) {
        least = fmin(least, sn_distance3(drawn->positions + 3 * (size_t)v, place));
    }
    return least;
}

/* Updates the candidates with one body: targets[0] by touch, which has precedence, targets[1] by pointing. */
static void look_at_body(const sn_hands *hands, const sn_drawn *drawn, sn_body_id body, const sn_xr_hand *where,
                         target targets[2])
{
    const sn_model *model = drawn->model;
    const double near = nearest_vertex(drawn, where->grip.position);
    sn_ray ray;
    sn_xr_pose_apply(&where->aim, (const double[3]){0, 0, 0}, ray.origin);
    sn_xr_pose_apply(&where->aim, (const double[3]){0, 0, -1}, ray.direction);
    sn_subtract3(ray.direction, ray.origin, ray.direction);
    const double far =
        sn_pick_triangles(drawn->positions, model->surface_triangles, model->counts.surface_triangle_count, &ray);
    if (near < REACH / hands->metres && near < targets[0].distance) {
        targets[0] = (target){.body = body, .distance = near, .reach = REACH / hands->metres};
        memcpy(targets[0].point, where->grip.position, sizeof targets[0].point);
    }
    if (far < targets[1].distance) {
        targets[1] = (target){.body = body, .distance = far, .reach = FAR_REACH * model->diagonal};
        for (int d = 0; d < 3; ++d) {
            targets[1].point[d] = ray.origin[d] + far * ray.direction[d];
        }
    }
}

static sn_result take_hold(sn_hands *hands, const sn_show_cast *cast, sn_hand *hand, const sn_xr_hand *where)
{
    target targets[2] = {{.distance = INFINITY}, {.distance = INFINITY}};
    sn_grab_desc desc = sn_default_grab_desc();
    sn_result result = SN_OK;
    for (int i = 0; i < cast->body_count && result == SN_OK; ++i) {
        const sn_body_id body = cast->bodies[i];
        sn_drawn drawn;
        result = sn_drawn_start(&drawn, sn_body_model(body));
        if (result == SN_OK) {
            sn_drawn_update(&drawn, body);
            look_at_body(hands, &drawn, body, where, targets);
        }
        sn_drawn_finish(&drawn);
    }
    const target *taken = targets[0].distance < INFINITY ? &targets[0] : &targets[1];
    if (result == SN_OK && taken->distance < INFINITY) {
        desc.reach = taken->reach;
        hand->held = taken->body;
        hand->grab = sn_body_grab(taken->body, taken->point, &desc);
        hand->is_holding = hand->grab >= 0;
        hands->grab_count += hand->is_holding;
        sn_xr_pose_invert(&where->grip, taken->point, hand->held_at);
    }
    return result;
}

static sn_result move_hand(sn_hands *hands, const sn_show_cast *cast, sn_hand *hand, const sn_xr_hand *where)
{
    const bool was_closed = hand->is_closed;
    hand->is_closed = where->is_tracked && where->trigger > (was_closed ? OPENS : CLOSES);
    sn_result result = move_ball(hands, cast->world, hand, where);
    if (!hand->is_closed) {
        let_go(hand);
    } else if (!was_closed && result == SN_OK) {
        result = take_hold(hands, cast, hand, where);
    }
    hand->grip = where->grip;
    if (hand->is_holding) {
        double to[3];
        sn_xr_pose_apply(&hand->grip, hand->held_at, to);
        sn_body_drag(hand->held, hand->grab, to);
    }
    return result;
}

sn_result sn_hands_move(sn_hands *hands, const sn_show_cast *cast, const sn_xr_hand where[SN_XR_HAND_COUNT])
{
    sn_result result = SN_OK;
    for (int i = 0; i < SN_XR_HAND_COUNT && result == SN_OK; ++i) {
        result = move_hand(hands, cast, &hands->hands[i], &where[i]);
    }
    return result;
}

void sn_hands_feel(sn_hands *hands)
{
    for (int i = 0; i < SN_XR_HAND_COUNT; ++i) {
        double impulse[3] = {0, 0, 0};
        if (hands->hands[i].is_solid && sn_collider_is_valid(hands->hands[i].ball)) {
            sn_world_collider_impulse(hands->hands[i].ball, impulse);
        }
        hands->hands[i].impulse = sn_length3(impulse);
    }
}

bool sn_hands_are_holding(const sn_hands *hands)
{
    bool is_holding = false;
    for (int i = 0; i < SN_XR_HAND_COUNT; ++i) {
        is_holding = is_holding || hands->hands[i].is_holding;
    }
    return is_holding;
}

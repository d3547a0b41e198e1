/* SPDX-License-Identifier: MIT */
#include "runtime/frontends/xr/hands.h"

#include <math.h>
#include <string.h>

#include "host/math/vec3.h"
#include "host/world/inspect.h"
#include "runtime/edit/pick.h"
#include "runtime/edit/posed_surface.h"

#define CLOSE_THRESHOLD 0.6 /* fraction of the trigger's travel */
#define OPEN_THRESHOLD 0.4
#define TOUCH_RADIUS 0.12 /* metres: from the hand to flesh that it grabs by touch */
#define POINT_RADIUS 0.15 /* fraction of the diagonal: from the point aimed at to soft flesh */
#define TELEPORT_DISTANCE                                                                                              \
    0.5 /* metres per frame: a larger jump means that tracking was lost, and moves the ball without velocity           \
         */
#define HIDDEN_DISTANCE 1e4 /* metres: position of the ball of an untracked hand */

/* ---- the ball ---- */

static sn_collider_desc ball_desc(const sn_hands *hands, const double location[3])
{
    sn_collider_desc desc = sn_default_collider_desc();
    desc.name = "hand";
    desc.shape = SN_COLLIDER_SPHERE;
    desc.radius = SN_HAND_RADIUS / hands->metres_per_unit;
    for (int d = 0; d < 3; ++d) {
        desc.transform.m[d][3] = (float)location[d];
    }
    return desc;
}

/* Moves the ball without velocity, so that it pushes nothing on its path. */
static sn_result teleport_ball(const sn_hands *hands, sn_world_id world, sn_hand *hand, const double location[3])
{
    const sn_collider_desc desc = ball_desc(hands, location);
    return sn_collider_is_valid(hand->ball) ? sn_collider_set_desc(hand->ball, &desc)
                                            : sn_collider_create(world, &desc, &hand->ball);
}

/* Moves the ball with the hand's velocity. A closed hand has no solid ball. */
static sn_result move_ball(const sn_hands *hands, sn_world_id world, sn_hand *hand, const sn_xr_hand *input)
{
    const bool is_solid = input->is_tracked && !hand->is_closed;
    const double hidden_position[3] = {0, -HIDDEN_DISTANCE / hands->metres_per_unit, 0};
    const bool is_new = !sn_collider_is_valid(hand->ball);
    const double moved_distance = sn_distance3(input->grip.position, hand->grip.position) * hands->metres_per_unit;
    sn_result result = SN_OK;
    if (!is_solid && (hand->is_solid || is_new)) {
        result = teleport_ball(hands, world, hand, hidden_position);
    } else if (is_solid && (!hand->is_solid || is_new || moved_distance > TELEPORT_DISTANCE)) {
        result = teleport_ball(hands, world, hand, input->grip.position);
    } else if (is_solid) {
        const sn_collider_desc desc = ball_desc(hands, input->grip.position);
        result = sn_collider_set_transform(hand->ball, &desc.transform);
    }
    hand->is_solid = is_solid;
    return result;
}

/* ---- grabbing ---- */

static void release_grab(sn_hand *hand)
{
    if (hand->is_grabbing && sn_body_is_valid(hand->grabbed_body)) {
        sn_body_release(hand->grabbed_body, hand->grab);
    }
    hand->is_grabbing = false;
}

void sn_hands_release(sn_hands *hands)
{
    for (int i = 0; i < SN_XR_HAND_COUNT; ++i) {
        release_grab(&hands->hands[i]);
    }
}

/* A candidate for a grab. */
typedef struct target {
    sn_body_id body;
    double distance; /* from the hand, world units; INFINITY: none */
    double point[3], max_distance;
} target;

static double min_vertex_distance(const sn_posed_surface *drawn, const double *location)
{
    double min_distance = INFINITY;
    for (int v = 0; v < drawn->model->counts.surface_vertex_count; ++v) {
        min_distance = fmin(min_distance, sn_distance3(drawn->positions + 3 * (size_t)v, location));
    }
    return min_distance;
}

/* Updates the candidates with one body: targets[0] by touch, which has precedence, targets[1] by pointing. */
static void update_targets(const sn_hands *hands, const sn_posed_surface *drawn, sn_body_id body,
                           const sn_xr_hand *input, target targets[2])
{
    const sn_model *model = drawn->model;
    const double touch_distance = min_vertex_distance(drawn, input->grip.position);
    sn_ray ray;
    sn_xr_pose_apply(&input->aim, (const double[3]){0, 0, 0}, ray.origin);
    sn_xr_pose_apply(&input->aim, (const double[3]){0, 0, -1}, ray.direction);
    sn_subtract3(ray.direction, ray.origin, ray.direction);
    const double aim_distance =
        sn_pick_triangles(drawn->positions, model->surface_triangles, model->counts.surface_triangle_count, &ray);
    if (touch_distance < TOUCH_RADIUS / hands->metres_per_unit && touch_distance < targets[0].distance) {
        targets[0] =
            (target){.body = body, .distance = touch_distance, .max_distance = TOUCH_RADIUS / hands->metres_per_unit};
        memcpy(targets[0].point, input->grip.position, sizeof targets[0].point);
    }
    if (aim_distance < targets[1].distance) {
        targets[1] = (target){.body = body, .distance = aim_distance, .max_distance = POINT_RADIUS * model->diagonal};
        for (int d = 0; d < 3; ++d) {
            targets[1].point[d] = ray.origin[d] + aim_distance * ray.direction[d];
        }
    }
}

static sn_result try_grab(sn_hands *hands, const sn_visible_bodies *visible_bodies, sn_hand *hand,
                          const sn_xr_hand *input)
{
    target targets[2] = {{.distance = INFINITY}, {.distance = INFINITY}};
    sn_grab_desc desc = sn_default_grab_desc();
    sn_result result = SN_OK;
    for (int i = 0; i < visible_bodies->body_count && result == SN_OK; ++i) {
        const sn_body_id body = visible_bodies->bodies[i];
        sn_posed_surface drawn;
        result = sn_posed_surface_start(&drawn, sn_body_model(body));
        if (result == SN_OK) {
            sn_posed_surface_update(&drawn, body);
            update_targets(hands, &drawn, body, input, targets);
        }
        sn_posed_surface_finish(&drawn);
    }
    const target *chosen = targets[0].distance < INFINITY ? &targets[0] : &targets[1];
    if (result == SN_OK && chosen->distance < INFINITY) {
        desc.max_distance = chosen->max_distance;
        hand->grabbed_body = chosen->body;
        hand->grab = sn_body_grab(chosen->body, chosen->point, &desc);
        hand->is_grabbing = hand->grab >= 0;
        hands->grab_count += hand->is_grabbing;
        sn_xr_pose_invert(&input->grip, chosen->point, hand->grab_offset);
    }
    return result;
}

static sn_result move_hand(sn_hands *hands, const sn_visible_bodies *visible_bodies, sn_hand *hand,
                           const sn_xr_hand *input)
{
    const bool was_closed = hand->is_closed;
    hand->is_closed = input->is_tracked && input->trigger > (was_closed ? OPEN_THRESHOLD : CLOSE_THRESHOLD);
    sn_result result = move_ball(hands, visible_bodies->world, hand, input);
    if (!hand->is_closed) {
        release_grab(hand);
    } else if (!was_closed && result == SN_OK) {
        result = try_grab(hands, visible_bodies, hand, input);
    }
    hand->grip = input->grip;
    if (hand->is_grabbing) {
        double to[3];
        sn_xr_pose_apply(&hand->grip, hand->grab_offset, to);
        sn_body_drag(hand->grabbed_body, hand->grab, to);
    }
    return result;
}

sn_result sn_hands_move(sn_hands *hands, const sn_visible_bodies *visible_bodies,
                        const sn_xr_hand input[SN_XR_HAND_COUNT])
{
    for (int i = 0; i < SN_XR_HAND_COUNT; ++i) {
        SN_TRY(move_hand(hands, visible_bodies, &hands->hands[i], &input[i]));
    }
    return SN_OK;
}

void sn_hands_read_impulses(sn_hands *hands)
{
    for (int i = 0; i < SN_XR_HAND_COUNT; ++i) {
        double impulse[3] = {0, 0, 0};
        if (hands->hands[i].is_solid && sn_collider_is_valid(hands->hands[i].ball)) {
            sn_world_collider_impulse(hands->hands[i].ball, impulse);
        }
        hands->hands[i].impulse = sn_length3(impulse);
    }
}

bool sn_hands_are_grabbing(const sn_hands *hands)
{
    bool is_grabbing = false;
    for (int i = 0; i < SN_XR_HAND_COUNT; ++i) {
        is_grabbing = is_grabbing || hands->hands[i].is_grabbing;
    }
    return is_grabbing;
}

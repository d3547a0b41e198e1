/* SPDX-License-Identifier: MIT */
#include "runtime/frontends/xr/xr_player.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "host/platform/platform.h"
#include "runtime/frontends/xr/hand_balls.h"
#include "runtime/input/interrupt.h"

#define IDLE_NANOSECONDS 5000000 /* between polls of a headset that is not worn */
#define MIN_HEIGHT 0.3           /* metres: range of heights that are displayed at their own scale */
#define MAX_HEIGHT 3.0
#define PERSON_HEIGHT 1.7
#define SCENE_HEIGHT 1.5
#define CENTER_HEIGHT 1.2       /* metres above the floor: center of content without a floor */
#define MIN_CENTER_DISTANCE 0.9 /* metres from the head to the content's center, at least */
#define MIN_NEAR_DISTANCE 0.45  /* metres from the head to the content's nearest point */
#define VIBRATION_SECONDS 0.05
/* m/s: impulse at full vibration divided by the mass of a ball of water of the hand's radius */
#define FULL_VIBRATION_SPEED 15.0

typedef struct xr_player {
    const sn_xr_player_desc *desc;
    sn_player_report *report;
    sn_placement placement;
    sn_xr_placement xr_placement;
    bool has_placement, is_end_requested;
    sn_hands hands;
    sn_xr_hand hand_inputs[SN_XR_HAND_COUNT]; /* in world coordinates */
    sn_hand_balls balls;
    double drawing_ms; /* accumulated over all frames */
} xr_player;

/* ---- placement ---- */

double sn_xr_player_metres_per_unit(const sn_placement *placement, double height)
{
    const double own_height = placement->size * placement->metres_per_unit;
    const bool uses_own_scale = own_height >= MIN_HEIGHT && own_height <= MAX_HEIGHT;
    const double default_height = placement->metres_per_unit > 0 ? PERSON_HEIGHT : SCENE_HEIGHT;
    return height > 0       ? height / placement->height
           : uses_own_scale ? placement->metres_per_unit
                            : default_height / placement->size;
}

sn_xr_placement sn_xr_player_placement(const sn_placement *placement, double metres_per_unit, const sn_xr_pose *head)
{
    const double yaw = sn_xr_yaw(head),
                 distance = fmax(MIN_CENTER_DISTANCE, MIN_NEAR_DISTANCE + placement->depth / 2 * metres_per_unit);
    sn_xr_placement xr_placement = {.yaw = yaw - placement->yaw, .metres_per_unit = metres_per_unit};
    memcpy(xr_placement.anchor, placement->anchor, sizeof xr_placement.anchor);
    xr_placement.position[0] = head->position[0] - distance * sin(yaw);
    xr_placement.position[1] = placement->has_floor ? 0 : CENTER_HEIGHT;
    xr_placement.position[2] = head->position[2] - distance * cos(yaw);
    return xr_placement;
}

/* Places the content in front of the head: in the first frame with a known head pose, and on request. */
static sn_result place_content(xr_player *p)
{
    sn_xr_pose head;
    bool is_tracked = false;
    SN_TRY(sn_xr_head(p->desc->xr, &head, &is_tracked));
    if (is_tracked) {
        p->xr_placement = sn_xr_player_placement(&p->placement, p->hands.metres_per_unit, &head);
        p->has_placement = true;
    }
    return SN_OK;
}

/* ---- a frame ---- */

static sn_result restart(xr_player *p)
{
    sn_hands_release(&p->hands);
    return sn_playable_restart(p->desc->playable);
}

static void update_hands(xr_player *p, const sn_xr_frame *frame)
{
    for (int i = 0; i < SN_XR_HAND_COUNT; ++i) {
        p->hand_inputs[i] = frame->hands[i];
        p->hand_inputs[i].grip = sn_xr_to_world(&p->xr_placement, &frame->hands[i].grip);
        p->hand_inputs[i].aim = sn_xr_to_world(&p->xr_placement, &frame->hands[i].aim);
    }
}

/* Vibrates the controllers in proportion to the contact impulse; imperceptible impulses are skipped. */
static sn_result vibrate(xr_player *p)
{
    const double radius = SN_HAND_RADIUS / p->hands.metres_per_unit; /* world units */
    const double mass = 4.18879 * radius * radius * radius * 1000;
    for (int i = 0; i < SN_XR_HAND_COUNT; ++i) {
        const double strength = p->hands.hands[i].impulse * p->hands.metres_per_unit / (mass * FULL_VIBRATION_SPEED);
        if (strength > 0.01) {
            SN_TRY(sn_xr_vibrate(p->desc->xr, i, fmin(strength, 1), VIBRATION_SECONDS));
        }
    }
    return SN_OK;
}

static sn_result advance(xr_player *p, const sn_xr_frame *frame)
{
    sn_playable *playable = p->desc->playable;
    sn_result result = frame->is_reset ? restart(p) : SN_OK;
    update_hands(p, frame);
    const sn_visible_bodies visible_bodies = sn_playable_get_bodies(playable);
    result = result ? result : sn_hands_move(&p->hands, &visible_bodies, p->hand_inputs);
    if (result == SN_OK) {
        result = sn_playable_advance(playable, frame->seconds, sn_hands_are_grabbing(&p->hands), p->report);
    }
    if (result == SN_OK) {
        sn_hands_read_impulses(&p->hands);
        result = vibrate(p);
    }
    p->report->seconds += frame->seconds;
    return result;
}

static sn_result draw(xr_player *p)
{
    sn_renderer *renderer = sn_playable_renderer(p->desc->playable);
    sn_render_scene scene;
    bool is_drawn = false;
    sn_playable_fill(p->desc->playable, &scene);
    SN_TRY(sn_hand_balls_draw(&p->balls, p->hand_inputs, &scene));
    SN_TRY(sn_xr_draw(p->desc->xr, renderer, &scene, &p->xr_placement, &is_drawn));
    if (is_drawn) {
        p->drawing_ms += sn_xr_drawing_ms(p->desc->xr);
        ++p->report->frame_count;
    }
    return SN_OK;
}

static sn_result run_frame(xr_player *p)
{
    sn_xr_frame frame;
    sn_result result = sn_xr_begin_frame(p->desc->xr, &frame);
    p->has_placement = p->has_placement && !frame.is_recentred;
    if (result == SN_OK && frame.is_displayed && !p->has_placement) {
        result = place_content(p);
    }
    if (result != SN_OK) {
        return result;
    }
    if (!frame.is_displayed || !p->has_placement) {
        return sn_xr_skip(p->desc->xr);
    }
    result = advance(p, &frame);
    return result ? result : draw(p);
}

static sn_result run(xr_player *p)
{
    sn_xr *xr = p->desc->xr;
    sn_result result = SN_OK;
    while (result == SN_OK && !sn_xr_is_ended(xr)) {
        const bool is_interrupted = sn_interrupt_is_requested(p->report->frame_count, p->desc->frame_limit);
        const bool should_end =
            is_interrupted || (p->desc->frame_limit > 0 && p->report->frame_count >= p->desc->frame_limit);
        result = sn_xr_poll(xr);
        if (is_interrupted && !sn_xr_is_running(xr)) {
            break;
        }
        if (result == SN_OK && should_end && !p->is_end_requested) {
            p->is_end_requested = true;
            result = sn_xr_request_end(xr);
        }
        if (result != SN_OK || sn_xr_is_ended(xr)) {
            break;
        }
        if (sn_xr_is_running(xr)) {
            result = run_frame(p);
        } else {
            nanosleep(&(struct timespec){.tv_nsec = IDLE_NANOSECONDS}, NULL);
        }
    }
    return result;
}

sn_result sn_xr_player_run(const sn_xr_player_desc *desc, sn_player_report *report)
{
    xr_player p = {.desc = desc, .report = report, .placement = sn_playable_get_placement(desc->playable)};
    const double solver_before = sn_playable_solver_seconds(desc->playable);
    *report = (sn_player_report){0};
    p.hands.metres_per_unit = sn_xr_player_metres_per_unit(&p.placement, desc->height);
    sn_result result = sn_hand_balls_init(&p.balls, sn_playable_renderer(desc->playable), p.hands.metres_per_unit);
    result = result ? result : run(&p);
    const int count = report->frame_count > 0 ? report->frame_count : 1;
    report->solver_ms = 1e3 * (sn_playable_solver_seconds(desc->playable) - solver_before) / count;
    report->drawing_ms = p.drawing_ms / count;
    report->grab_count = p.hands.grab_count;
    sn_hand_balls_finish(&p.balls);
    return result;
}

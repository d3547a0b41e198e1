/* SPDX-License-Identifier: MIT */
#include "runtime/frontends/xr/xr_player.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "host/base/clock.h"
#include "runtime/frontends/xr/hand_balls.h"
#include "runtime/input/interrupt.h"

#define IDLE_NANOSECONDS 5000000 /* between polls of a headset that is not worn */
#define LEAST_HEIGHT 0.3         /* metres: range of heights that are displayed at their own scale */
#define MOST_HEIGHT 3.0
#define PERSON_HEIGHT 1.7
#define SCENE_HEIGHT 1.5
#define LOOK_HEIGHT 1.2 /* metres above the floor: center of content without a floor */
#define DISTANCE 0.9    /* metres from the head to the content's center, at least */
#define ARM 0.45        /* metres from the head to the content's nearest point */
#define SHAKE_SECONDS 0.05
/* m/s: impulse at full vibration divided by the mass of a ball of water of the hand's radius */
#define FULL_SHAKE 15.0

typedef struct xr_player {
    const sn_xr_player_desc *desc;
    sn_player_report *report;
    sn_show_stand stand;
    sn_xr_place place;
    bool is_placed, is_ending;
    sn_hands hands;
    sn_xr_hand where[SN_XR_HAND_COUNT]; /* in world coordinates */
    sn_hand_balls balls;
    double drawing_ms; /* accumulated over all frames */
} xr_player;

/* ---- placement ---- */

double sn_xr_player_metres(const sn_show_stand *stand, double height)
{
    const double own = stand->size * stand->metres;
    const bool is_own = own >= LEAST_HEIGHT && own <= MOST_HEIGHT;
    const double otherwise = stand->metres > 0 ? PERSON_HEIGHT : SCENE_HEIGHT;
    return height > 0 ? height / stand->height : is_own ? stand->metres : otherwise / stand->size;
}

sn_xr_place sn_xr_player_place(const sn_show_stand *stand, double metres, const sn_xr_pose *head)
{
    const double yaw = sn_xr_yaw(head), distance = fmax(DISTANCE, ARM + stand->depth / 2 * metres);
    sn_xr_place place = {.yaw = yaw - stand->yaw, .metres = metres};
    memcpy(place.anchor, stand->anchor, sizeof place.anchor);
    place.position[0] = head->position[0] - distance * sin(yaw);
    place.position[1] = stand->has_floor ? 0 : LOOK_HEIGHT;
    place.position[2] = head->position[2] - distance * cos(yaw);
    return place;
}

/* Places the content in front of the head: in the first frame with a known head pose, and on request. */
static sn_result take_place(xr_player *p)
{
    sn_xr_pose head;
    bool is_known = false;
    const sn_result result = sn_xr_head(p->desc->xr, &head, &is_known);
    if (result == SN_OK && is_known) {
        p->place = sn_xr_player_place(&p->stand, p->hands.metres, &head);
        p->is_placed = true;
    }
    return result;
}

/* ---- a frame ---- */

static sn_result restart(xr_player *p)
{
    sn_hands_let_go(&p->hands);
    return sn_show_restart(p->desc->show);
}

static void bring_hands(xr_player *p, const sn_xr_frame *frame)
{
    for (int i = 0; i < SN_XR_HAND_COUNT; ++i) {
        p->where[i] = frame->hands[i];
        p->where[i].grip = sn_xr_to_world(&p->place, &frame->hands[i].grip);
        p->where[i].aim = sn_xr_to_world(&p->place, &frame->hands[i].aim);
    }
}

/* Vibrates the controllers in proportion to the contact impulse; imperceptible impulses are skipped. */
static sn_result shake(xr_player *p)
{
    const double radius = SN_HAND_RADIUS / p->hands.metres; /* world units */
    const double mass = 4.18879 * radius * radius * radius * 1000;
    sn_result result = SN_OK;
    for (int i = 0; i < SN_XR_HAND_COUNT && result == SN_OK; ++i) {
        const double strength = p->hands.hands[i].impulse * p->hands.metres / (mass * FULL_SHAKE);
        if (strength > 0.01) {
            result = sn_xr_shake(p->desc->xr, i, fmin(strength, 1), SHAKE_SECONDS);
        }
    }
    return result;
}

static sn_result advance(xr_player *p, const sn_xr_frame *frame)
{
    sn_show *show = p->desc->show;
    sn_result result = frame->is_reset ? restart(p) : SN_OK;
    bring_hands(p, frame);
    const sn_show_cast cast = sn_show_get_cast(show);
    result = result ? result : sn_hands_move(&p->hands, &cast, p->where);
    if (result == SN_OK) {
        result = sn_show_advance(show, frame->seconds, sn_hands_are_holding(&p->hands), p->report);
    }
    if (result == SN_OK) {
        sn_hands_feel(&p->hands);
        result = shake(p);
    }
    p->report->seconds += frame->seconds;
    return result;
}

static sn_result draw(xr_player *p)
{
    sn_renderer *renderer = sn_show_renderer(p->desc->show);
    sn_render_scene scene;
    bool is_drawn = false;
    sn_show_fill(p->desc->show, &scene);
    sn_result result = sn_hand_balls_draw(&p->balls, p->where, &scene);
    result = result ? result : sn_xr_draw(p->desc->xr, renderer, &scene, &p->place, &is_drawn);
    if (result == SN_OK && is_drawn) {
        p->drawing_ms += sn_xr_drawing_ms(p->desc->xr);
        ++p->report->frame_count;
    }
    return result;
}

static sn_result run_frame(xr_player *p)
{
    sn_xr_frame frame;
    sn_result result = sn_xr_begin_frame(p->desc->xr, &frame);
    p->is_placed = p->is_placed && !frame.is_recentred;
    if (result == SN_OK && frame.is_seen && !p->is_placed) {
        result = take_place(p);
    }
    if (result != SN_OK) {
        return result;
    }
    if (!frame.is_seen || !p->is_placed) {
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
        const bool is_asked = sn_interrupt_ends(p->report->frame_count, p->desc->frame_limit);
        const bool is_enough = is_asked || (p->desc->frame_limit > 0 && p->report->frame_count >= p->desc->frame_limit);
        result = sn_xr_poll(xr);
        if (is_asked && !sn_xr_is_running(xr)) {
            break;
        }
        if (result == SN_OK && is_enough && !p->is_ending) {
            p->is_ending = true;
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
    xr_player p = {.desc = desc, .report = report, .stand = sn_show_get_stand(desc->show)};
    const double solver_before = sn_show_solver_seconds(desc->show);
    *report = (sn_player_report){0};
    p.hands.metres = sn_xr_player_metres(&p.stand, desc->height);
    sn_result result = sn_hand_balls_init(&p.balls, sn_show_renderer(desc->show), p.hands.metres);
    result = result ? result : run(&p);
    const int count = report->frame_count > 0 ? report->frame_count : 1;
    report->solver_ms = 1e3 * (sn_show_solver_seconds(desc->show) - solver_before) / count;
    report->drawing_ms = p.drawing_ms / count;
    report->grab_count = p.hands.grab_count;
    sn_hand_balls_finish(&p.balls);
    return result;
}

/* SPDX-License-Identifier: MIT */
#include "runtime/session/replay_player.h"

#include <math.h>
#include <string.h>

#include "host/platform/platform.h"
#include "runtime/input/interrupt.h"
#include "runtime/input/playback.h"
#include "runtime/view/replay_view.h"
#include "runtime/window/swapchain.h"

#define MARKER_LIMIT 4096
#define IDLE_SECONDS 0.1       /* between polls of a window that displays nothing */
#define MAX_BEHIND_SECONDS 0.1 /* maximum lag that is caught up after a slow frame */
#define MAX_FRAME_STEPS 256    /* maximum steps in one frame, because recorded steps may have zero duration */

typedef struct replay_player {
    const sn_replay_player_desc *desc;
    sn_swapchain *swapchain;
    sn_renderer *renderer;
    sn_replay *replay;
    sn_replay_view *view;
    sn_orbit orbit;
    sn_render_marker *markers;
    sn_title title;
    sn_playback playback;
    sn_player_report *report;
    double pending_seconds;            /* seconds still to be played */
    double solver_seconds, drawing_ms; /* accumulated over all frames */
    int frame_count, step, first_difference;
} replay_player;

__attribute__((format(printf, 2, 3))) static void show_message(replay_player *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sn_title_set_message(&p->title, sn_now(), format, arguments);
    va_end(arguments);
}

/* ---- time ---- */

static void close_replay(replay_player *p)
{
    sn_replay_view_destroy(&p->view);
    sn_replay_destroy(&p->replay);
}

/* Plays one step. *is_over: the recording has ended. */
static sn_result step(replay_player *p, bool *is_over)
{
    sn_replay_report report = {0};
    const bool was_equal = sn_replay_first_difference(p->replay) < 0;
    const sn_result result = sn_replay_step(p->replay, &report);
    const int difference = sn_replay_first_difference(p->replay);
    *is_over = result != SN_OK || report.is_over;
    p->step += !*is_over;
    p->pending_seconds -= fmax(report.seconds, 0);
    p->title.solver_seconds += report.world.solver_seconds;
    p->solver_seconds += report.world.solver_seconds;
    p->report->recovery_count += report.world.recovery_count;
    if (difference >= 0 && was_equal) {
        p->first_difference = p->first_difference < 0 ? difference : p->first_difference;
        show_message(p, "step %d differs from the recording; see the terminal", difference);
    }
    return result;
}

/* Opens the recording and plays its first step, so that there is something to draw. */
static sn_result restart(replay_player *p)
{
    bool is_over = false;
    close_replay(p);
    p->pending_seconds = p->step = 0;
    SN_TRY(sn_replay_create(p->desc->replay, &p->replay));
    SN_TRY(step(p, &is_over));
    if (is_over) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: the recording has no steps", p->desc->replay->name);
    }
    return sn_replay_view_create(p->replay, p->renderer, &p->view);
}

static sn_result advance(replay_player *p, double passed)
{
    const bool is_single_step = p->playback.is_step_due;
    bool is_over = false;
    sn_result result = SN_OK;
    p->pending_seconds = fmin(p->pending_seconds + sn_playback_seconds(&p->playback, passed, 0), MAX_BEHIND_SECONDS);
    for (int i = 0; i < MAX_FRAME_STEPS && result == SN_OK && !is_over && (p->pending_seconds > 0 || is_single_step);
         ++i) {
        result = step(p, &is_over);
        if (is_single_step) {
            p->pending_seconds = 0;
            break;
        }
    }
    if (result == SN_OK && is_over) {
        return restart(p);
    }
    return result ? result : sn_replay_view_update(p->view);
}

/* ---- the user ---- */

static sn_result execute(replay_player *p, sn_player_action action)
{
    if (sn_playback_execute(&p->playback, &p->title, action)) {
        return SN_OK;
    }
    if (action == SN_PLAYER_RESET) {
        return restart(p);
    }
    if (action == SN_PLAYER_VIEW) {
        p->orbit = sn_replay_view_orbit(p->view);
    } else if (action != SN_PLAYER_NOTHING) {
        show_message(p, "not available in a replay");
    }
    return SN_OK;
}

static sn_result handle_events(replay_player *p)
{
    sn_window_event event;
    while (sn_window_next_event(p->desc->window, &event)) {
        if (event.type == SN_WINDOW_KEY) {
            SN_TRY(execute(p, sn_player_key_command(event.key, event.is_repeated).action));
        } else if (event.type == SN_WINDOW_DRAG && event.button == SN_BUTTON_RIGHT) {
            sn_orbit_pan(&p->orbit, sn_replay_view_stage(p->view), event.x, event.y);
        } else if (event.type == SN_WINDOW_DRAG) {
            sn_orbit_rotate(&p->orbit, event.x, event.y);
        } else if (event.type == SN_WINDOW_SCROLL) {
            sn_orbit_zoom(&p->orbit, event.y);
        }
    }
    return SN_OK;
}

/* ---- a frame ---- */

static sn_result draw(replay_player *p, bool *is_drawn)
{
    const double target_aspect = 16.0 / 9;
    sn_render_scene scene;
    int size[2];
    sn_window_size(p->desc->window, size);
    *is_drawn = false;
    if (size[0] == 0 || size[1] == 0) {
        return SN_OK;
    }
    sn_replay_view_fill(p->view, &p->orbit, fmax(target_aspect * size[1] / size[0], 1), &scene);
    sn_marker_list list = {.markers = p->markers, .limit = MARKER_LIMIT};
    sn_playback_add_markers(&p->playback, &p->title, &list);
    scene.overlay = (sn_render_overlay){
        .markers = list.markers, .marker_count = list.count, .scale = sn_window_scale(p->desc->window)};
    const sn_result result = sn_swapchain_draw(p->swapchain, p->renderer, &scene, is_drawn);
    if (*is_drawn) {
        const double milliseconds = sn_renderer_frame_ms(p->renderer);
        p->title.drawing_ms += milliseconds;
        p->drawing_ms += milliseconds;
        ++p->title.frame_count;
        ++p->frame_count;
    }
    return result;
}

static sn_result run(replay_player *p)
{
    const char *slash = strrchr(p->desc->replay->name, '/');
    double before = sn_now();
    bool is_drawn = true;
    sn_result result = SN_OK;
    while (result == SN_OK && !p->playback.is_quit_requested && !sn_window_is_closing(p->desc->window) &&
           (p->desc->frame_limit == 0 || p->frame_count < p->desc->frame_limit) &&
           !sn_interrupt_is_requested(p->frame_count, p->desc->frame_limit)) {
        const double now = sn_now();
        result = handle_events(p);
        result = result ? result : advance(p, now - before);
        p->report->seconds += now - before;
        before = now;
        result = result ? result : draw(p, &is_drawn);
        const char *title = sn_title_update(&p->title, sn_now(), slash ? slash + 1 : p->desc->replay->name, "replay",
                                            p->playback.is_paused);
        if (title) {
            sn_window_set_title(p->desc->window, title);
        }
        sn_window_update(p->desc->window, is_drawn ? 0 : IDLE_SECONDS);
    }
    return result;
}

static sn_result open_window(replay_player *p)
{
    const sn_swapchain_desc swapchain = {0};
    sn_renderer_desc renderer = sn_default_renderer_desc();
    int size[2];
    p->markers = sn_alloc(MARKER_LIMIT, sizeof *p->markers);
    sn_result result = p->markers ? SN_OK : SN_ERROR_MEMORY;
    result = result ? result : sn_swapchain_create(p->desc->device, p->desc->window, &swapchain, &p->swapchain);
    sn_window_show(p->desc->window);
    sn_window_size(p->desc->window, size);
    renderer.width = size[0] > 0 ? size[0] : renderer.width;
    renderer.height = size[1] > 0 ? size[1] : renderer.height;
    renderer.matrix_limit = 256;
    return result ? result : sn_renderer_create(p->desc->device, &renderer, &p->renderer);
}

sn_result sn_replay_player_run(const sn_replay_player_desc *desc, int *first_difference, sn_player_report *report)
{
    replay_player p = {.desc = desc, .report = report, .first_difference = -1};
    sn_result result = open_window(&p);
    result = result ? result : restart(&p);
    if (result == SN_OK) {
        p.orbit = sn_replay_view_orbit(p.view);
        show_message(&p, "F1: keys");
        result = run(&p);
    }
    const double count = p.frame_count > 0 ? p.frame_count : 1;
    report->frame_count += p.frame_count;
    report->solver_ms = 1e3 * p.solver_seconds / count;
    report->drawing_ms = p.drawing_ms / count;
    *first_difference = p.first_difference;
    close_replay(&p);
    sn_free(p.markers, MARKER_LIMIT, sizeof *p.markers);
    sn_renderer_destroy(&p.renderer);
    sn_swapchain_destroy(&p.swapchain);
    return result;
}

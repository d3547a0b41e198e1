/* SPDX-License-Identifier: MIT */
#include "runtime/app/scene_player.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "host/base/clock.h"
#include "runtime/app/hold.h"
#include "runtime/app/playback.h"
#include "runtime/app/scene_view.h"
#include "runtime/app/title.h"
#include "runtime/window/swapchain.h"

#define STEP_LIMIT 8     /* of a frame: of the seconds that passed, so many steps' are simulated */
#define IDLE_SECONDS 0.1 /* between looks at a window that shows nothing */

typedef struct scene_player {
    const sn_scene_player_desc *desc;
    sn_swapchain *swapchain;
    sn_renderer *renderer;
    sn_scene_view *view;
    sn_orbit orbit;
    sn_hold hold;
    sn_body_id held;
    sn_title title;
    sn_player_report *report;
    double solver_seconds, drawing_ms; /* sums */
    int frame_count;
    sn_playback playback;
    sn_scene_end end;
} scene_player;

__attribute__((format(printf, 2, 3))) static void tell(scene_player *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sn_title_tell(&p->title, sn_now(), format, arguments);
    va_end(arguments);
}

/* ---- the pointer ---- */

static void fill(scene_player *p, const int size[2], sn_render_scene *scene)
{
    const double wanted = 16.0 / 9, aspect = size[1] > 0 ? (double)size[0] / size[1] : wanted;
    sn_scene_view_fill(p->view, &p->orbit, fmax(wanted / aspect, 1), scene);
}

static sn_camera look(scene_player *p)
{
    sn_render_scene scene;
    int size[2];
    sn_window_size(p->desc->window, size);
    fill(p, size, &scene);
    return scene.camera;
}

static void let_go(scene_player *p)
{
    sn_hold_let_go(&p->hold, p->held);
    sn_hold_finish(&p->hold);
}

/* Of the bodies under the pointer the nearest. */
static sn_result take_hold(scene_player *p, const double pointer[2])
{
    const sn_camera camera = look(p);
    double nearest = INFINITY;
    sn_result result = SN_OK;
    let_go(p);
    for (int i = 0; i < sn_scene_body_count(p->desc->scene) && result == SN_OK; ++i) {
        const sn_body_id body = sn_scene_body_at(p->desc->scene, i);
        result = sn_hold_start(&p->hold, sn_body_model(body));
        const double distance = result == SN_OK ? sn_hold_distance(&p->hold, body, &camera, pointer) : INFINITY;
        if (distance < nearest) {
            nearest = distance;
            p->held = body;
        }
        sn_hold_finish(&p->hold);
    }
    if (result == SN_OK && nearest < INFINITY) {
        result = sn_hold_start(&p->hold, sn_body_model(p->held));
        if (result == SN_OK) {
            p->report->grab_count += sn_hold_take(&p->hold, p->held, &camera, pointer, NULL, 0);
        }
    }
    return result;
}

static void follow_drag(scene_player *p, const sn_window_event *event)
{
    if (event->button == SN_BUTTON_LEFT && p->hold.is_held) {
        p->hold.pointer[0] += event->x;
        p->hold.pointer[1] += event->y;
    } else if (event->button == SN_BUTTON_RIGHT) {
        sn_orbit_move(&p->orbit, sn_scene_view_stage(p->view), event->x, event->y);
    } else {
        sn_orbit_turn(&p->orbit, event->x, event->y);
    }
}

/* ---- keys ---- */

static sn_result restart(scene_player *p)
{
    let_go(p);
    return sn_scene_restart(p->desc->scene);
}

static sn_result obey(scene_player *p, sn_player_action action)
{
    if (sn_playback_obey(&p->playback, &p->title, action)) {
        if (action == SN_PLAYER_HELP) {
            sn_log(SN_LOG_INFO, "of a scene: the keys for clips go to other scenes, those for parameters do nothing");
        }
        return SN_OK;
    }
    switch (action) {
    case SN_PLAYER_RESET:
        return restart(p);
    case SN_PLAYER_VIEW:
        p->orbit = sn_scene_view_orbit(p->view);
        break;
    case SN_PLAYER_PREVIOUS_CLIP:
    case SN_PLAYER_NEXT_CLIP:
        p->end = action == SN_PLAYER_NEXT_CLIP ? SN_SCENE_NEXT : SN_SCENE_PREVIOUS;
        p->playback.is_quitting = true;
        break;
    default:
        break;
    }
    return SN_OK;
}

static sn_result handle_events(scene_player *p)
{
    sn_window_event event;
    sn_result result = SN_OK;
    while (result == SN_OK && sn_window_next_event(p->desc->window, &event)) {
        switch (event.kind) {
        case SN_WINDOW_KEY:
            result = obey(p, sn_player_key(event.key, event.is_repeated).action);
            break;
        case SN_WINDOW_PRESS:
            if (event.button == SN_BUTTON_LEFT) {
                result = take_hold(p, (const double[2]){event.x, event.y});
            }
            break;
        case SN_WINDOW_DRAG:
            follow_drag(p, &event);
            break;
        case SN_WINDOW_RELEASE:
            if (event.button == SN_BUTTON_LEFT) {
                let_go(p);
            }
            break;
        case SN_WINDOW_SCROLL:
            sn_orbit_zoom(&p->orbit, event.y);
            break;
        default:
            break;
        }
    }
    return result;
}

/* ---- time ---- */

static sn_result advance(scene_player *p, double passed)
{
    sn_scene *scene = p->desc->scene;
    const double step = sn_scene_time_step(scene), length = sn_scene_get_script(scene)->seconds;
    const double seconds = sn_playback_seconds(&p->playback, fmin(passed, STEP_LIMIT * step), step);
    sn_result result = SN_OK;
    if (p->hold.is_held) {
        const sn_camera camera = look(p);
        sn_hold_pull(&p->hold, p->held, &camera);
    } else if (sn_scene_time(scene) >= length) {
        result = restart(p);
    }
    if (result != SN_OK) {
        return result;
    }
    const sn_scene_report report = sn_scene_advance(scene, seconds);
    p->title.solver_seconds += report.world.solver_seconds;
    p->solver_seconds += report.world.solver_seconds;
    p->report->recovery_count += report.world.recovery_count;
    return SN_OK;
}

static sn_result draw(scene_player *p, bool *is_drawn)
{
    sn_render_scene scene;
    int size[2];
    sn_window_size(p->desc->window, size);
    *is_drawn = false;
    if (size[0] == 0 || size[1] == 0) {
        return SN_OK;
    }
    fill(p, size, &scene);
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

static sn_result run(scene_player *p)
{
    double before = sn_now();
    bool is_drawn = true;
    sn_result result = SN_OK;
    while (result == SN_OK && !p->playback.is_quitting && !sn_window_is_closing(p->desc->window) &&
           (p->desc->frame_limit == 0 || p->frame_count < p->desc->frame_limit)) {
        const double now = sn_now();
        result = handle_events(p);
        result = result ? result : advance(p, now - before);
        p->report->seconds += now - before;
        before = now;
        result = result ? result : draw(p, &is_drawn);
        const char *title = sn_title_update(&p->title, sn_now(), p->desc->name, "scene", p->playback.is_paused);
        if (title) {
            sn_window_set_title(p->desc->window, title);
        }
        sn_window_update(p->desc->window, is_drawn ? 0 : IDLE_SECONDS);
    }
    return result;
}

/* ---- lifetime ---- */

static sn_result open_view(scene_player *p)
{
    const sn_swapchain_desc swapchain = {0};
    sn_renderer_desc renderer = sn_default_renderer_desc();
    int size[2];
    sn_result result = sn_scene_view_create(p->desc->scene, p->desc->name, &p->view);
    if (result == SN_OK) {
        result = sn_swapchain_create(p->desc->device, p->desc->window, &swapchain, &p->swapchain);
    }
    sn_window_show(p->desc->window);
    sn_window_size(p->desc->window, size);
    renderer.width = size[0] > 0 ? size[0] : renderer.width;
    renderer.height = size[1] > 0 ? size[1] : renderer.height;
    if (result == SN_OK) {
        renderer.matrix_limit = sn_scene_view_matrix_count(p->view);
        result = sn_renderer_create(p->desc->device, &renderer, &p->renderer);
    }
    return result == SN_OK ? sn_scene_view_upload(p->view, p->renderer) : result;
}

sn_result sn_scene_player_run(const sn_scene_player_desc *desc, sn_scene_end *end, sn_player_report *report)
{
    scene_player p = {.desc = desc, .report = report};
    sn_result result = open_view(&p);
    if (result == SN_OK) {
        p.orbit = sn_scene_view_orbit(p.view);
        tell(&p, "F1: keys");
        result = run(&p);
    }
    const double count = p.frame_count > 0 ? p.frame_count : 1;
    report->frame_count += p.frame_count;
    report->solver_ms = 1e3 * p.solver_seconds / count;
    report->drawing_ms = p.drawing_ms / count;
    *end = p.end;
    let_go(&p);
    sn_scene_view_destroy(&p.view);
    sn_renderer_destroy(&p.renderer);
    sn_swapchain_destroy(&p.swapchain);
    return result;
}

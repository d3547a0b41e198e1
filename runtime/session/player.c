/* SPDX-License-Identifier: MIT */
#include "runtime/input/interrupt.h"
#include "runtime/session/player_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/math/vec3.h"
#include "host/platform/platform.h"

#define STEP_LIMIT 8
#define FRAMES_IN_FLIGHT 2 /* calls of the world */
#define IDLE_SECONDS 0.1   /* between polls of a window that displays nothing */

/* ---- a frame ---- */

static sn_result draw(sn_player *p, const int size[2], bool *is_drawn)
{
    sn_render_body bodies[SN_PLAYER_BODY_LIMIT];
    sn_render_scene scene;
    sn_player_fill(p, size, bodies, &scene);
    sn_player_edit_draw(p, &scene);
    return sn_swapchain_draw(p->swapchain, p->renderer, &scene, is_drawn);
}

static void record_frame(sn_player *p)
{
    const double milliseconds = sn_renderer_frame_ms(p->renderer);
    p->title.drawing_ms += milliseconds;
    p->drawing_ms += milliseconds;
    ++p->title.frame_count;
    ++p->report.frame_count;
}

static void update_title(sn_player *p)
{
    const double now = sn_now(), since = now - p->title.update_time;
    const int count = p->title.frame_count;
    const char *title = sn_title_update(&p->title, now, p->name, sn_player_motion_name(p), p->playback.is_paused);
    if (title) {
        p->frames_per_second = since > 0 && since < 10 ? count / since : 0;
        sn_window_set_title(p->desc.window, title);
    }
}

static bool is_ready(const sn_player *p)
{
    return p->desc.is_ready && p->desc.is_ready(p->desc.ready_user);
}

static bool is_running(const sn_player *p)
{
    return !p->playback.is_quit_requested && !p->is_file_dropped && !is_ready(p) &&
           !sn_window_is_closing(p->desc.window) &&
           (p->desc.frame_limit == 0 || p->report.frame_count < p->desc.frame_limit) &&
           !sn_interrupt_is_requested(p->report.frame_count, p->desc.frame_limit);
}

static sn_result run_frame(sn_player *p, double passed, bool *is_drawn)
{
    const double step = p->desc.time_step; /* the motion advances only as far as the world can keep up */
    int size[2];
    sn_result result = sn_player_handle_events(p);
    result = result ? result : sn_player_edit_update(p);
    result = result ? result : sn_player_parts_update(p);
    sn_window_size(p->desc.window, size);
    *is_drawn = false;
    if (result == SN_OK && size[0] > 0 && size[1] > 0) {
        const sn_camera camera = sn_player_get_camera(p);
        sn_grab_tool_drag(&p->grab_tool, p->body, &camera);
        sn_player_advance(p, sn_playback_seconds(&p->playback, fmin(passed, STEP_LIMIT * step), step));
        result = sn_player_build_panel(p);
        result = result ? result : draw(p, size, is_drawn);
    }
    if (*is_drawn) {
        record_frame(p);
    }
    update_title(p);
    return result;
}

sn_result sn_player_run(sn_player *p, sn_player_exit_reason *end)
{
    SN_ASSERT(p->render_model);
    double previous = sn_now();
    bool is_drawn = true;
    sn_result result = SN_OK;
    p->is_file_dropped = false;
    sn_window_show(p->desc.window);
    while (result == SN_OK && is_running(p)) {
        const double now = sn_now();
        result = run_frame(p, now - previous, &is_drawn);
        p->report.seconds += now - previous;
        previous = now;
        sn_window_update(p->desc.window, is_drawn ? 0 : IDLE_SECONDS);
    }
    *end = p->is_file_dropped ? SN_PLAYER_EXIT_FILE_DROPPED
           : is_ready(p)      ? SN_PLAYER_EXIT_READY
                              : SN_PLAYER_EXIT_CLOSED;
    return result;
}

sn_player_report sn_player_get_report(const sn_player *p)
{
    const int count = p->report.frame_count > 0 ? p->report.frame_count : 1;
    sn_player_report report = p->report;
    report.solver_ms = 1e3 * p->solver_seconds / count;
    report.drawing_ms = p->drawing_ms / count;
    return report;
}

/* ---- lifetime ---- */

static sn_result create_world(sn_player *p)
{
    sn_world_desc desc = sn_default_world_desc();
    desc.time_step = p->desc.time_step;
    desc.worker_count = p->desc.worker_count;
    desc.step_limit = STEP_LIMIT;
    desc.recorder = p->desc.recorder;
    const bool is_requested = p->desc.is_on_device;
    if (is_requested) {
        const sn_result result = sn_gpu_create_on(p->desc.device, FRAMES_IN_FLIGHT, &p->gpu);
        if (result != SN_OK && result != SN_ERROR_UNSUPPORTED) {
            return result;
        }
        p->desc.is_on_device = result == SN_OK;
    }
    if (p->gpu) {
        p->gpu->is_single_precision = p->desc.is_single_precision;
        desc.backend = sn_gpu_backend(p->gpu);
    } else if (is_requested) {
        sn_log(SN_LOG_WARNING, "the bodies step on the CPU");
    }
    return sn_world_create(&desc, &p->world);
}

sn_result sn_player_create(const sn_player_desc *desc, sn_player **player)
{
    sn_player *p = sn_alloc(1, sizeof *p);
    *player = p;
    if (!p) {
        return SN_ERROR_MEMORY;
    }
    p->desc = *desc;
    const sn_swapchain_desc swapchain = {0};
    sn_result result =
        desc->window ? sn_swapchain_create(desc->device, desc->window, &swapchain, &p->swapchain) : SN_OK;
    if (result == SN_OK) {
        result = create_world(p);
    }
    if (result != SN_OK) {
        sn_player_destroy(player);
    }
    return result;
}

static void remove_character(sn_player *p)
{
    sn_grab_tool_finish(&p->grab_tool);
    sn_body_destroy(p->body);
    p->body = (sn_body_id){0};
    sn_player_free_poses(p);
    sn_player_edit_finish(p);
    while (p->solid_count > 0) {
        sn_collider_destroy(p->solids[--p->solid_count]);
        p->solids[p->solid_count] = (sn_collider_id){0};
        sn_render_model_destroy(p->renderer, &p->solid_models[p->solid_count]);
    }
    if (p->render_model) {
        sn_render_model_destroy(p->renderer, &p->render_model);
    }
    sn_embedding_destroy(&p->embedding);
    sn_player_parts_finish(p);
    p->model = NULL;
}

void sn_player_destroy(sn_player **player)
{
    sn_player *p = *player;
    *player = NULL;
    if (p) {
        remove_character(p);
        sn_panel_finish(&p->panel);
        sn_renderer_destroy(&p->renderer);
        sn_swapchain_destroy(&p->swapchain);
        sn_world_destroy(p->world);
        sn_gpu_destroy(&p->gpu);
        sn_free(p, 1, sizeof *p);
    }
}

static void set_character(sn_player *p, const sn_player_character *character)
{
    const double gravity = sn_length3(character->body.gravity), wind = sn_length3(character->body.wind);
    const char *slash = strrchr(character->name, '/');
    p->model = character->model;
    p->expression = -1;
    p->initial_motion = character->motion;
    p->motion_index = sn_player_index_of(p, &character->motion);
    p->body_desc = character->body;
    p->body_desc.model = character->model;
    p->start_desc = p->body_desc;
    p->is_flesh_drawn = character->is_flesh_drawn;
    snprintf(p->name, sizeof p->name, "%s", slash ? slash + 1 : character->name);
    for (int d = 0; d < 3; ++d) {
        p->gravity_direction[d] = gravity > 0 ? character->body.gravity[d] / gravity : d == 1 ? -1 : 0;
        p->wind_direction[d] = wind > 0 ? character->body.wind[d] / wind : d == 0 ? 1 : 0;
    }
}

/* The renderer is sized for the first character and grows for others. */
static sn_result create_renderer(sn_player *p)
{
    sn_renderer_desc desc = sn_default_renderer_desc();
    int size[2] = {p->desc.size[0], p->desc.size[1]};
    if (p->desc.window) {
        sn_window_show(p->desc.window);
        sn_window_size(p->desc.window, size);
    }
    desc.width = size[0] > 0 ? size[0] : desc.width;
    desc.height = size[1] > 0 ? size[1] : desc.height;
    desc.matrix_limit = p->model->counts.bone_count + p->model->counts.mode_count;
    return sn_renderer_create(p->desc.device, &desc, &p->renderer);
}

static sn_result create_body(sn_player *p, const sn_player_character *character)
{
    p->wind_seconds = 0;
    sn_result result = sn_player_allocate_poses(p);
    result = result ? result : sn_body_create(p->world, &p->body_desc, &p->body);
    const bool is_coupled = result == SN_OK && p->body_desc.solver == SN_SOLVER_COUPLED && character->locks;
    for (int bone = 0; bone < p->model->counts.bone_count && is_coupled; ++bone) {
        sn_body_set_locks(p->body, bone, character->locks[bone]);
    }
    result = result ? result : sn_player_edit_start(p, character->name);
    return result ? result : sn_player_parts_start(p, character->name, character->cook);
}

static sn_result create_solids(sn_player *p, const sn_player_character *character)
{
    sn_collider_desc desc = sn_default_collider_desc();
    desc.shape = SN_COLLIDER_GRID;
    SN_ASSERT(character->solid_count <= SN_SOLID_LIMIT);
    for (int i = 0; i < character->solid_count; ++i) {
        desc.grid = character->solids[i].grid;
        SN_TRY(sn_collider_create(p->world, &desc, &p->solids[i]));
        p->solid_shapes[p->solid_count++] = character->solids[i].collider;
        SN_TRY(sn_render_model_create(p->renderer, character->solids[i].surface, &p->solid_models[i]));
    }
    return SN_OK;
}

sn_result sn_player_set_character(sn_player *p, const sn_player_character *character)
{
    remove_character(p);
    set_character(p, character);
    sn_result result = p->renderer ? SN_OK : create_renderer(p);
    result = result ? result : create_body(p, character);
    result = result ? result : sn_player_upload(p, NULL);
    result = result ? result : create_solids(p, character);
    p->is_secondary_off = false;
    result = result ? result : sn_player_play_motion(p, &character->motion);
    if (result != SN_OK) {
        remove_character(p);
    }
    sn_player_show_message(p, "F1: keys");
    return result;
}

sn_result sn_player_try_character(sn_player *p, const sn_player_character *next, const sn_player_character *previous,
                                  bool *is_next)
{
    const char *subject = sn_log_subject(next->name); /* names the file in messages of inner modules */
    *is_next = sn_player_set_character(p, next) == SN_OK;
    sn_log_subject(subject);
    return *is_next ? SN_OK : sn_player_set_character(p, previous);
}

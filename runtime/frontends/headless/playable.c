/* SPDX-License-Identifier: MIT */
#include "runtime/frontends/headless/playable.h"

#include <math.h>

#include "runtime/session/player_state.h"
#include "runtime/view/scene_view.h"

#define STEP_LIMIT 8              /* maximum steps in one frame; the excess time is dropped */
#define SCENE_HEIGHT_FRACTION 0.8 /* fraction of the view's height that a scene's content fills */
#define BEHIND_YAW (3.14 / 2)     /* radians: a stage camera beyond this yaw is behind +Z */

struct sn_playable {
    sn_player *player; /* either a player, or a scene with its view */
    sn_scene *scene;
    sn_scene_view *view;
    sn_renderer *renderer;
    sn_body_id *bodies_storage; /* (bodies_storage_count) bodies of a scene */
    int bodies_storage_count;
    sn_render_body bodies[SN_PLAYER_BODY_LIMIT]; /* of a player */
    double solver_seconds;
};

/* ---- lifetime ---- */

sn_result sn_playable_create_character(sn_player *player, sn_playable **playable)
{
    sn_playable *s = sn_alloc(1, sizeof *s);
    *playable = s;
    if (!s) {
        return SN_ERROR_MEMORY;
    }
    s->player = player;
    return SN_OK;
}

static sn_result open_scene(sn_playable *s, const char *name, sn_gpu_device *device, const int size[2])
{
    sn_renderer_desc desc = sn_default_renderer_desc();
    s->bodies_storage_count = sn_scene_body_count(s->scene);
    s->bodies_storage = sn_alloc((size_t)s->bodies_storage_count, sizeof *s->bodies_storage);
    sn_result result = s->bodies_storage ? sn_scene_view_create(s->scene, name, &s->view) : SN_ERROR_MEMORY;
    if (result != SN_OK) {
        return result;
    }
    desc.width = size[0];
    desc.height = size[1];
    desc.matrix_limit = sn_scene_view_matrix_count(s->view);
    result = sn_renderer_create(device, &desc, &s->renderer);
    return result ? result : sn_scene_view_upload(s->view, s->renderer);
}

sn_result sn_playable_create_scene(sn_scene *scene, const char *name, sn_gpu_device *device, const int size[2],
                                   sn_playable **playable)
{
    sn_playable *s = sn_alloc(1, sizeof *s);
    *playable = s;
    if (!s) {
        return SN_ERROR_MEMORY;
    }
    s->scene = scene;
    const sn_result result = open_scene(s, name, device, size);
    if (result != SN_OK) {
        sn_playable_destroy(playable);
    }
    return result;
}

void sn_playable_destroy(sn_playable **playable)
{
    sn_playable *s = *playable;
    *playable = NULL;
    if (s) {
        sn_scene_view_destroy(&s->view);
        sn_renderer_destroy(&s->renderer);
        sn_free(s->bodies_storage, (size_t)s->bodies_storage_count, sizeof *s->bodies_storage);
        sn_free(s, 1, sizeof *s);
    }
}

/* ---- access ---- */

sn_renderer *sn_playable_renderer(const sn_playable *s)
{
    return s->player ? s->player->renderer : s->renderer;
}

sn_visible_bodies sn_playable_get_bodies(sn_playable *s)
{
    if (s->player) {
        return (sn_visible_bodies){s->player->world, &s->player->body, 1};
    }
    for (int i = 0; i < s->bodies_storage_count; ++i) {
        s->bodies_storage[i] = sn_scene_body_at(s->scene, i);
    }
    return (sn_visible_bodies){sn_scene_world(s->scene), s->bodies_storage, s->bodies_storage_count};
}

double sn_playable_solver_seconds(const sn_playable *s)
{
    return s->player ? s->player->solver_seconds : s->solver_seconds;
}

/* ---- time ---- */

sn_result sn_playable_restart(sn_playable *s)
{
    if (s->player) {
        sn_player_restart(s->player);
        return SN_OK;
    }
    return sn_scene_restart(s->scene);
}

static sn_result advance_scene(sn_playable *s, double seconds, bool is_grabbing, sn_player_report *report)
{
    const double limit = STEP_LIMIT * sn_scene_time_step(s->scene);
    sn_result result = SN_OK;
    if (!is_grabbing && sn_scene_time(s->scene) >= sn_scene_get_script(s->scene)->seconds) {
        result = sn_scene_restart(s->scene);
    }
    if (result != SN_OK) {
        return result;
    }
    const sn_scene_report report_now = sn_scene_advance(s->scene, fmin(seconds, limit));
    s->solver_seconds += report_now.world.solver_seconds;
    report->recovery_count += report_now.world.recovery_count;
    return sn_scene_view_update(s->view);
}

sn_result sn_playable_advance(sn_playable *s, double seconds, bool is_grabbing, sn_player_report *report)
{
    if (!s->player) {
        return advance_scene(s, seconds, is_grabbing, report);
    }
    sn_player_advance(s->player, fmin(seconds, STEP_LIMIT * s->player->desc.time_step));
    report->recovery_count = s->player->report.recovery_count;
    return SN_OK;
}

/* ---- drawing ---- */

void sn_playable_fill(sn_playable *s, sn_render_scene *scene)
{
    int size[2];
    sn_renderer_size(sn_playable_renderer(s), size);
    if (s->player) {
        sn_player_fill(s->player, size, s->bodies, scene);
    } else {
        const sn_orbit orbit = sn_scene_view_orbit(s->view);
        sn_scene_view_fill(s->view, &orbit, 1, scene);
    }
}

/* Size of the bounding box of the skin at rest. */
static void measure_skin(const sn_model *model, double sides[3])
{
    for (int d = 0; d < 3; ++d) {
        double low = INFINITY, high = -INFINITY;
        for (int v = 0; v < model->counts.surface_vertex_count; ++v) {
            low = fmin(low, (double)model->surface_positions[3 * v + d]);
            high = fmax(high, (double)model->surface_positions[3 * v + d]);
        }
        sides[d] = fmax(high - low, 1e-6 * model->diagonal);
    }
}

static sn_placement character_placement(const sn_player *p)
{
    double sides[3];
    measure_skin(p->model, sides);
    return (sn_placement){.anchor = {p->stage.path[0][0] + p->stage.center[0], p->stage.ground_height,
                                     p->stage.path[0][1] + p->stage.center[2]},
                          .has_floor = true,
                          .yaw = fabs(p->stage.yaw) > BEHIND_YAW ? BEHIND_YAW * 2 : 0,
                          .height = sides[1],
                          .size = fmax(sides[0], fmax(sides[1], sides[2])),
                          .depth = sides[2],
                          .metres_per_unit = 1 / p->model->scale};
}

static sn_placement scene_placement(const sn_playable *s)
{
    const sn_stage *stage = sn_scene_view_stage(s->view);
    const bool has_floor = sn_scene_get_script(s->scene)->has_floor;
    const double height = 2 * SCENE_HEIGHT_FRACTION * stage->distance * tan(sn_stage_vertical_angle() / 2);
    return (sn_placement){
        .anchor = {stage->center[0], has_floor ? stage->ground_height : stage->center[1], stage->center[2]},
        .has_floor = has_floor,
        .yaw = stage->yaw,
        .height = height,
        .size = height,
        .depth = height};
}

sn_placement sn_playable_get_placement(const sn_playable *s)
{
    return s->player ? character_placement(s->player) : scene_placement(s);
}

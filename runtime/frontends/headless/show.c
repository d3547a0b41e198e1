/* SPDX-License-Identifier: MIT */
#include "runtime/frontends/headless/show.h"

#include <math.h>

#include "runtime/session/player_state.h"
#include "runtime/view/scene_view.h"

#define STEP_LIMIT 8      /* maximum steps in one frame; the excess time is dropped */
#define SCENE_SHARE 0.8   /* fraction of the view's height that a scene's content fills */
#define TURNED (3.14 / 2) /* radians: a stage camera beyond this yaw is behind +Z */

struct sn_show {
    sn_player *player; /* either a player, or a scene with its view */
    sn_scene *scene;
    sn_scene_view *view;
    sn_renderer *renderer;
    sn_body_id *cast; /* (cast_count) bodies of a scene */
    int cast_count;
    sn_render_body bodies[SN_PLAYER_BODY_LIMIT]; /* of a player */
    double solver_seconds;
};

/* ---- lifetime ---- */

sn_result sn_show_create_character(sn_player *player, sn_show **show)
{
    sn_show *s = sn_alloc(1, sizeof *s);
    *show = s;
    if (!s) {
        return SN_ERROR_MEMORY;
    }
    s->player = player;
    return SN_OK;
}

static sn_result open_scene(sn_show *s, const char *name, sn_gpu_device *device, const int size[2])
{
    sn_renderer_desc desc = sn_default_renderer_desc();
    s->cast_count = sn_scene_body_count(s->scene);
    s->cast = sn_alloc((size_t)s->cast_count, sizeof *s->cast);
    sn_result result = s->cast ? sn_scene_view_create(s->scene, name, &s->view) : SN_ERROR_MEMORY;
    if (result != SN_OK) {
        return result;
    }
    desc.width = size[0];
    desc.height = size[1];
    desc.matrix_limit = sn_scene_view_matrix_count(s->view);
    result = sn_renderer_create(device, &desc, &s->renderer);
    return result ? result : sn_scene_view_upload(s->view, s->renderer);
}

sn_result sn_show_create_scene(sn_scene *scene, const char *name, sn_gpu_device *device, const int size[2],
                               sn_show **show)
{
    sn_show *s = sn_alloc(1, sizeof *s);
    *show = s;
    if (!s) {
        return SN_ERROR_MEMORY;
    }
    s->scene = scene;
    const sn_result result = open_scene(s, name, device, size);
    if (result != SN_OK) {
        sn_show_destroy(show);
    }
    return result;
}

void sn_show_destroy(sn_show **show)
{
    sn_show *s = *show;
    *show = NULL;
    if (s) {
        sn_scene_view_destroy(&s->view);
        sn_renderer_destroy(&s->renderer);
        sn_free(s->cast, (size_t)s->cast_count, sizeof *s->cast);
        sn_free(s, 1, sizeof *s);
    }
}

/* ---- access ---- */

sn_renderer *sn_show_renderer(const sn_show *s)
{
    return s->player ? s->player->renderer : s->renderer;
}

sn_show_cast sn_show_get_cast(sn_show *s)
{
    if (s->player) {
        return (sn_show_cast){s->player->world, &s->player->body, 1};
    }
    for (int i = 0; i < s->cast_count; ++i) {
        s->cast[i] = sn_scene_body_at(s->scene, i);
    }
    return (sn_show_cast){sn_scene_world(s->scene), s->cast, s->cast_count};
}

double sn_show_solver_seconds(const sn_show *s)
{
    return s->player ? s->player->solver_seconds : s->solver_seconds;
}

/* ---- time ---- */

sn_result sn_show_restart(sn_show *s)
{
    if (s->player) {
        sn_player_restart(s->player);
        return SN_OK;
    }
    return sn_scene_restart(s->scene);
}

static sn_result advance_scene(sn_show *s, double seconds, bool is_held, sn_player_report *report)
{
    const double limit = STEP_LIMIT * sn_scene_time_step(s->scene);
    sn_result result = SN_OK;
    if (!is_held && sn_scene_time(s->scene) >= sn_scene_get_script(s->scene)->seconds) {
        result = sn_scene_restart(s->scene);
    }
    if (result != SN_OK) {
        return result;
    }
    const sn_scene_report now = sn_scene_advance(s->scene, fmin(seconds, limit));
    s->solver_seconds += now.world.solver_seconds;
    report->recovery_count += now.world.recovery_count;
    return sn_scene_view_update(s->view);
}

sn_result sn_show_advance(sn_show *s, double seconds, bool is_held, sn_player_report *report)
{
    if (!s->player) {
        return advance_scene(s, seconds, is_held, report);
    }
    sn_player_advance(s->player, fmin(seconds, STEP_LIMIT * s->player->desc.time_step));
    report->recovery_count = s->player->report.recovery_count;
    return SN_OK;
}

/* ---- drawing ---- */

void sn_show_fill(sn_show *s, sn_render_scene *scene)
{
    int size[2];
    sn_renderer_size(sn_show_renderer(s), size);
    if (s->player) {
        sn_player_fill(s->player, size, s->bodies, scene);
    } else {
        const sn_orbit orbit = sn_scene_view_orbit(s->view);
        sn_scene_view_fill(s->view, &orbit, 1, scene);
    }
}

/* Size of the bounding box of the skin at rest. */
static void measure(const sn_model *model, double sides[3])
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

static sn_show_stand stand_character(const sn_player *p)
{
    double sides[3];
    measure(p->model, sides);
    return (sn_show_stand){.anchor = {p->stage.path[0][0] + p->stage.center[0], p->stage.ground_height,
                                      p->stage.path[0][1] + p->stage.center[2]},
                           .has_floor = true,
                           .yaw = fabs(p->stage.yaw) > TURNED ? TURNED * 2 : 0,
                           .height = sides[1],
                           .size = fmax(sides[0], fmax(sides[1], sides[2])),
                           .depth = sides[2],
                           .metres = 1 / p->model->scale};
}

static sn_show_stand stand_scene(const sn_show *s)
{
    const sn_stage *stage = sn_scene_view_stage(s->view);
    const bool has_floor = sn_scene_get_script(s->scene)->has_floor;
    const double height = 2 * SCENE_SHARE * stage->distance * tan(sn_stage_vertical_angle() / 2);
    return (sn_show_stand){
        .anchor = {stage->center[0], has_floor ? stage->ground_height : stage->center[1], stage->center[2]},
        .has_floor = has_floor,
        .yaw = stage->yaw,
        .height = height,
        .size = height,
        .depth = height};
}

sn_show_stand sn_show_get_stand(const sn_show *s)
{
    return s->player ? stand_character(s->player) : stand_scene(s);
}

/* SPDX-License-Identifier: MIT */
#include "runtime/app/player_state.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "host/base/clock.h"
#include "host/math/vec3.h"
#include "runtime/app/draw_body.h"
#include "runtime/app/gust.h"

#define STEP_LIMIT 8
#define FRAMES_IN_FLIGHT 2 /* calls of the world */
#define IDLE_SECONDS 0.1   /* between looks at a window that shows nothing */
#define STAGE_FRAME_SECONDS (1.0 / 60)

void sn_player_tell(sn_player *player, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sn_title_tell(&player->title, sn_now(), format, arguments);
    va_end(arguments);
}

/* ---- the motion ---- */

/* A looping motion's time ends just before its length: there it would be its first pose. */
static void sample_motion(const sn_player *p, double seconds, double *pose, float *morphs)
{
    const double last = p->is_looping ? nextafter(p->motion_seconds, 0) : p->motion_seconds;
    sn_motion_pose_at(&p->motion, p->desc.time_step, fmin(seconds, last), pose);
    sn_motion_morphs(&p->motion, fmin(seconds, last), morphs);
}

static void set_pose(sn_player *p)
{
    sample_motion(p, p->time, p->pose, p->morphs);
    if (p->expression >= 0) {
        sn_model_add_expression(p->model, p->expression, 1, p->morphs, p->model->counts.morph_count);
    }
    for (int bone = 0; bone < p->model->counts.bone_count; ++bone) {
        for (int i = 0; i < 12; ++i) {
            p->matrices[bone].m[i / 4][i % 4] = (float)p->pose[12 * bone + i];
        }
    }
    sn_player_edit_pose(p);
    sn_body_set_pose(p->body, p->matrices, p->model->counts.bone_count);
    sn_body_set_morphs(p->body, p->morphs, p->model->counts.morph_count);
}

static double stage_frame_seconds(const sn_player *p)
{
    return p->stage.frame_count > 1 ? p->motion_seconds / (p->stage.frame_count - 1) : STAGE_FRAME_SECONDS;
}

static void stage_pose(int frame, double *pose, float *morphs, void *user)
{
    const sn_player *p = user;
    sample_motion(p, frame * stage_frame_seconds(p), pose, morphs);
}

static sn_result plan_stage(sn_player *p)
{
    int size[2];
    sn_renderer_size(p->renderer, size);
    /* stage_pose looks at the number of frames */
    p->stage.frame_count = (int)fmin(ceil(p->motion_seconds / STAGE_FRAME_SECONDS), 1e6) + 1;
    const sn_stage_desc desc = {.model = p->model,
                                .name = p->name,
                                .pose = stage_pose,
                                .pose_user = p,
                                .frame_count = p->stage.frame_count,
                                .seconds_per_frame = stage_frame_seconds(p),
                                .width = size[0],
                                .height = size[1]};
    sn_stage stage;
    const sn_result result = sn_stage_plan(&desc, &stage);
    p->stage = stage;
    p->stage_aspect = (double)size[0] / size[1];
    p->orbit = sn_orbit_start(&p->stage);
    return result;
}

/* The floor that is drawn is one that flesh meets. */
sn_result sn_player_lay_floor(sn_player *p)
{
    sn_collider_desc desc = sn_default_collider_desc();
    desc.transform.m[1][3] = (float)p->stage.ground_height;
    sn_collider_destroy(p->floor);
    p->floor = (sn_collider_id){0};
    return p->is_floor_off ? SN_OK : sn_collider_create(p->world, &desc, &p->floor);
}

void sn_player_restart(sn_player *p)
{
    sn_hold_let_go(&p->hold, p->body);
    p->time = 0;
    set_pose(p);
    sn_body_reset(p->body);
}

static sn_result play_motion(sn_player *p, const sn_motion *motion)
{
    p->motion = *motion;
    p->motion_seconds = sn_motion_seconds(motion, p->desc.time_step);
    /* what is shorter than a step jumps at every step anyway */
    p->is_looping = !motion->poses && p->motion_seconds > p->desc.time_step;
    p->loop = p->is_looping && motion->clip >= 0 ? sn_loop_plan(p->model, motion->clip) : (sn_loop){0};
    sn_player_restart(p);
    const sn_result result = plan_stage(p);
    return result == SN_OK ? sn_player_lay_floor(p) : result;
}

/* The given motion, where it is none of the following; the clips; the hop. */
static int motion_count(const sn_player *p)
{
    const bool is_other = p->given.clip < 0 && !p->given.is_hop;
    return is_other + p->model->counts.clip_count + 1;
}

static int index_of(const sn_player *p, const sn_motion *motion)
{
    return motion->is_hop ? motion_count(p) - 1 : motion->clip >= 0 ? motion->clip : 0;
}

static sn_motion motion_at(const sn_player *p, int index)
{
    const bool is_other = p->given.clip < 0 && !p->given.is_hop;
    if (is_other && index == 0) {
        return p->given;
    }
    const int clip = index - is_other;
    const bool is_hop = clip == p->model->counts.clip_count;
    return (sn_motion){.model = p->model, .clip = is_hop ? -1 : clip, .is_hop = is_hop};
}

static const char *motion_name(const sn_player *p)
{
    const bool is_editing = p->edit.editor && sn_editor_is_editing(p->edit.editor);
    return is_editing                 ? "editing"
           : p->motion.is_hop         ? "hop"
           : p->motion.clip >= 0      ? sn_model_clip_name(p->model, p->motion.clip)
           : p->motion.poses          ? "poses"
           : p->motion.has_expression ? sn_model_expression_name(p->model, p->motion.expression)
                                      : "rest";
}

sn_result sn_player_change_motion(sn_player *p, int direction)
{
    const int count = motion_count(p);
    p->motion_index = (p->motion_index + direction + count) % count;
    const sn_motion motion = motion_at(p, p->motion_index);
    const sn_result result = play_motion(p, &motion);
    sn_player_tell(p, "%s (%d of %d)", motion_name(p), p->motion_index + 1, count);
    return result;
}

/* ---- time ---- */

sn_result sn_player_apply_desc(sn_player *p)
{
    sn_body_desc desc = p->body_desc;
    desc.amount = p->is_secondary_off ? 0 : desc.amount;
    for (int d = 0; d < 3; ++d) {
        desc.wind[d] *= sn_gust(p->wind_seconds);
    }
    return sn_body_set_desc(p->body, &desc);
}

static void step_world(sn_player *p, double seconds)
{
    set_pose(p);
    p->wind_seconds += seconds;
    sn_player_apply_desc(p); /* it was accepted when it was set: only the gust is another */
    const sn_world_report report = sn_world_step(p->world, seconds);
    p->title.solver_seconds += report.solver_seconds;
    p->solver_seconds += report.solver_seconds;
    p->report.recovery_count += report.recovery_count;
    if (report.recovery_count > 0) {
        sn_player_tell(p, "the body was put back, or a target refused: see the terminal");
    }
    sn_player_edit_record(p, seconds);
}

static void begin_again(sn_player *p)
{
    p->time = 0;
    if (p->loop.kind == SN_LOOP_TELEPORTS) {
        sn_body_teleport(p->body, &p->loop.jump);
    } else if (p->loop.kind == SN_LOOP_RESETS) {
        sn_player_restart(p);
    }
}

static void advance(sn_player *p, double seconds)
{
    while (p->is_looping && p->time + seconds >= p->motion_seconds) {
        const double left = p->motion_seconds - p->time;
        p->time = p->motion_seconds;
        step_world(p, left);
        seconds = fmax(seconds - left, 0);
        begin_again(p);
    }
    p->time += seconds;
    step_world(p, seconds);
}

/* ---- a frame ---- */

void sn_player_set_scene(const sn_player *p, const int size[2], sn_render_scene *scene)
{
    const double frame = fmin(p->time / stage_frame_seconds(p), p->stage.frame_count - 1);
    sn_stage_scene(&p->stage, frame, scene);
    scene->has_ground = scene->has_ground && !p->is_floor_off;
    sn_orbit_apply(&p->orbit, &p->stage, fmax(p->stage_aspect * size[1] / size[0], 1), &scene->camera);
}

sn_camera sn_player_look(const sn_player *p)
{
    sn_render_scene scene;
    int size[2];
    sn_window_size(p->desc.window, size);
    sn_player_set_scene(p, (const int[]){size[0] > 0 ? size[0] : 1, size[1] > 0 ? size[1] : 1}, &scene);
    return scene.camera;
}

static sn_result draw(sn_player *p, const int size[2], bool *is_drawn)
{
    sn_render_body bodies[SN_SOLID_LIMIT + 1] = {{.model = p->render_model}};
    for (int i = 0; i < p->solid_count; ++i) {
        bodies[i + 1] = (sn_render_body){.model = p->solid_models[i], .transforms = sn_solid_transforms};
    }
    sn_render_scene scene;
    sn_player_set_scene(p, size, &scene);
    scene.bodies = bodies;
    scene.body_count = p->solid_count + 1;
    sn_draw_body(p->body, &bodies[0], &scene);
    sn_player_edit_draw(p, &scene);
    return sn_swapchain_draw(p->swapchain, p->renderer, &scene, is_drawn);
}

static void count_frame(sn_player *p)
{
    const double milliseconds = sn_renderer_frame_ms(p->renderer);
    p->title.drawing_ms += milliseconds;
    p->drawing_ms += milliseconds;
    ++p->title.frame_count;
    ++p->report.frame_count;
}

static void update_title(sn_player *p)
{
    const char *title = sn_title_update(&p->title, sn_now(), p->name, motion_name(p), p->playback.is_paused);
    if (title) {
        sn_window_set_title(p->desc.window, title);
    }
}

static bool is_ready(const sn_player *p)
{
    return p->desc.is_ready && p->desc.is_ready(p->desc.ready_user);
}

static bool is_running(const sn_player *p)
{
    return !p->playback.is_quitting && !p->is_file_dropped && !is_ready(p) && !sn_window_is_closing(p->desc.window) &&
           (p->desc.frame_limit == 0 || p->report.frame_count < p->desc.frame_limit);
}

static sn_result run_frame(sn_player *p, double passed, bool *is_drawn)
{
    const double step = p->desc.time_step; /* the motion moves on as far as the world can follow */
    int size[2];
    sn_result result = sn_player_handle_events(p);
    result = result ? result : sn_player_edit_update(p);
    sn_window_size(p->desc.window, size);
    *is_drawn = false;
    if (result == SN_OK && size[0] > 0 && size[1] > 0) {
        const sn_camera camera = sn_player_look(p);
        sn_hold_pull(&p->hold, p->body, &camera);
        advance(p, sn_playback_seconds(&p->playback, fmin(passed, STEP_LIMIT * step), step));
        result = draw(p, size, is_drawn);
    }
    if (*is_drawn) {
        count_frame(p);
    }
    update_title(p);
    return result;
}

sn_result sn_player_run(sn_player *p, sn_player_end *end)
{
    SN_ASSERT(p->render_model);
    double before = sn_now();
    bool is_drawn = true;
    sn_result result = SN_OK;
    p->is_file_dropped = false;
    sn_window_show(p->desc.window);
    while (result == SN_OK && is_running(p)) {
        const double now = sn_now();
        result = run_frame(p, now - before, &is_drawn);
        p->report.seconds += now - before;
        before = now;
        sn_window_update(p->desc.window, is_drawn ? 0 : IDLE_SECONDS);
    }
    *end = p->is_file_dropped ? SN_PLAYER_FILE_DROPPED : is_ready(p) ? SN_PLAYER_READY : SN_PLAYER_CLOSED;
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
    if (p->desc.is_on_device) {
        const sn_result result = sn_gpu_create_on(p->desc.device, FRAMES_IN_FLIGHT, &p->gpu);
        if (result != SN_OK) {
            return result;
        }
        p->gpu->is_single = p->desc.is_single;
        desc.backend = sn_gpu_backend(p->gpu);
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
    sn_result result = sn_swapchain_create(desc->device, desc->window, &swapchain, &p->swapchain);
    if (result == SN_OK) {
        result = create_world(p);
    }
    if (result != SN_OK) {
        sn_player_destroy(player);
    }
    return result;
}

static void free_poses(sn_player *p)
{
    if (p->model) {
        const size_t bone_count = (size_t)p->model->counts.bone_count;
        sn_free(p->pose, 12 * bone_count, sizeof *p->pose);
        sn_free(p->matrices, bone_count, sizeof *p->matrices);
        sn_free(p->morphs, (size_t)p->model->counts.morph_count, sizeof *p->morphs);
    }
    p->pose = NULL;
    p->matrices = NULL;
    p->morphs = NULL;
}

static void remove_character(sn_player *p)
{
    sn_hold_finish(&p->hold);
    sn_body_destroy(p->body);
    p->body = (sn_body_id){0};
    free_poses(p);
    sn_player_edit_finish(p);
    while (p->solid_count > 0) {
        sn_collider_destroy(p->solids[--p->solid_count]);
        p->solids[p->solid_count] = (sn_collider_id){0};
        sn_render_model_destroy(p->renderer, &p->solid_models[p->solid_count]);
    }
    if (p->render_model) {
        sn_render_model_destroy(p->renderer, &p->render_model);
    }
    p->model = NULL;
}

void sn_player_destroy(sn_player **player)
{
    sn_player *p = *player;
    *player = NULL;
    if (p) {
        remove_character(p);
        sn_renderer_destroy(&p->renderer);
        sn_swapchain_destroy(&p->swapchain);
        sn_world_destroy(p->world);
        sn_gpu_destroy(&p->gpu);
        sn_free(p, 1, sizeof *p);
    }
}

static void take_character(sn_player *p, const sn_player_character *character)
{
    const double gravity = sn_length3(character->body.gravity), wind = sn_length3(character->body.wind);
    const char *slash = strrchr(character->name, '/');
    p->model = character->model;
    p->expression = -1;
    p->given = character->motion;
    p->motion_index = index_of(p, &character->motion);
    p->body_desc = character->body;
    p->body_desc.model = character->model;
    snprintf(p->name, sizeof p->name, "%s", slash ? slash + 1 : character->name);
    for (int d = 0; d < 3; ++d) {
        p->gravity_direction[d] = gravity > 0 ? character->body.gravity[d] / gravity : d == 1 ? -1 : 0;
        p->wind_direction[d] = wind > 0 ? character->body.wind[d] / wind : d == 0 ? 1 : 0;
    }
}

/* For the first character; others may need more transforms, and the renderer makes room. */
static sn_result create_renderer(sn_player *p)
{
    sn_renderer_desc desc = sn_default_renderer_desc();
    int size[2];
    sn_window_show(p->desc.window);
    sn_window_size(p->desc.window, size);
    desc.width = size[0] > 0 ? size[0] : desc.width;
    desc.height = size[1] > 0 ? size[1] : desc.height;
    desc.matrix_limit = p->model->counts.bone_count + p->model->counts.mode_count;
    return sn_renderer_create(p->desc.device, &desc, &p->renderer);
}

static sn_result allocate_poses(sn_player *p)
{
    const size_t bone_count = (size_t)p->model->counts.bone_count;
    p->pose = sn_alloc(12 * bone_count, sizeof *p->pose);
    p->matrices = sn_alloc(bone_count, sizeof *p->matrices);
    p->morphs = sn_alloc((size_t)p->model->counts.morph_count, sizeof *p->morphs);
    return p->pose && p->matrices && p->morphs ? sn_hold_start(&p->hold, p->model) : SN_ERROR_MEMORY;
}

static sn_result create_body(sn_player *p, const sn_player_character *character)
{
    p->wind_seconds = 0;
    sn_result result = allocate_poses(p);
    result = result ? result : sn_body_create(p->world, &p->body_desc, &p->body);
    const bool is_coupled = result == SN_OK && p->body_desc.solver == SN_SOLVER_COUPLED && character->locks;
    for (int bone = 0; bone < p->model->counts.bone_count && is_coupled; ++bone) {
        sn_body_set_locks(p->body, bone, character->locks[bone]);
    }
    return result ? result : sn_player_edit_start(p, character->name);
}

sn_result sn_player_take_rig(sn_player *p, const sn_model *model)
{
    sn_hold_let_go(&p->hold, p->body);
    sn_hold_finish(&p->hold);
    free_poses(p);
    p->model = p->body_desc.model = model;
    p->given = p->motion = (sn_motion){.model = model, .clip = -1};
    p->motion_index = 0;
    p->motion_seconds = p->time = 0;
    p->is_looping = false;
    p->loop = (sn_loop){0};
    sn_render_model *before = p->render_model; /* whose textures it shares */
    sn_result result = allocate_poses(p);
    result = result ? result : sn_render_model_create_like(p->renderer, model, before, &p->render_model);
    sn_render_model_destroy(p->renderer, &before);
    return result;
}

static sn_result place_solids(sn_player *p, const sn_player_character *character)
{
    sn_collider_desc desc = sn_default_collider_desc();
    desc.shape = SN_COLLIDER_GRID;
    sn_result result = SN_OK;
    SN_ASSERT(character->solid_count <= SN_SOLID_LIMIT);
    for (int i = 0; i < character->solid_count && result == SN_OK; ++i) {
        desc.grid = character->solids[i].grid;
        result = sn_collider_create(p->world, &desc, &p->solids[i]);
        if (result == SN_OK) {
            p->solid_shapes[p->solid_count++] = character->solids[i].collider;
            result = sn_render_model_create(p->renderer, character->solids[i].surface, &p->solid_models[i]);
        }
    }
    return result;
}

sn_result sn_player_show(sn_player *p, const sn_player_character *character)
{
    remove_character(p);
    take_character(p, character);
    sn_result result = p->renderer ? SN_OK : create_renderer(p);
    result = result ? result : create_body(p, character);
    result = result ? result : sn_render_model_create(p->renderer, p->model, &p->render_model);
    result = result ? result : place_solids(p, character);
    p->is_secondary_off = false;
    result = result ? result : play_motion(p, &character->motion);
    if (result != SN_OK) {
        remove_character(p);
    }
    sn_player_tell(p, "F1: keys");
    return result;
}

sn_result sn_player_try(sn_player *p, const sn_player_character *next, const sn_player_character *before, bool *is_next)
{
    const char *subject = sn_log_subject(next->name); /* what is deep inside does not know whose it is */
    *is_next = sn_player_show(p, next) == SN_OK;
    sn_log_subject(subject);
    return *is_next ? SN_OK : sn_player_show(p, before);
}

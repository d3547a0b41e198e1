/* SPDX-License-Identifier: MIT */
#include "tools/play/pictures.h"

#include <string.h>

#include "runtime/camera/follow_camera.h"
#include "tools/simulation/loop_jump.h"

static void stage_pose(int frame, double *pose, float *morphs, void *user)
{
    sn_simulation_pose(user, frame, pose, morphs);
}

/* Number of steps until the last picture. */
static int count_steps(const sn_pictures *p)
{
    return (p->desc->frame_count - 1) * p->desc->every + 1;
}

static sn_result plan_stage(sn_pictures *p)
{
    const sn_pictures_desc *d = p->desc;
    const sn_stage_desc desc = {.model = p->desc->model,
                                .name = d->parameters->motion ? d->parameters->motion : d->name,
                                .pose = stage_pose,
                                .pose_user = &p->simulation,
                                .frame_count = p->simulation.motion.live ? 1 : count_steps(p),
                                .seconds_per_frame = d->parameters->time_step,
                                .width = d->size[0],
                                .height = d->size[1],
                                .view = d->view};
    SN_TRY(sn_stage_plan(&desc, &p->stage));
    if (p->simulation.motion.live) {
        sn_follow_camera_start(&p->stage);
    }
    return SN_OK;
}

static sn_result open_renderer(sn_pictures *p)
{
    const sn_model_counts *c = &p->desc->model->counts;
    sn_renderer_desc desc = sn_default_renderer_desc();
    desc.width = p->desc->size[0];
    desc.height = p->desc->size[1];
    desc.matrix_limit = c->bone_count + c->mode_count + p->simulation.flesh.matrix_count;
    SN_TRY(sn_renderer_create(p->desc->device, &desc, &p->renderer));
    const sn_embedding *embedding = p->simulation.flesh.embedding;
    SN_TRY(embedding ? sn_render_model_create_embedded(p->renderer, embedding, NULL, &p->render_model)
                     : sn_render_model_create(p->renderer, p->desc->model, &p->render_model));
    for (int i = 0; i < p->simulation.solid_count; ++i) {
        SN_TRY(sn_render_model_create(p->renderer, p->simulation.solids[i].surface, &p->solid_models[i]));
    }
    return SN_OK;
}

static sn_result allocate(sn_pictures *p, sn_arena *arena)
{
    const sn_model_counts *c = &p->desc->model->counts;
    const size_t frames = (size_t)p->desc->frame_count;
    p->transforms = SN_NEW(arena, float, 12 * ((size_t)c->bone_count + (size_t)c->mode_count));
    p->step_ms = SN_NEW(arena, double, count_steps(p));
    p->draw_ms = SN_NEW(arena, double, frames);
    return p->transforms && p->step_ms && p->draw_ms ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result open_all(sn_pictures *p, sn_arena *arena)
{
    const sn_pictures_desc *d = p->desc;
    p->simulation.device = d->is_on_device ? d->device : NULL;
    sn_result result = sn_simulation_open(&p->simulation, p->desc->model, d->name, d->parameters, arena);
    if (result == SN_OK) {
        result = plan_stage(p);
    }
    if (result == SN_OK) {
        result = sn_simulation_add_floor(&p->simulation, p->stage.ground_height);
    }
    if (result == SN_OK) {
        result = allocate(p, arena);
    }
    if (result == SN_OK) {
        result = open_renderer(p);
    }
    if (result == SN_OK && (d->has_handles || d->has_mesh)) {
        result = sn_overlays_open(&p->markers, &p->simulation, d->has_handles, d->has_mesh, arena);
    }
    if (result == SN_OK && d->is_on_device && !d->parameters->is_coupled && !d->parameters->is_layered) {
        const sn_rig_pose start = {p->simulation.pose, p->simulation.morphs};
        result = sn_device_body_open(&p->device_body, p->desc->device, p->desc->model, d->parameters, &start, arena);
    }
    return result == SN_OK ? sn_frames_open(d->out, d->sheet, d->frame_count, d->size, d->backdrop == SN_BACKDROP_NONE,
                                            arena, &p->frames)
                           : result;
}

/* Reads a coupled body's bones back only if they are displayed; otherwise uses the pose. */
static sn_result submit_coupled(sn_pictures *p, const sn_surroundings *surroundings)
{
    sn_simulation *s = &p->simulation;
    bool is_valid = true;
    const bool is_displayed = p->desc->has_handles || p->desc->has_mesh || sn_render_model_blends(p->render_model);
    const sn_result result = sn_coupled_run_step(&s->coupled, s->pose, surroundings, &is_valid);
    memcpy(s->bones, s->pose, 12 * (size_t)p->desc->model->counts.bone_count * sizeof *s->bones);
    return result == SN_OK && is_displayed ? sn_coupled_run_read(&s->coupled, s->bones, &is_valid) : result;
}

/* Reads a layered body's tets back only if they are displayed. */
static sn_result submit_layered(sn_pictures *p, int frame, const sn_surroundings *surroundings)
{
    sn_simulation *s = &p->simulation;
    bool is_valid = true;
    if (sn_loop_jump_is_due(s, frame)) {
        sn_layered_run_apply_loop_jump(&s->layered, &s->loop, s->pose);
    }
    const sn_result result = sn_layered_run_step(&s->layered, s->pose, surroundings, &is_valid);
    if (result == SN_OK && (p->desc->has_mesh || sn_render_model_blends(p->render_model))) {
        sn_simulation_update_flesh(s);
    }
    return result;
}

/* The matrices on the device. */
static sn_result submit(sn_pictures *p, int frame)
{
    sn_simulation *s = &p->simulation;
    const sn_surroundings surroundings = sn_simulation_surroundings(s, frame);
    sn_simulation_move(s, frame);
    const sn_rig_pose pose = {s->pose, s->morphs};
    if (s->parameters->is_layered) {
        return submit_layered(p, frame, &surroundings);
    }
    if (!s->parameters->is_coupled && sn_loop_jump_is_due(s, frame)) {
        sn_device_body_apply_loop_jump(&p->device_body, &s->loop, &pose);
    }
    return s->parameters->is_coupled ? submit_coupled(p, &surroundings)
                                     : sn_device_body_submit(&p->device_body, &pose, &surroundings);
}

/* Uses the matrices on the device, or computes them on the CPU and uploads them. */
static sn_result step(sn_pictures *p, int frame)
{
    sn_simulation *s = &p->simulation;
    const size_t bones = 12 * (size_t)p->desc->model->counts.bone_count,
                 modes = 12 * (size_t)p->desc->model->counts.mode_count;
    sn_result result = SN_OK;
    if (p->desc->is_on_device) {
        result = submit(p, frame);
    } else {
        sn_simulation_step(s, frame);
        p->step_ms[frame] = s->milliseconds;
        for (size_t i = 0; i < modes; ++i) {
            p->transforms[bones + i] = (float)s->modes[i];
        }
    }
    for (size_t i = 0; i < bones; ++i) {
        p->transforms[i] = (float)s->bones[i];
    }
    return result;
}

static void find_matrices(const sn_pictures *p, sn_render_body *body, sn_render_scene *scene)
{
    const sn_device_body *d = &p->device_body;
    body->is_on_device = true;
    const sn_simulation *s = &p->simulation;
    if (s->parameters->is_coupled || s->parameters->is_layered) {
        const sn_device_run_matrices at = sn_device_run_find_matrices(
            s->parameters->is_layered ? s->layered.body : s->coupled.body, s->flesh.embedding != NULL);
        scene->matrices[0].buffer = at.buffer;
        body->first_matrix = at.first;
        return;
    }
    body->first_matrix = sn_gpu_reduced_first_matrix(d->reduced, d->body);
    scene->matrices[0].buffer = sn_gpu_reduced_matrices(d->reduced)->handle;
}

/* Moves the rig, the camera and the flesh to a frame. */
static sn_result advance(sn_pictures *p, int frame)
{
    const sn_live_motion *live = p->simulation.motion.live;
    const double seconds = frame > 0 ? p->desc->parameters->time_step : 0;
    sn_motion_advance(&p->simulation.motion, seconds);
    if (live) {
        sn_follow_camera_update(&p->stage, p->desc->model, live->pose, seconds);
    }
    return step(p, frame);
}

static sn_result draw_frame(sn_pictures *p, int frame)
{
    const sn_live_motion *live = p->simulation.motion.live;
    sn_render_body bodies[SN_SOLID_LIMIT + 1] = {
        {.model = p->render_model,
         .transforms = p->simulation.flesh.embedding ? p->simulation.flesh.matrices : p->transforms,
         .morphs = p->simulation.morphs,
         .mode_count = p->simulation.solver ? sn_reduced_solver_mode_count(p->simulation.solver) : 0}};
    for (int i = 0; i < p->simulation.solid_count; ++i) {
        bodies[i + 1] = (sn_render_body){.model = p->solid_models[i], .transforms = sn_solid_transforms};
    }
    sn_render_scene scene;
    sn_stage_scene(&p->stage, live ? 0 : frame, &scene);
    scene.bodies = bodies;
    scene.body_count = p->simulation.solid_count + 1;
    scene.seconds = (float)(frame * p->desc->parameters->time_step);
    sn_render_set_backdrop(&scene, p->desc->backdrop, p->desc->background);
    if (p->desc->is_on_device) {
        find_matrices(p, &bodies[0], &scene);
    }
    const int mode_count = p->desc->is_on_device ? 0 : bodies[0].mode_count; /* the matrices stay on the device */
    sn_overlays_draw(&p->markers, p->transforms, mode_count, p->desc->size[1], &scene);
    return sn_renderer_draw(p->renderer, &scene);
}

static sn_result write_frame(sn_pictures *p)
{
    const int frame = p->frames.written_count;
    const uint8_t *pixels = NULL;
    sn_result result = sn_renderer_read(p->renderer, &pixels);
    if (result == SN_OK && p->device_body.reduced) {
        result = sn_device_body_milliseconds(&p->device_body, (uint32_t)frame, &p->step_ms[frame]);
    } else if (result == SN_OK && p->desc->is_on_device) {
        sn_device_run *run =
            p->simulation.parameters->is_layered ? &p->simulation.layered.device : &p->simulation.coupled.device;
        result = sn_device_run_milliseconds(run, (uint32_t)frame, &p->step_ms[frame]);
    }
    if (result == SN_OK) {
        p->draw_ms[frame] = sn_renderer_frame_ms(p->renderer);
        result = sn_frames_write(&p->frames, pixels);
    }
    return result;
}

/* Writes the previous frame while the device renders this one. */
static sn_result draw_frames(sn_pictures *p)
{
    const int every = p->desc->every;
    for (int i = 0; sn_frames_has_next(i, p->desc->frame_count); ++i) {
        for (int frame = i > 0 ? (i - 1) * every + 1 : 0; frame <= i * every; ++frame) {
            SN_TRY(advance(p, frame));
        }
        SN_TRY(draw_frame(p, i * every));
        if (i > 0) {
            SN_TRY(write_frame(p));
        }
    }
    SN_TRY(write_frame(p));
    return sn_frames_finish(&p->frames);
}

sn_result sn_pictures_render(sn_pictures *p, const sn_pictures_desc *desc, sn_arena *arena)
{
    p->desc = desc;
    SN_TRY(open_all(p, arena));
    return draw_frames(p);
}

void sn_pictures_close(sn_pictures *p)
{
    if (p->render_model) {
        sn_render_model_destroy(p->renderer, &p->render_model);
    }
    for (int i = 0; i < SN_SOLID_LIMIT && p->solid_models[i]; ++i) {
        sn_render_model_destroy(p->renderer, &p->solid_models[i]);
    }
    sn_renderer_destroy(&p->renderer);
    sn_device_body_close(&p->device_body);
    sn_overlays_close(&p->markers);
    sn_simulation_close(&p->simulation);
}

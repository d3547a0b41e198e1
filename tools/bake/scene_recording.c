/* SPDX-License-Identifier: MIT */
#include "tools/bake/scene_recording.h"

#include <math.h>
#include <string.h>

#include "tools/scene_json/scene_json.h"

/* Computes the number of frames and of steps per frame; a frame is a whole number of the scene's steps. */
static sn_result plan(sn_scene_recording *r, double scene_seconds)
{
    const sn_scene_recording_desc *d = r->desc;
    const double step = sn_scene_time_step(r->scene);
    const double steps = d->fps > 0 ? 1 / (d->fps * step) : 1, whole_steps = floor(steps + 0.5);
    if (whole_steps < 1 || fabs(steps - whole_steps) > 1e-6 * whole_steps) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: --fps %g: not a whole number of its steps, of which a second has %g",
                       d->scene, d->fps, 1 / step);
    }
    const double seconds = d->seconds > 0 ? d->seconds : scene_seconds;
    const double frames = floor(seconds / (whole_steps * step) + 1e-6);
    if (frames >= SN_FRAME_LIMIT) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %.0f frames are more than %.0f", d->scene, frames, SN_FRAME_LIMIT);
    }
    r->frame_count = (int)frames + 1;
    r->steps_per_frame = (int)fmin(whole_steps, 1e9);
    return SN_OK;
}

/* The scene uses the coordinates of its models instead of those of the cooked files. */
static void load_model(sn_scene_recording *r)
{
    r->model = *r->body.model;
    r->model.scale = 1;
    r->model.origin_x = r->model.origin_y = r->model.origin_z = 0;
}

sn_result sn_scene_recording_open(sn_scene_recording *r, const sn_scene_recording_desc *desc, sn_arena *arena)
{
    const sn_scene_script *script = NULL;
    sn_world_desc world = sn_default_world_desc();
    world.worker_count = desc->threads < 64 ? desc->threads : 64;
    r->desc = desc;
    SN_TRY(sn_scene_open(desc->scene, arena, &script));
    SN_TRY(sn_scene_start(desc->scene, script, &world, &r->scene));
    SN_TRY(plan(r, script->seconds));
    if (desc->body >= sn_scene_body_count(r->scene)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: --body %d: it has bodies 0 to %d", desc->scene, desc->body,
                       sn_scene_body_count(r->scene) - 1);
    }
    SN_TRY(sn_scene_body_state_open(r->scene, desc->body, arena, &r->body));
    load_model(r);
    return SN_OK;
}

void sn_scene_recording_close(sn_scene_recording *r)
{
    sn_scene_destroy(&r->scene);
    *r = (sn_scene_recording){0};
}

/* Number of recoveries of all bodies. */
static int advance(const sn_scene_recording *r)
{
    int recoveries = 0;
    for (int step = 0; step < r->steps_per_frame; ++step) {
        recoveries += (int)sn_scene_step(r->scene).world.recovery_count;
    }
    return recoveries;
}

sn_result sn_scene_recording_run(sn_scene_recording *r, sn_arena *arena, sn_recording *result_recording)
{
    const sn_model_counts *c = &r->model.counts;
    const size_t frames = (size_t)r->frame_count, bones = 12 * (size_t)c->bone_count,
                 modes = r->body.is_coupled || r->body.is_layered ? 0 : 12 * (size_t)c->mode_count,
                 morphs = (size_t)c->morph_count;
    sn_recorded_surface surface = {0};
    if (sn_body_embedding(r->body.id) &&
        sn_recorded_surface_open(&surface, &r->model, r->frame_count, arena) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    double *all_bones = sn_arena_alloc(arena, frames, bones * sizeof(double));
    double *all_modes = sn_arena_alloc(arena, frames, modes * sizeof(double));
    float *all_morphs = sn_arena_alloc(arena, frames, morphs * sizeof(float));
    if (!all_bones || !all_modes || !all_morphs) {
        return SN_ERROR_MEMORY;
    }
    *result_recording = (sn_recording){.motion = {.model = &r->model,
                                                  .frame_count = r->frame_count,
                                                  .frame_rate = 1 / (r->steps_per_frame * sn_scene_time_step(r->scene)),
                                                  .poses = all_bones,
                                                  .modes = modes > 0 ? all_modes : NULL,
                                                  .morphs = all_morphs,
                                                  .surface = surface.positions,
                                                  .surface_normals = surface.normals}};
    for (size_t frame = 0; frame < frames; ++frame) {
        result_recording->recoveries += frame > 0 ? advance(r) : 0;
        sn_scene_body_state_read(&r->body); /* on the CPU it cannot fail */
        if (r->body.model->counts.bone_count != c->bone_count || r->body.model->bone_names != r->model.bone_names) {
            return sn_fail(SN_ERROR_UNSUPPORTED, "%s: body %d: an event gives it other bones: that cannot be baked",
                           r->desc->scene, r->desc->body);
        }
        memcpy(all_bones + frame * bones, r->body.bones, bones * sizeof(double));
        memcpy(all_modes + frame * modes, r->body.modes, modes * sizeof(double));
        if (surface.positions) {
            sn_scene_body_state_surface(&r->body, surface.position, surface.normal);
            sn_recorded_surface_append(&surface, (int)frame);
        }
        for (size_t m = 0; m < morphs; ++m) {
            all_morphs[frame * morphs + m] = r->body.morphs[m];
        }
    }
    return SN_OK;
}

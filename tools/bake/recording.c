/* SPDX-License-Identifier: MIT */
#include "tools/bake/recording.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/math/affine.h"
#include "tools/simulation/floor.h"
#include "tools/simulation/loop_jump.h"

#define PERIODIC_TOLERANCE 1e-5 /* in diagonals; periods that differ by less are considered equal */

typedef struct recorder {
    const sn_recording_desc *desc;
    const sn_model *model;
    sn_simulation_parameters parameters;
    sn_simulation simulation;
    sn_recording *recording;
    int frame_count; /* of the recording */
    int steps_per_frame;
    double *poses, *modes, *modes_before;
    double *poses_before; /* for a loop with spring bones, else null */
    float *morphs;
    sn_recorded_surface surface; /* if the flesh is rendered */
} recorder;

/* A sampling rate that hits every frame of the motion. */
static double natural_rate(const recorder *r, const sn_motion *motion)
{
    const bool is_clip = !motion->poses && !motion->is_hop && motion->clip >= 0;
    return r->desc->fps > 0 ? r->desc->fps
           : is_clip        ? r->model->clip_frame_rates[motion->clip]
                            : 1 / r->parameters.time_step;
}

static double find_seconds(const recorder *r, const sn_motion *motion)
{
    return r->desc->seconds > 0 ? r->desc->seconds : sn_motion_seconds(motion, r->parameters.time_step);
}

/* Computes the number of frames and of steps per frame; a loop's frames divide its period. */
static sn_result plan(recorder *r, const sn_motion *motion)
{
    const sn_recording_desc *d = r->desc;
    const double seconds = find_seconds(r, motion);
    double rate = natural_rate(r, motion);
    if (motion->poses && (d->fps > 0 || d->is_loop)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %s: a motion from an array has one frame per step and a fixed length",
                       d->model_path, d->is_loop ? "--loop" : "--fps");
    }
    if (!(seconds > 0) && motion->clip < 0 && !motion->poses) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: the motion has no length; use --seconds", d->model_path);
    }
    const double frames = floor(seconds * rate + 0.5);
    if (frames >= SN_FRAME_LIMIT) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %.0f frames are more than %.0f", d->model_path, frames, SN_FRAME_LIMIT);
    }
    if (d->is_loop && frames < 2) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: --loop: a motion of %.0f frames", d->model_path, frames + 1);
    }
    rate = d->is_loop ? frames / seconds : rate;
    r->frame_count = (int)frames + 1;
    r->steps_per_frame = motion->poses ? 1 : (int)fmax(ceil(1 / (rate * r->parameters.time_step) - 1e-6), 1);
    r->recording->motion.frame_rate = rate;
    /* slightly less than the length, since a clip's last frame is not yet its first again */
    r->parameters.time_step = (1 - 1e-11) / (rate * r->steps_per_frame);
    return SN_OK;
}

sn_result sn_recorded_surface_open(sn_recorded_surface *s, const sn_model *model, int frame_count, sn_arena *arena)
{
    s->width = 3 * (size_t)model->counts.surface_vertex_count;
    s->positions = sn_arena_alloc(arena, (size_t)frame_count, s->width * sizeof(float));
    s->normals = sn_arena_alloc(arena, (size_t)frame_count, s->width * sizeof(float));
    s->position = SN_NEW(arena, double, s->width);
    s->normal = SN_NEW(arena, double, s->width);
    return s->positions && s->normals && s->position && s->normal ? SN_OK : SN_ERROR_MEMORY;
}

void sn_recorded_surface_append(sn_recorded_surface *s, int frame)
{
    for (size_t i = 0; i < s->width; ++i) {
        s->positions[(size_t)frame * s->width + i] = (float)s->position[i];
        s->normals[(size_t)frame * s->width + i] = (float)s->normal[i];
    }
}

static sn_result allocate(recorder *r, sn_arena *arena)
{
    const sn_model_counts *c = &r->model->counts;
    const size_t frames = (size_t)r->frame_count;
    r->poses = sn_arena_alloc(arena, frames, 12 * (size_t)c->bone_count * sizeof(double));
    r->morphs = sn_arena_alloc(arena, frames, (size_t)c->morph_count * sizeof(float));
    if (!r->poses || !r->morphs) {
        return SN_ERROR_MEMORY;
    }
    if (r->desc->is_loop && !r->desc->is_rig_only && r->simulation.springs) {
        r->poses_before = sn_arena_alloc(arena, frames, 12 * (size_t)c->bone_count * sizeof(double));
        if (!r->poses_before) {
            return SN_ERROR_MEMORY;
        }
    }
    if (!r->desc->is_rig_only && !r->parameters.is_coupled && c->mode_count > 0) {
        r->modes = sn_arena_alloc(arena, frames, 12 * (size_t)c->mode_count * sizeof(double));
        r->modes_before = sn_arena_alloc(arena, frames, 12 * (size_t)c->mode_count * sizeof(double));
        return r->modes && r->modes_before ? SN_OK : SN_ERROR_MEMORY;
    }
    return !r->desc->is_rig_only && r->simulation.flesh.embedding
               ? sn_recorded_surface_open(&r->surface, r->model, r->frame_count, arena)
               : SN_OK;
}

static void record_frame(recorder *r, int frame)
{
    const sn_model_counts *c = &r->model->counts;
    const size_t bones = 12 * (size_t)c->bone_count, modes = 12 * (size_t)c->mode_count, row = (size_t)frame;
    memcpy(r->poses + row * bones, r->desc->is_rig_only ? r->simulation.pose : r->simulation.bones,
           bones * sizeof(double));
    if (c->morph_count > 0) {
        memcpy(r->morphs + row * (size_t)c->morph_count, r->simulation.morphs, (size_t)c->morph_count * sizeof(float));
    }
    if (r->modes) {
        memcpy(r->modes + row * modes, r->simulation.modes, modes * sizeof(double));
    }
    if (r->surface.positions) {
        sn_embedded_surface_positions(&r->simulation.flesh, r->simulation.morphs, r->surface.position,
                                      r->surface.normal);
        sn_recorded_surface_append(&r->surface, frame);
    }
}

/* Steps up to a frame, counted from the start of the simulation. */
static void step_to(recorder *r, int frame, int *steps_done)
{
    for (; *steps_done <= frame * r->steps_per_frame; ++*steps_done) {
        if (r->desc->is_rig_only) {
            sn_simulation_pose(&r->simulation, *steps_done, r->simulation.pose, r->simulation.morphs);
        } else {
            r->recording->recoveries += sn_simulation_step(&r->simulation, *steps_done).is_recovered;
        }
    }
}

static void run_once(recorder *r)
{
    int steps_done = 0;
    for (int frame = 0; frame < r->frame_count; ++frame) {
        step_to(r, frame, &steps_done);
        record_frame(r, frame);
    }
}

/* Approximate distance between a point of the model under two periods' transforms (count x 12). */
static double transforms_differ(const recorder *r, const double *a, const double *b, size_t count)
{
    double max_difference = 0;
    for (size_t i = 0; a && b && i < 12 * count; ++i) {
        const double weight = i % 4 < 3 ? 1 : 1 / r->model->diagonal;
        max_difference = fmax(max_difference, weight * fabs(a[i] - b[i]));
    }
    return max_difference;
}

/* Maximum over the modes, and over the bones if they swing. */
static double find_difference(const recorder *r)
{
    const size_t frames = (size_t)r->frame_count;
    return fmax(transforms_differ(r, r->modes, r->modes_before, frames * (size_t)r->model->counts.mode_count),
                transforms_differ(r, r->poses, r->poses_before, frames * (size_t)r->model->counts.bone_count));
}

/* Blends the transforms (frame_count x width) of a period with those of the previous period. */
static void blend(const recorder *r, size_t width, double *transforms, const double *before)
{
    const int last = r->frame_count - 1;
    for (int frame = 0; transforms && before && frame <= last; ++frame) {
        const double t = (double)frame / last, share = t * t * (3 - 2 * t);
        for (size_t i = (size_t)frame * width; i < ((size_t)frame + 1) * width; ++i) {
            transforms[i] += share * (before[i] - transforms[i]);
        }
    }
}

/* Blends from the last period at the start to the previous period at the end. The previous period's end is the last
 * one's start, so that positions and velocities match at the wrap. A clip that jumps there still jumps. */
static void blend_periods(recorder *r)
{
    const int last = r->frame_count - 1;
    blend(r, 12 * (size_t)r->model->counts.mode_count, r->modes, r->modes_before);
    blend(r, 12 * (size_t)r->model->counts.bone_count, r->poses, r->poses_before);
    if (r->simulation.loop.type == SN_LOOP_CONTINUOUS) {
        memcpy(r->poses + 12 * (size_t)last * (size_t)r->model->counts.bone_count, r->poses,
               12 * (size_t)r->model->counts.bone_count * sizeof(double));
        memcpy(r->morphs + (size_t)last * (size_t)r->model->counts.morph_count, r->morphs,
               (size_t)r->model->counts.morph_count * sizeof(float));
    }
}

/* Computes the first pose of a period from the end of the previous one; a motion that restarts at rest does so again.
 */
static void begin_poses(const recorder *r, const double *before, double *poses)
{
    const size_t width = 12 * (size_t)r->model->counts.bone_count;
    const double *end = before + width * ((size_t)r->frame_count - 1);
    double jump[12];
    sn_loop_jump_transform(&r->simulation.loop, jump);
    memcpy(poses, r->simulation.loop.type == SN_LOOP_RESET ? before : end, width * sizeof *poses);
    for (size_t i = 0; i < width && r->simulation.loop.type == SN_LOOP_TELEPORT; i += 12) {
        sn_affine_multiply(jump, end + i, poses + i);
    }
}

/* Computes the first modes (mode_count x 12) of a period from the end of the previous one: moved as the clip jumps, or
 * at rest. */
static void begin_period(const recorder *r, const double *end, double *modes)
{
    const sn_loop *loop = &r->simulation.loop;
    const size_t count = 12 * (size_t)r->model->counts.mode_count;
    double jump[12];
    sn_loop_jump_transform(loop, jump);
    for (size_t i = 0; i < count; ++i) {
        const double *row = jump + 4 * (i % 12 / 4), *column = end + (i - i % 12 + i % 4);
        modes[i] = loop->type == SN_LOOP_CONTINUOUS ? end[i]
                   : loop->type == SN_LOOP_RESET    ? 0
                                                    : row[0] * column[0] + row[1] * column[4] + row[2] * column[8];
    }
}

/* The end of a period is the start of the next. */
static void run_loop(recorder *r)
{
    int steps_done = 0;
    sn_recording *recording = r->recording;
    for (int period = 0; period < SN_LOOP_LIMIT; ++period) {
        if (r->modes && period > 0) {
            double *swap = r->modes;
            r->modes = r->modes_before;
            r->modes_before = swap;
            begin_period(r, r->modes_before + 12 * (size_t)r->model->counts.mode_count * ((size_t)r->frame_count - 1),
                         r->modes);
        }
        if (r->poses_before && period > 0) {
            double *swap = r->poses;
            r->poses = r->poses_before;
            r->poses_before = swap;
            begin_poses(r, r->poses_before, r->poses);
        }
        for (int frame = period > 0; frame < r->frame_count; ++frame) {
            step_to(r, period * (r->frame_count - 1) + frame, &steps_done);
            record_frame(r, frame);
        }
        recording->period_count = period + 1;
        recording->difference = period > 0 ? find_difference(r) : INFINITY;
        if (recording->difference < PERIODIC_TOLERANCE) {
            break;
        }
    }
    blend_periods(r);
}

static sn_result run(recorder *r, sn_arena *arena)
{
    const sn_recording_desc *d = r->desc;
    double floor_height;
    SN_TRY(sn_simulation_open(&r->simulation, r->model, d->model_path, &r->parameters, arena));
    if (!d->is_rig_only) {
        SN_TRY(sn_floor_add(d->floor, d->model_path, true, r->frame_count * r->steps_per_frame, &r->simulation,
                            &floor_height));
    }
    SN_TRY(allocate(r, arena));
    if (d->is_loop && r->simulation.loop.type == SN_LOOP_RESET) {
        sn_log(SN_LOG_WARNING, "%s: --loop: the clip ends in another pose than it begins with, and jumps there",
               d->model_path);
    }
    (d->is_loop ? run_loop : run_once)(r);
    return SN_OK;
}

sn_result sn_recording_run(const sn_recording_desc *desc, const sn_model *model,
                           const sn_simulation_parameters *parameters, sn_arena *arena, sn_recording *recording)
{
    *recording = (sn_recording){.motion = {.model = model}};
    recorder r = {.desc = desc, .model = model, .parameters = *parameters, .recording = recording};
    sn_motion motion;
    if (parameters->is_coupled && (model->counts.clip_count == 0 || sn_model_has_rest_pose_only(model))) {
        r.parameters.plays_first_clip = false; /* no hop by default: pinned vertices stay fixed, as in sim */
    }
    sn_result result = sn_simulation_open_motion(&r.parameters, desc->model_path, model, arena, &motion);
    if (result == SN_OK) {
        result = plan(&r, &motion);
    }
    if (result == SN_OK) {
        result = run(&r, arena);
    }
    sn_simulation_close(&r.simulation);
    recording->clip_name = motion.clip >= 0 ? sn_model_clip_name(model, motion.clip) : NULL;
    recording->motion.frame_count = r.frame_count;
    recording->motion.poses = r.poses;
    recording->motion.modes = r.modes;
    recording->motion.morphs = r.morphs;
    recording->motion.surface = r.surface.positions;
    recording->motion.surface_normals = r.surface.normals;
    return result;
}

/* ---- all clips ---- */

typedef enum motion_array { POSES, MODES, MORPHS, SURFACE, NORMALS, ARRAY_COUNT } motion_array;

static const void *array_of(const sn_bake_motion *m, motion_array which)
{
    const void *const arrays[ARRAY_COUNT] = {m->poses, m->modes, m->morphs, m->surface, m->surface_normals};
    return arrays[which];
}

/* Joins the arrays of the recordings. */
static sn_result join(const sn_recording *parts, int count, sn_arena *arena, sn_bake_motion *m)
{
    const sn_model_counts *c = &m->model->counts;
    const size_t vertices = (size_t)c->surface_vertex_count;
    const size_t widths[ARRAY_COUNT] = {
        12 * (size_t)c->bone_count * sizeof(double), 12 * (size_t)c->mode_count * sizeof(double),
        (size_t)c->morph_count * sizeof(float), 3 * vertices * sizeof(float), 3 * vertices * sizeof(float)};
    const void *joined[ARRAY_COUNT] = {0};
    for (int which = 0; which < ARRAY_COUNT; ++which) {
        const size_t width = widths[which];
        if (!array_of(&parts[0].motion, (motion_array)which)) {
            continue;
        }
        uint8_t *to = sn_arena_alloc(arena, (size_t)m->frame_count, width);
        if (!to) {
            return SN_ERROR_MEMORY;
        }
        joined[which] = to;
        for (int i = 0; i < count && width > 0; ++i) {
            const size_t size = (size_t)parts[i].motion.frame_count * width;
            memcpy(to, array_of(&parts[i].motion, (motion_array)which), size);
            to += size;
        }
    }
    m->poses = joined[POSES];
    m->modes = joined[MODES];
    m->morphs = joined[MORPHS];
    m->surface = joined[SURFACE];
    m->surface_normals = joined[NORMALS];
    return SN_OK;
}

static sn_result record_clips(const sn_recording_desc *desc, const sn_simulation_parameters *parameters,
                              sn_arena *scratch, sn_recording *parts, sn_bake_clip *clips, sn_recording *all)
{
    const sn_model *model = all->motion.model;
    double frames = 0;
    for (int i = 0; i < model->counts.clip_count; ++i) {
        const char *name = sn_model_clip_name(model, i);
        if (sn_model_find_clip(model, name) != i) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: clips: two are called '%s'; rename one, or bake them by --clip",
                           desc->model_path, name);
        }
        const size_t size = strlen(name) + sizeof "clip:";
        char *text = SN_NEW(scratch, char, size);
        if (!text) {
            return SN_ERROR_MEMORY;
        }
        snprintf(text, size, "clip:%s", name);
        sn_simulation_parameters p = *parameters;
        p.motion = text;
        const sn_result result = sn_recording_run(desc, model, &p, scratch, &parts[i]);
        if (result != SN_OK) {
            return result;
        }
        const sn_bake_motion *m = &parts[i].motion;
        clips[i] = (sn_bake_clip){name, m->frame_count, m->frame_rate};
        frames += m->frame_count;
        all->recoveries += parts[i].recoveries;
        all->period_count = parts[i].period_count > all->period_count ? parts[i].period_count : all->period_count;
        all->difference = fmax(all->difference, parts[i].difference);
    }
    if (frames >= SN_FRAME_LIMIT) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %.0f frames of all clips are more than %.0f", desc->model_path, frames,
                       SN_FRAME_LIMIT);
    }
    all->motion.frame_count = (int)frames;
    return SN_OK;
}

sn_result sn_recording_run_all(const sn_recording_desc *desc, const sn_model *model,
                               const sn_simulation_parameters *parameters, sn_arena *arena, sn_recording *recording)
{
    const int count = model->counts.clip_count;
    sn_arena scratch = {0};
    *recording = (sn_recording){.motion = {.model = model, .frame_rate = 1, .clip_count = count}};
    if (count == 0) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: --clip all: the model has no clips", desc->model_path);
    }
    sn_bake_clip *clips = SN_NEW(arena, sn_bake_clip, count);
    sn_recording *parts = SN_NEW(&scratch, sn_recording, count);
    sn_result result =
        clips && parts ? record_clips(desc, parameters, &scratch, parts, clips, recording) : SN_ERROR_MEMORY;
    result = result ? result : join(parts, count, arena, &recording->motion);
    recording->motion.clips = clips;
    sn_arena_finish(&scratch);
    return result;
}

/* SPDX-License-Identifier: MIT */
/* Steps a scene and measures each body against its rig's own pose. Dumps are in the scene's coordinates. */
#include "tools/sim/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compute/core/open.h"
#include "compute/world/world.h"
#include "host/platform/platform.h"
#include "host/skin/skin.h"
#include "tools/command/args.h"
#include "tools/command/json.h"
#include "tools/command/median.h"
#include "tools/command/model_file.h"
#include "tools/scene_json/scene_json.h"
#include "tools/sim/measure.h"
#include "tools/sim/point_set.h"
#include "tools/simulation/layered_run.h"
#include "tools/simulation/scene_body_state.h"

#define FRAME_LIMIT 1e7

typedef struct sim_body {
    sn_scene_body_state body;
    const sn_model *model;
    sn_measure measure;
    sn_point_set tets, surface;
    /* with --dump */
    double *handles;    /* (frames x column_count x 12) */
    const char **names; /* (column_count) bone names, then those of bones that events add */
    int column_count;
    double *energies, *momenta; /* of a coupled or layered body: (frames x 3), (frames x 6); else null */
} sim_body;

typedef struct sim {
    const sn_sim_scene_arguments *arguments;
    sn_arena arena;
    sn_gpu_device *device;
    sn_gpu *gpu; /* GPU solver context, or null */
    sn_scene *scene;
    int frames, body_count, collider_count;
    sim_body *bodies;       /* (body_count) */
    sn_collider *colliders; /* (collider_count) transforms */
    double *milliseconds;   /* (frames) */
    int recovery_count;
    int stats_count; /* reduced bodies on the CPU only; a device reports later */
    double iteration_sum, change_max;
} sim;

/* ---- memory ---- */

static void add_column(sim_body *b, const char *name)
{
    int column = 0;
    while (column < b->column_count && strcmp(b->names[column], name) != 0) {
        ++column;
    }
    b->names[column] = name;
    b->column_count += column == b->column_count;
}

static sn_result open_handles(sim *s, int index, sim_body *b)
{
    const sn_scene_script *script = sn_scene_get_script(s->scene);
    const int bones = sn_model_bone_count(b->model);
    size_t most = (size_t)bones;
    for (int i = 0; i < script->event_count; ++i) {
        most += script->events[i].handles ? (size_t)script->events[i].handles->count : 0;
    }
    b->names = SN_NEW(&s->arena, const char *, most);
    if (!b->names) {
        return SN_ERROR_MEMORY;
    }
    b->column_count = bones; /* names may repeat */
    for (int i = 0; i < bones; ++i) {
        b->names[i] = sn_model_bone_name(b->model, i);
    }
    for (int i = 0; i < script->event_count; ++i) {
        const sn_cook_handles *handles = script->events[i].handles;
        const bool is_its = handles && script->events[i].body == sn_scene_body_entry(s->scene, index);
        for (int k = 0; is_its && k < handles->count; ++k) {
            add_column(b, handles->handles[k].name ? handles->handles[k].name : "");
        }
    }
    b->handles = sn_arena_alloc(&s->arena, (size_t)s->frames, 12 * (size_t)b->column_count * sizeof(double));
    return b->handles ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result open_motion(sim *s, sim_body *b)
{
    b->energies = SN_NEW(&s->arena, double, 3 * (size_t)s->frames);
    b->momenta = SN_NEW(&s->arena, double, 6 * (size_t)s->frames);
    return b->energies && b->momenta ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result open_body(sim *s, int index)
{
    sim_body *b = &s->bodies[index];
    if (sn_scene_body_state_open(s->scene, index, &s->arena, &b->body) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    b->model = b->body.model;
    const sn_model_counts *c = &b->model->counts;
    const bool is_dumped = s->arguments->dump != NULL;
    bool is_ok = sn_point_set_alloc(c->vertex_count, s->frames, is_dumped ? SN_DUMP_BOTH : SN_DUMP_NONE, &s->arena,
                                    &b->tets) == SN_OK &&
                 sn_point_set_alloc(c->surface_vertex_count, s->frames, is_dumped ? SN_DUMP_MOVED : SN_DUMP_NONE,
                                    &s->arena, &b->surface) == SN_OK;
    is_ok = is_ok && (!is_dumped || open_handles(s, index, b) == SN_OK) &&
            (!is_dumped || !(b->body.is_coupled || b->body.is_layered) || open_motion(s, b) == SN_OK);
    SN_TRY(is_ok ? sn_measure_init(b->model, &s->arena, &b->measure) : SN_ERROR_MEMORY);
    const sn_scene_script *script = sn_scene_get_script(s->scene);
    b->measure.floor = script->has_floor ? script->floor_height : -INFINITY;
    b->measure.solids = s->colliders;
    b->measure.solid_count = s->collider_count;
    return SN_OK;
}

/* The device is idle between frames, since all results are read back. */
static sn_result open_device(sim *s)
{
    const sn_gpu_device_desc desc = {.name = s->arguments->device};
    SN_TRY(sn_gpu_device_create(&desc, &s->device));
    SN_TRY(sn_gpu_create_on(s->device, 1, &s->gpu));
    s->gpu->is_single_precision = s->arguments->is_single_precision;
    return SN_OK;
}

static sn_result open_scene(sim *s)
{
    const sn_sim_scene_arguments *a = s->arguments;
    const sn_scene_script *script = NULL;
    sn_world_desc world = sn_default_world_desc();
    world.worker_count = a->threads < 64 ? a->threads : 64;
    sn_result result = sn_scene_open(a->scene, &s->arena, &script);
    result = result || !a->is_on_device ? result : open_device(s);
    world.backend = s->gpu ? sn_gpu_backend(s->gpu) : NULL;
    result = result ? result : sn_scene_start(a->scene, script, &world, &s->scene);
    if (result != SN_OK) {
        return result;
    }
    const double frames = fmax(floor(script->seconds / sn_scene_time_step(s->scene) + 1e-6), 1);
    if (a->frames == 0 && frames > FRAME_LIMIT) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: its %g seconds are %g time steps, more than %g: --frames N", a->scene,
                       script->seconds, frames, FRAME_LIMIT);
    }
    s->frames = a->frames > 0 ? a->frames : (int)frames;
    s->body_count = sn_scene_body_count(s->scene);
    s->collider_count = script->collider_count;
    s->bodies = SN_NEW(&s->arena, sim_body, s->body_count);
    s->colliders = SN_NEW(&s->arena, sn_collider, s->collider_count);
    s->milliseconds = SN_NEW(&s->arena, double, s->frames);
    result = s->bodies && s->colliders && s->milliseconds ? SN_OK : SN_ERROR_MEMORY;
    for (int i = 0; i < s->body_count && result == SN_OK; ++i) {
        result = open_body(s, i);
    }
    return result;
}

/* ---- a frame ---- */

/* Skins the tet vertices by the pose and modes. */
static void skin_reduced(sim_body *b)
{
    const sn_model *m = b->model;
    const size_t bytes = 3 * (size_t)b->tets.count * sizeof(double);
    memset(b->tets.rig, 0, bytes);
    sn_skin_add(m->rig_weights, m->counts.bone_count, b->body.bones, m->rest_positions, b->tets.count, b->tets.rig);
    memcpy(b->tets.moved, b->tets.rig, bytes);
    sn_skin_add(m->mode_weights, m->counts.mode_count, b->body.modes, m->rest_positions, b->tets.count, b->tets.moved);
}

/* Compares the simulated flesh with the skinned positions. */
static void skin_coupled(sim_body *b)
{
    sn_xpbd_body_positions(sn_coupled_body_flesh(b->body.coupled), b->tets.moved);
    sn_coupled_body_rig_positions(b->body.coupled, b->tets.rig);
}

/* Matches bones by name; missing bones get NaN. */
static void dump_handles(sim_body *b, int frame)
{
    double *row = b->handles + (size_t)frame * 12 * (size_t)b->column_count;
    const int bones = sn_model_bone_count(b->model);
    for (int column = 0; column < b->column_count; ++column) {
        int bone = column < bones && strcmp(sn_model_bone_name(b->model, column), b->names[column]) == 0 ? column : 0;
        while (bone < bones && strcmp(sn_model_bone_name(b->model, bone), b->names[column]) != 0) {
            ++bone;
        }
        for (int i = 0; i < 12; ++i) {
            row[12 * column + i] = bone < bones ? b->body.bones[12 * bone + i] : NAN;
        }
    }
}

static void dump_motion(sn_body_id id, sim_body *b, int frame)
{
    const sn_body_motion motion = sn_body_get_motion(id);
    double *energy = b->energies + 3 * (size_t)frame, *momentum = b->momenta + 6 * (size_t)frame;
    energy[0] = motion.kinetic;
    energy[1] = motion.elastic;
    energy[2] = motion.kinetic + motion.elastic;
    memcpy(momentum, motion.momentum, sizeof motion.momentum);
    memcpy(momentum + 3, motion.angular_momentum, sizeof motion.angular_momentum);
}

static void add_step_stats(sim *s, sn_body_id id)
{
    if (!s->device) {
        const sn_body_step_stats stats = sn_body_last_step_stats(id);
        s->iteration_sum += stats.iteration_count;
        s->change_max = fmax(s->change_max, stats.change);
        ++s->stats_count;
    }
}

static sn_result measure_body(sim *s, int index, int frame)
{
    sim_body *b = &s->bodies[index];
    const int recovery_count = b->body.recovery_count;
    const sn_result result = sn_scene_body_state_read(&b->body);
    if (result != SN_OK) {
        return result;
    }
    s->recovery_count += b->body.recovery_count > recovery_count ? b->body.recovery_count - recovery_count : 0;
    b->model = b->body.model;
    sn_surface surface = sn_model_surface(b->model);
    if (b->body.is_coupled) {
        skin_coupled(b);
    } else if (b->body.is_layered) {
        sn_body_tet_positions(b->body.id, b->tets.moved, b->tets.count);
        sn_layered_rig_positions(b->model, b->body.pose, b->tets.rig);
    } else {
        skin_reduced(b);
        add_step_stats(s, sn_scene_body_at(s->scene, index));
    }
    sn_scene_body_state_surface(&b->body, b->surface.moved, NULL);
    surface.mode_count = 0;
    sn_skin_surface(&surface, b->body.pose, NULL, b->body.morphs, b->surface.rig, NULL, NULL);
    sn_measure_tets(b->model, b->tets.moved, b->tets.rig, &b->measure);
    sn_measure_surface(b->model, b->surface.moved, b->surface.rig, &(sn_measure_rig){b->body.bones, b->body.morphs},
                       &b->measure);
    if (s->arguments->dump) {
        const size_t tets = 3 * (size_t)b->tets.count, vertices = 3 * (size_t)b->surface.count, row = (size_t)frame;
        memcpy(b->tets.all_moved + row * tets, b->tets.moved, tets * sizeof(double));
        memcpy(b->tets.all_rig + row * tets, b->tets.rig, tets * sizeof(double));
        memcpy(b->surface.all_moved + row * vertices, b->surface.moved, vertices * sizeof(double));
        dump_handles(b, frame);
        if (b->energies) {
            dump_motion(sn_scene_body_at(s->scene, index), b, frame);
        }
    }
    return SN_OK;
}

/* Measures the call including the device's work. Recoveries of the device are read with the bodies. */
static sn_scene_report advance(sim *s, int frame)
{
    sn_scene_report report = sn_scene_step(s->scene);
    const double start = sn_now();
    if (s->device) {
        sn_gpu_device_wait(s->device);
        report.world.recovery_count = 0;
    }
    s->milliseconds[frame] = 1e3 * (report.world.solver_seconds + (s->device ? sn_now() - start : 0));
    s->recovery_count += report.world.recovery_count;
    return report;
}

static sn_result step(sim *s, int frame)
{
    const sn_scene_report report = advance(s, frame);
    if (report.missed_grab_count > 0) {
        sn_log(SN_LOG_WARNING, "%s: frame %d: %d grabs have no target within their radius", s->arguments->scene, frame,
               report.missed_grab_count);
    }
    for (int i = 0; i < s->collider_count; ++i) {
        const sn_collider_desc desc = sn_scene_collider_at(s->scene, i);
        sn_collider_init(&desc, &s->colliders[i]);
    }
    for (int i = 0; i < s->body_count; ++i) {
        SN_TRY(measure_body(s, i, frame));
    }
    return SN_OK;
}

/* ---- results ---- */

static sn_result write_points(const sim *s, const char *folder, const char *name, const double *points, int count)
{
    const size_t shape[3] = {(size_t)s->frames, (size_t)count, 3};
    return sn_array_write(folder, name, SN_NPY_F64, 3, shape, points);
}

static sn_result dump_body(const sim *s, const sim_body *b, const char *folder)
{
    const size_t shape[4] = {(size_t)s->frames, (size_t)b->column_count, 3, 4};
    SN_TRY(write_points(s, folder, "positions", b->tets.all_moved, b->tets.count));
    SN_TRY(write_points(s, folder, "rig_positions", b->tets.all_rig, b->tets.count));
    SN_TRY(write_points(s, folder, "surface", b->surface.all_moved, b->surface.count));
    SN_TRY(sn_array_write(folder, "handles", SN_NPY_F64, 4, shape, b->handles));
    if (b->energies) {
        const size_t energy[2] = {(size_t)s->frames, 3}, momentum[2] = {(size_t)s->frames, 6};
        SN_TRY(sn_array_write(folder, "energy", SN_NPY_F64, 2, energy, b->energies));
        SN_TRY(sn_array_write(folder, "momentum", SN_NPY_F64, 2, momentum, b->momenta));
    }
    return SN_OK;
}

/* Writes one body into the folder, or several into one subfolder each. */
static sn_result dump(const sim *s)
{
    for (int i = 0; i < s->body_count; ++i) {
        char folder[4096];
        const char *name = s->arguments->dump;
        if (s->body_count > 1) {
            if (snprintf(folder, sizeof folder, "%s/body-%04d", name, i) >= (int)sizeof folder) {
                return sn_fail(SN_ERROR_FILE, "%s: the path is too long", name);
            }
            name = folder;
            SN_TRY(sn_folder_create(name));
        }
        SN_TRY(dump_body(s, &s->bodies[i], name));
    }
    return SN_OK;
}

/* The maximum over all bodies. */
static sn_measure worst(const sim *s)
{
    sn_measure all = {0};
    for (int i = 0; i < s->body_count; ++i) {
        const sn_measure *m = &s->bodies[i].measure;
        all.edge_stretch_max = fmax(all.edge_stretch_max, m->edge_stretch_max);
        all.inverted_frames = m->inverted_frames > all.inverted_frames ? m->inverted_frames : all.inverted_frames;
        all.ground_penetration_max = fmax(all.ground_penetration_max, m->ground_penetration_max);
        all.solid_penetration_max = fmax(all.solid_penetration_max, m->solid_penetration_max);
        all.rigid_drift_max = fmax(all.rigid_drift_max, m->rigid_drift_max);
        all.displacement_max = fmax(all.displacement_max, m->displacement_max);
    }
    return all;
}

static void print_result(const sim *s)
{
    const double median = sn_median(s->milliseconds, s->frames);
    const sn_measure m = worst(s);
    if (!s->arguments->is_json) {
        printf("%d frames of %d bodies, %.3f ms a step (median); edge stretch %.3f, longest inversion %d frames, "
               "displacement %.4f of the diagonal, %d recoveries\n",
               s->frames, s->body_count, median, m.edge_stretch_max, m.inverted_frames, m.displacement_max,
               s->recovery_count);
        return;
    }
    sn_print_json(
        json_pack("{s:i,s:i,s:o,s:o,s:o,s:i,s:o,s:i,s:o,s:o,s:o,s:o,s:i}", "frames", s->frames, "bodies", s->body_count,
                  "ms_median", sn_json_real(median), "iterations_mean", sn_json_real(s->iteration_sum / s->stats_count),
                  "change_max", s->stats_count > 0 ? sn_json_real(s->change_max) : json_null(), "over_budget", 0,
                  "edge_stretch_max", sn_json_real(m.edge_stretch_max), "inverted_frames", m.inverted_frames,
                  "ground_penetration_max", sn_json_real(m.ground_penetration_max), "collider_penetration_max",
                  sn_json_real(m.solid_penetration_max), "rigid_drift_max", sn_json_real(m.rigid_drift_max),
                  "displacement_max", sn_json_real(m.displacement_max), "recoveries", s->recovery_count));
}

int sn_sim_scene(const sn_sim_scene_arguments *arguments)
{
    sim s = {.arguments = arguments};
    sn_result result = open_scene(&s);
    if (result == SN_OK && arguments->dump) {
        result = sn_folder_create(arguments->dump);
    }
    for (int frame = 0; frame < s.frames && result == SN_OK; ++frame) {
        result = step(&s, frame);
    }
    if (result == SN_OK && arguments->dump) {
        result = dump(&s);
    }
    if (result == SN_OK) {
        print_result(&s);
    }
    sn_scene_destroy(&s.scene);
    sn_gpu_destroy(&s.gpu);
    sn_gpu_device_destroy(&s.device);
    sn_arena_finish(&s.arena);
    return result == SN_OK ? SN_EXIT_OK : SN_EXIT_FAILED;
}

/* SPDX-License-Identifier: MIT */
#include "tools/bench/flesh.h"

#include <math.h>
#include <string.h>

#include "author/fullspace/fullspace.h"
#include "author/weights/morph_columns.h"
#include "host/platform/platform.h"
#include "tools/command/median.h"

#define TIMED_TOLERANCE 1e-4

typedef struct runner {
    const sn_flesh_desc *desc;
    const sn_model *model;
    sn_world_id world;
    sn_body_id body;
    sn_flesh_sums sums;
    double *tets, *tet_rig, *surface, *surface_rig; /* (vertices x 3) positions of a frame */
    double *pose, *modes;                           /* (bone_count x 12), (mode_count x 12) */
    sn_mat3x4 *bones;                               /* (bone_count) input of a frame */
    float *morphs;                                  /* (morph_count) */
    double *morph_columns, *morph_rows, *morph_fields;
    double *milliseconds; /* (frame_count) */
    sn_fullspace_solver *full_solver;
    sn_fullspace_body *full;
    double *displacements;                           /* (vertex_count x 3) of the full space */
    double full_error, full_square, square, product; /* sums over vertices and frames, weighted by mass */
} runner;

static sn_result allocate(runner *r, sn_arena *arena)
{
    const sn_model_counts *c = &r->model->counts;
    const size_t n = (size_t)c->vertex_count, s = (size_t)c->surface_vertex_count;
    r->tets = SN_NEW(arena, double, 3 * n);
    r->tet_rig = SN_NEW(arena, double, 3 * n);
    r->surface = SN_NEW(arena, double, 3 * s);
    r->surface_rig = SN_NEW(arena, double, 3 * s);
    r->pose = SN_NEW(arena, double, 12 * (size_t)c->bone_count);
    r->modes = SN_NEW(arena, double, 12 * (size_t)c->mode_count);
    r->bones = SN_NEW(arena, sn_mat3x4, c->bone_count);
    r->morphs = SN_NEW(arena, float, c->morph_count);
    r->morph_rows = SN_NEW(arena, double, 9 * (size_t)c->morph_pair_count);
    r->morph_fields = SN_NEW(arena, double, c->morph_field_count);
    r->milliseconds = SN_NEW(arena, double, r->desc->frame_count);
    r->displacements = SN_NEW(arena, double, 3 * n);
    const bool is_ok = r->tets && r->tet_rig && r->surface && r->surface_rig && r->pose && r->modes && r->bones &&
                       r->morphs && r->morph_rows && r->morph_fields && r->milliseconds && r->displacements;
    const sn_result result =
        is_ok ? sn_flesh_sums_init(r->model, r->desc->height, r->desc->frame_count, arena, &r->sums) : SN_ERROR_MEMORY;
    return result ? result : sn_morph_columns_from_model(r->model, arena, &r->morph_columns);
}

static void set_pose(runner *r, int frame)
{
    const sn_model_counts *c = &r->model->counts;
    sn_motion_pose(&r->desc->motion, frame, frame * SN_FLESH_TIME_STEP, r->pose);
    sn_motion_morphs(&r->desc->motion, frame * SN_FLESH_TIME_STEP, r->morphs);
    for (size_t i = 0; i < 12 * (size_t)c->bone_count; ++i) {
        r->bones[i / 12].m[i % 12 / 4][i % 4] = (float)r->pose[i];
    }
    sn_body_set_pose(r->body, r->bones, c->bone_count);
    sn_body_set_morphs(r->body, r->morphs, c->morph_count);
}

/* Creates the body with the default parameters, at rest in the first pose. tolerance 0: the default. */
static sn_result open_body(runner *r, double tolerance)
{
    const sn_world_desc world = sn_default_world_desc();
    sn_body_desc desc = sn_default_body_desc();
    desc.name = r->desc->name;
    desc.model = r->model;
    memcpy(desc.gravity, r->desc->gravity, sizeof desc.gravity);
    desc.tolerance = tolerance > 0 ? tolerance : desc.tolerance;
    SN_TRY(sn_world_create(&world, &r->world));
    SN_TRY(sn_body_create(r->world, &desc, &r->body));
    set_pose(r, 0);
    sn_body_reset(r->body);
    return SN_OK;
}

static void close_body(runner *r)
{
    sn_world_destroy(r->world);
    r->world = (sn_world_id){0};
}

static void update_fields(runner *r)
{
    sn_model_morph_fields(r->model, r->morphs, r->morph_fields);
    sn_fullspace_body_set_fields(r->full, r->morph_fields);
}

static sn_result open_full_space(runner *r, sn_arena *arena)
{
    sn_fullspace_input input;
    sn_fullspace_desc desc = sn_default_fullspace_desc();
    const sn_body_desc body = sn_default_body_desc();
    desc.time_step = SN_FLESH_TIME_STEP;
    desc.damping = body.damping;
    desc.stiffness = body.stiffness;
    memcpy(desc.gravity, r->desc->gravity, sizeof desc.gravity);
    SN_TRY(sn_fullspace_input_from_model(r->model, r->desc->name, arena, &input));
    SN_TRY(sn_fullspace_solver_create(&input, &desc, &r->full_solver));
    SN_TRY(sn_fullspace_body_create(r->full_solver, r->pose, &r->full));
    update_fields(r);
    sn_fullspace_body_reset(r->full, r->pose);
    return SN_OK;
}

/* Positions by the rig as the body outputs it, spring bones included, and with the flesh. */
static void skin(runner *r)
{
    const sn_model *m = r->model;
    const sn_model_counts *c = &m->counts;
    const sn_body_matrices out = sn_body_output(r->body);
    for (size_t i = 0; i < 12 * (size_t)c->bone_count; ++i) {
        r->pose[i] = (double)out.matrices[i / 12].m[i % 12 / 4][i % 4];
    }
    for (size_t i = 0; i < 12 * (size_t)c->mode_count; ++i) {
        r->modes[i] = (double)out.matrices[(size_t)c->bone_count + i / 12].m[i % 12 / 4][i % 4];
    }
    memset(r->tet_rig, 0, 3 * (size_t)c->vertex_count * sizeof *r->tet_rig);
    sn_skin_add(m->rig_weights, c->bone_count, r->pose, m->rest_positions, c->vertex_count, r->tet_rig);
    sn_model_morph_fields(m, r->morphs, r->morph_fields);
    sn_morph_pair_rows(m->morph_pairs, c->morph_pair_count, r->pose, r->morph_fields, r->morph_rows);
    sn_morph_columns_add(r->morph_columns, c->vertex_count, c->morph_pair_count, r->morph_rows, r->tet_rig);
    memcpy(r->tets, r->tet_rig, 3 * (size_t)c->vertex_count * sizeof *r->tets);
    sn_skin_add(m->mode_weights, c->mode_count, r->modes, m->rest_positions, c->vertex_count, r->tets);
    sn_surface surface = sn_model_surface(m);
    sn_skin_surface(&surface, r->pose, r->modes, r->morphs, r->surface, NULL, NULL);
    surface.mode_count = 0;
    sn_skin_surface(&surface, r->pose, NULL, r->morphs, r->surface_rig, NULL, NULL);
}

static void compare_full_space(runner *r)
{
    update_fields(r);
    sn_fullspace_body_step(r->full, r->pose);
    sn_fullspace_body_displacements(r->full, r->displacements);
    for (size_t i = 0; i < 3 * (size_t)r->model->counts.vertex_count; ++i) {
        const double mass = (double)r->model->vertex_mass[i / 3], full = r->displacements[i];
        const double reduced = r->tets[i] - r->tet_rig[i];
        r->full_error += mass * (reduced - full) * (reduced - full);
        r->full_square += mass * full * full;
        r->square += mass * reduced * reduced;
        r->product += mass * reduced * full;
    }
}

/* Steps the body and measures every frame. */
static sn_result measure(runner *r, sn_arena *arena, sn_flesh_report *report)
{
    const sn_flesh_frame frame_positions = {r->tets, r->tet_rig, r->surface, r->surface_rig, r->pose, r->morphs};
    int recovery_count = 0;
    sn_result result = open_body(r, 0);
    if (result == SN_OK && r->desc->full_frame_count > 0) {
        result = open_full_space(r, arena);
    }
    for (int frame = 0; frame < r->desc->frame_count && result == SN_OK; ++frame) {
        set_pose(r, frame + 1);
        recovery_count += sn_world_step(r->world, SN_FLESH_TIME_STEP).recovery_count;
        skin(r);
        sn_flesh_sums_add(&r->sums, &frame_positions);
        if (frame < r->desc->full_frame_count) {
            compare_full_space(r);
        }
    }
    close_body(r);
    result = result ? result : sn_flesh_sums_report(&r->sums, arena, report);
    report->recovery_count = recovery_count;
    return result;
}

/* Steps another body without measuring between the steps, which would empty the caches. */
static sn_result time_steps(runner *r, sn_flesh_report *report)
{
    const int count = r->desc->frame_count;
    double iterations = 0;
    const sn_result result = open_body(r, TIMED_TOLERANCE);
    for (int frame = 0; frame < count && result == SN_OK; ++frame) {
        set_pose(r, frame + 1);
        const double start = sn_now();
        sn_world_step(r->world, SN_FLESH_TIME_STEP);
        r->milliseconds[frame] = 1e3 * (sn_now() - start);
        iterations += sn_body_last_step_stats(r->body).iteration_count;
    }
    close_body(r);
    if (result == SN_OK && count > 0) {
        report->figures[SN_FLESH_STEP_MS] = sn_median(r->milliseconds, count);
        report->figures[SN_FLESH_ITERATIONS] = iterations / count;
    }
    return result;
}

static void add_figures(const runner *r, sn_flesh_report *report)
{
    const sn_flesh_desc *d = r->desc;
    double *figures = report->figures;
    if (d->stop >= 0) {
        figures[SN_FLESH_AFTER_HALF] = sn_flesh_sums_max_from(&r->sums, d->stop + 0.5);
        figures[SN_FLESH_AFTER_TWO] = sn_flesh_sums_max_from(&r->sums, d->stop + 2);
    }
    if (d->is_rest) {
        figures[SN_FLESH_SAG] = sn_flesh_sums_max_from(&r->sums, d->frame_count * SN_FLESH_TIME_STEP - 1);
    }
    if (r->full_square > 0) {
        figures[SN_FLESH_FULL_ERROR] = sqrt(r->full_error / r->full_square);
        figures[SN_FLESH_FULL_CORRELATION] = r->square > 0 ? r->product / sqrt(r->square * r->full_square) : 0;
    }
}

sn_result sn_flesh_measure(const sn_flesh_desc *desc, sn_arena *arena, sn_flesh_report *report)
{
    runner r = {.desc = desc, .model = desc->motion.model};
    sn_result result = allocate(&r, arena);
    result = result ? result : measure(&r, arena, report);
    result = result ? result : time_steps(&r, report);
    if (result == SN_OK) {
        add_figures(&r, report);
    }
    sn_fullspace_body_destroy(&r.full);
    sn_fullspace_solver_destroy(&r.full_solver);
    return result;
}

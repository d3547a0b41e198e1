/* SPDX-License-Identifier: MIT */
#include "tools/bench/flesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "author/fullspace/fullspace.h"
#include "author/weights/morph_columns.h"
#include "host/base/clock.h"
#include "host/math/vec3.h"
#include "tools/command/median.h"
#include "tools/sim/measure.h"

#define TIME_STEP (1.0 / 60)
#define TIMED_TOLERANCE 1e-4
#define QUANTILE 0.9
#define PERCENT 100

typedef struct runner {
    const sn_flesh_desc *desc;
    const sn_model *model;
    sn_world_id worlds[2]; /* measured with the defaults; timed to TIMED_TOLERANCE */
    sn_body_id bodies[2];
    sn_measure measure;
    int32_t *vertex_bones, *surface_bones;          /* bones with the largest weight */
    sn_flesh_part *parts;                           /* (bone_count) */
    double *vertex_moved, *surface_moved;           /* largest displacements */
    double *tets, *tet_rig, *surface, *surface_rig; /* (vertices x 3) positions of a frame */
    double *pose, *modes;                           /* (bone_count x 12), (mode_count x 12) */
    sn_mat3x4 *bones;                               /* (bone_count) input of a frame */
    float *morphs;                                  /* (morph_count) */
    double *morph_columns, *morph_rows, *morph_fields;
    double *milliseconds, *frame_max; /* (frame_count) */
    double iterations;
    sn_fullspace_solver *full_solver;
    sn_fullspace_body *full;
    double *displacements;                           /* (vertex_count x 3) of the full space */
    double full_error, full_square, square, product; /* sums over vertices and frames, weighted by mass */
} runner;

static const double *sort_values;

static int compare_values(const void *a, const void *b)
{
    const int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    const double x = sort_values[i], y = sort_values[j];
    return x != y ? (x > y) - (x < y) : (i > j) - (i < j);
}

double sn_weighted_quantile(const double *values, const double *weights, int count, double fraction, int32_t *order)
{
    double total = 0, sum = 0;
    for (int i = 0; i < count; ++i) {
        order[i] = i;
        total += weights[i];
    }
    sort_values = values;
    qsort(order, (size_t)count, sizeof *order, compare_values);
    for (int i = 0; i < count; ++i) {
        sum += weights[order[i]];
        if (sum >= fraction * total) {
            return values[order[i]];
        }
    }
    return count > 0 ? values[order[count - 1]] : 0;
}

static sn_result allocate(runner *r, sn_arena *arena)
{
    const sn_model_counts *c = &r->model->counts;
    const size_t n = (size_t)c->vertex_count, s = (size_t)c->surface_vertex_count,
                 frames = (size_t)r->desc->frame_count;
    r->vertex_bones = SN_NEW(arena, int32_t, n);
    r->surface_bones = SN_NEW(arena, int32_t, s);
    r->parts = SN_NEW(arena, sn_flesh_part, c->bone_count);
    r->vertex_moved = SN_NEW(arena, double, n);
    r->surface_moved = SN_NEW(arena, double, s);
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
    r->milliseconds = SN_NEW(arena, double, frames);
    r->frame_max = SN_NEW(arena, double, frames);
    r->displacements = SN_NEW(arena, double, 3 * n);
    const bool is_ok = r->vertex_bones && r->surface_bones && r->parts && r->vertex_moved && r->surface_moved &&
                       r->tets && r->tet_rig && r->surface && r->surface_rig && r->pose && r->modes && r->bones &&
                       r->morphs && r->morph_rows && r->morph_fields && r->milliseconds && r->frame_max &&
                       r->displacements;
    return is_ok ? sn_morph_columns_from_model(r->model, arena, &r->morph_columns) : SN_ERROR_MEMORY;
}

static void set_pose(runner *r, int frame)
{
    const sn_model_counts *c = &r->model->counts;
    sn_motion_pose(&r->desc->motion, frame, frame * TIME_STEP, r->pose);
    sn_motion_morphs(&r->desc->motion, frame * TIME_STEP, r->morphs);
    for (size_t i = 0; i < 12 * (size_t)c->bone_count; ++i) {
        r->bones[i / 12].m[i % 12 / 4][i % 4] = (float)r->pose[i];
    }
    for (int i = 0; i < 2; ++i) {
        sn_body_set_pose(r->bodies[i], r->bones, c->bone_count);
        sn_body_set_morphs(r->bodies[i], r->morphs, c->morph_count);
    }
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
    desc.time_step = TIME_STEP;
    desc.damping = body.damping;
    desc.stiffness = body.stiffness;
    memcpy(desc.gravity, r->desc->gravity, sizeof desc.gravity);
    sn_result result = sn_fullspace_input_from_model(r->model, r->desc->name, arena, &input);
    result = result ? result : sn_fullspace_solver_create(&input, &desc, &r->full_solver);
    result = result ? result : sn_fullspace_body_create(r->full_solver, r->pose, &r->full);
    if (result == SN_OK) {
        update_fields(r);
        sn_fullspace_body_reset(r->full, r->pose);
    }
    return result;
}

static sn_result open_runner(runner *r, sn_arena *arena)
{
    const sn_world_desc world = sn_default_world_desc();
    sn_result result = allocate(r, arena);
    result = result ? result : sn_measure_init(r->model, arena, &r->measure);
    for (int i = 0; i < 2 && result == SN_OK; ++i) {
        sn_body_desc desc = sn_default_body_desc();
        desc.name = r->desc->name;
        desc.model = r->model;
        memcpy(desc.gravity, r->desc->gravity, sizeof desc.gravity);
        desc.tolerance = i == 1 ? TIMED_TOLERANCE : desc.tolerance;
        result = sn_world_create(&world, &r->worlds[i]);
        result = result ? result : sn_body_create(r->worlds[i], &desc, &r->bodies[i]);
    }
    if (result != SN_OK) {
        return result;
    }
    sn_flesh_parts_find(r->model, r->parts);
    sn_flesh_dominant_bones(r->model, r->vertex_bones, r->surface_bones);
    set_pose(r, 0);
    sn_body_reset(r->bodies[0]);
    sn_body_reset(r->bodies[1]);
    return r->desc->full_frame_count > 0 ? open_full_space(r, arena) : SN_OK;
}

static void close_runner(runner *r)
{
    sn_fullspace_body_destroy(&r->full);
    sn_fullspace_solver_destroy(&r->full_solver);
    sn_world_destroy(r->worlds[0]);
    sn_world_destroy(r->worlds[1]);
}

/* Positions by the rig as the body outputs it, spring bones included, and with the flesh. */
static void skin(runner *r)
{
    const sn_model *m = r->model;
    const sn_model_counts *c = &m->counts;
    const sn_body_matrices out = sn_body_output(r->bodies[0]);
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

/* Raises `moved` to the displacements of a frame; returns the largest one. */
static double add_displacements(const double *positions, const double *rig, int count, double unit, double *moved)
{
    double max = 0;
    for (int v = 0; v < count; ++v) {
        const double distance = sn_distance3(positions + 3 * (size_t)v, rig + 3 * (size_t)v) / unit;
        moved[v] = fmax(moved[v], distance);
        max = fmax(max, distance);
    }
    return max;
}

static void step(runner *r, int frame, sn_flesh_report *report)
{
    const sn_model_counts *c = &r->model->counts;
    const double unit = r->desc->height / PERCENT;
    set_pose(r, frame + 1);
    const double start = sn_now();
    sn_world_step(r->worlds[1], TIME_STEP);
    r->milliseconds[frame] = 1e3 * (sn_now() - start);
    r->iterations += sn_body_last_step_stats(r->bodies[1]).iteration_count;
    report->recovery_count += sn_world_step(r->worlds[0], TIME_STEP).recovery_count;
    skin(r);
    add_displacements(r->tets, r->tet_rig, c->vertex_count, unit, r->vertex_moved);
    r->frame_max[frame] =
        add_displacements(r->surface, r->surface_rig, c->surface_vertex_count, unit, r->surface_moved);
    sn_measure_tets(r->model, r->tets, r->tet_rig, &r->measure);
    sn_measure_surface(r->model, r->surface, r->surface_rig, &(sn_measure_rig){r->pose, r->morphs}, &r->measure);
    if (frame < r->desc->full_frame_count) {
        compare_full_space(r);
    }
}

/* Largest displacement from a time on; not a number if the run ends before. */
static double max_from(const runner *r, double seconds)
{
    double max = NAN;
    const int first = (int)ceil(seconds / TIME_STEP - 1e-6) - 1; /* frame i ends at (i + 1) TIME_STEP */
    for (int frame = first; frame < r->desc->frame_count; ++frame) {
        max = fmax(max, r->frame_max[frame]);
    }
    return max;
}

static sn_result summarise_bones(const runner *r, sn_arena *arena, sn_flesh_report *report)
{
    const sn_model_counts *c = &r->model->counts;
    double *values = SN_NEW(arena, double, c->vertex_count), *weights = SN_NEW(arena, double, c->vertex_count);
    int32_t *order = SN_NEW(arena, int32_t, c->vertex_count);
    report->bones = SN_NEW(arena, sn_flesh_bone, c->bone_count);
    if (!values || !weights || !order || !report->bones) {
        return SN_ERROR_MEMORY;
    }
    double total = 0;
    for (int v = 0; v < c->vertex_count; ++v) {
        weights[v] = (double)r->model->vertex_mass[v];
        total += weights[v];
    }
    report->figures[SN_FLESH_P90] = sn_weighted_quantile(r->vertex_moved, weights, c->vertex_count, QUANTILE, order);
    for (int bone = 0; bone < c->bone_count; ++bone) {
        int count = 0;
        sn_flesh_bone *b = &report->bones[bone];
        b->part = r->parts[bone];
        for (int v = 0; v < c->vertex_count; ++v) {
            if (r->vertex_bones[v] == bone) {
                values[count] = r->vertex_moved[v];
                weights[count] = (double)r->model->vertex_mass[v];
                b->mass += weights[count++] / total;
            }
        }
        b->p90 = sn_weighted_quantile(values, weights, count, QUANTILE, order);
    }
    return SN_OK;
}

static void summarise_surface(const runner *r, sn_flesh_report *report)
{
    static const sn_flesh_figure of_part[SN_FLESH_PART_COUNT] = {
        [SN_FLESH_BODY] = SN_FLESH_MAX,      [SN_FLESH_HAND] = SN_FLESH_HAND_MAX,   [SN_FLESH_FOOT] = SN_FLESH_FOOT_MAX,
        [SN_FLESH_HEAD] = SN_FLESH_HEAD_MAX, [SN_FLESH_LOOSE] = SN_FLESH_LOOSE_MAX,
    };
    double max = -1;
    for (int v = 0; v < r->model->counts.surface_vertex_count; ++v) {
        const int32_t bone = r->surface_bones[v];
        const double moved = r->surface_moved[v];
        double *figures = report->figures, *of_bone = &report->bones[bone].max;
        const sn_flesh_figure figure = of_part[r->parts[bone]];
        *of_bone = fmax(*of_bone, moved);
        figures[figure] = fmax(figures[figure], moved);
        if (figure != SN_FLESH_LOOSE_MAX) {
            figures[SN_FLESH_MAX] = fmax(figures[SN_FLESH_MAX], moved);
        }
        report->max_bone = moved > max ? bone : report->max_bone;
        max = fmax(max, moved);
    }
}

static sn_result summarise(runner *r, sn_arena *arena, sn_flesh_report *report)
{
    const sn_flesh_desc *d = r->desc;
    double *figures = report->figures;
    const sn_result result = summarise_bones(r, arena, report);
    if (result != SN_OK) {
        return result;
    }
    summarise_surface(r, report);
    figures[SN_FLESH_STRETCH] = r->measure.edge_stretch_max;
    report->stretch_bone =
        r->model->counts.surface_vertex_count > 0 ? r->surface_bones[r->measure.stretched_vertex] : 0;
    figures[SN_FLESH_INVERTED] = r->measure.inverted_frame_count;
    figures[SN_FLESH_STEP_MS] = sn_median(r->milliseconds, d->frame_count);
    figures[SN_FLESH_ITERATIONS] = r->iterations / d->frame_count;
    if (d->stop >= 0) {
        figures[SN_FLESH_AFTER_HALF] = max_from(r, d->stop + 0.5);
        figures[SN_FLESH_AFTER_TWO] = max_from(r, d->stop + 2);
    }
    if (d->is_rest) {
        figures[SN_FLESH_SAG] = max_from(r, d->frame_count * TIME_STEP - 1);
    }
    if (d->full_frame_count > 0 && r->full_square > 0) {
        figures[SN_FLESH_FULL_ERROR] = sqrt(r->full_error / r->full_square);
        figures[SN_FLESH_FULL_CORRELATION] = r->square > 0 ? r->product / sqrt(r->square * r->full_square) : 0;
    }
    return SN_OK;
}

sn_result sn_flesh_measure(const sn_flesh_desc *desc, sn_arena *arena, sn_flesh_report *report)
{
    runner r = {.desc = desc, .model = desc->motion.model};
    *report = (sn_flesh_report){.frame_count = desc->frame_count};
    for (int i = 0; i < SN_FLESH_FIGURE_COUNT; ++i) {
        report->figures[i] = NAN;
    }
    sn_result result = open_runner(&r, arena);
    for (int frame = 0; frame < desc->frame_count && result == SN_OK; ++frame) {
        step(&r, frame, report);
    }
    result = result ? result : summarise(&r, arena, report);
    close_runner(&r);
    return result;
}

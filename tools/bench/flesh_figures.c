/* SPDX-License-Identifier: MIT */
#include "tools/bench/flesh_figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/math/vec3.h"

#define QUANTILE 0.9
#define PERCENT 100

static _Thread_local const double *sort_values;

static int compare_values(const void *a, const void *b)
{
    const int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    const double x = sort_values[i], y = sort_values[j];
    return x != y ? (x > y) - (x < y) : (i > j) - (i < j);
}

/* The value below which `fraction` of the total weight lies. order (count) is scratch. */
static double weighted_quantile(const double *values, const double *weights, int count, double fraction, int32_t *order)
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

static void measure_areas(const sn_model *model, double *areas)
{
    for (int i = 0; i < model->counts.surface_triangle_count; ++i) {
        const int32_t *triangle = model->surface_triangles + 3 * (size_t)i;
        double corners[3][3], sides[2][3], normal[3];
        for (int k = 0; k < 9; ++k) {
            corners[k / 3][k % 3] = (double)model->surface_positions[3 * (size_t)triangle[k / 3] + (size_t)(k % 3)];
        }
        sn_subtract3(corners[1], corners[0], sides[0]);
        sn_subtract3(corners[2], corners[0], sides[1]);
        sn_cross3(sides[0], sides[1], normal);
        for (int k = 0; k < 3; ++k) {
            areas[triangle[k]] += sn_length3(normal) / 6;
        }
    }
}

sn_result sn_flesh_sums_init(const sn_model *model, double height, int frame_limit, sn_arena *arena,
                             sn_flesh_sums *sums)
{
    const sn_model_counts *c = &model->counts;
    *sums = (sn_flesh_sums){.model = model, .height = height, .frame_limit = frame_limit};
    sums->vertex_bones = SN_NEW(arena, int32_t, c->vertex_count);
    sums->surface_bones = SN_NEW(arena, int32_t, c->surface_vertex_count);
    sums->parts = SN_NEW(arena, sn_bone_region, c->bone_count);
    sums->vertex_moved = SN_NEW(arena, double, c->vertex_count);
    sums->surface_moved = SN_NEW(arena, double, c->surface_vertex_count);
    sums->surface_areas = SN_NEW(arena, double, c->surface_vertex_count);
    sums->frame_max = SN_NEW(arena, double, frame_limit);
    if (!sums->vertex_bones || !sums->surface_bones || !sums->parts || !sums->vertex_moved || !sums->surface_moved ||
        !sums->surface_areas || !sums->frame_max) {
        return SN_ERROR_MEMORY;
    }
    measure_areas(model, sums->surface_areas);
    sn_bone_regions_find(model, sums->parts);
    sn_dominant_bones_find(model, sums->vertex_bones, sums->surface_bones);
    return sn_measure_init(model, arena, &sums->measure);
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

void sn_flesh_sums_add(sn_flesh_sums *sums, const sn_flesh_frame *f)
{
    const sn_model_counts *c = &sums->model->counts;
    const double unit = sums->height / PERCENT;
    SN_ASSERT(sums->frame_count < sums->frame_limit);
    add_displacements(f->tets, f->tet_rig, c->vertex_count, unit, sums->vertex_moved);
    sums->frame_max[sums->frame_count++] =
        add_displacements(f->surface, f->surface_rig, c->surface_vertex_count, unit, sums->surface_moved);
    sn_measure_tets(sums->model, f->tets, f->tet_rig, &sums->measure);
    sn_measure_surface(sums->model, f->surface, f->surface_rig, &(sn_measure_rig){f->pose, f->morphs}, &sums->measure);
}

double sn_flesh_sums_max_from(const sn_flesh_sums *sums, double seconds)
{
    double max = NAN;
    const int first = (int)ceil(seconds / SN_FLESH_TIME_STEP - 1e-6) - 1; /* frame i ends at (i + 1) time steps */
    for (int frame = first > 0 ? first : 0; frame < sums->frame_count; ++frame) {
        max = fmax(max, sums->frame_max[frame]);
    }
    return max;
}

static sn_result summarise_bones(const sn_flesh_sums *r, sn_arena *arena, sn_flesh_report *report)
{
    const sn_model_counts *c = &r->model->counts;
    const int limit = c->vertex_count > c->surface_vertex_count ? c->vertex_count : c->surface_vertex_count;
    double *values = SN_NEW(arena, double, c->vertex_count), *weights = SN_NEW(arena, double, c->vertex_count);
    int32_t *order = SN_NEW(arena, int32_t, limit);
    report->bones = SN_NEW(arena, sn_flesh_bone, c->bone_count);
    if (!values || !weights || !order || !report->bones) {
        return SN_ERROR_MEMORY;
    }
    report->figures[SN_FLESH_SKIN_P90] =
        weighted_quantile(r->surface_moved, r->surface_areas, c->surface_vertex_count, QUANTILE, order);
    double total = 0;
    for (int v = 0; v < c->vertex_count; ++v) {
        weights[v] = (double)r->model->vertex_mass[v];
        total += weights[v];
    }
    report->figures[SN_FLESH_P90] = weighted_quantile(r->vertex_moved, weights, c->vertex_count, QUANTILE, order);
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
        b->p90 = weighted_quantile(values, weights, count, QUANTILE, order);
    }
    return SN_OK;
}

static void summarise_surface(const sn_flesh_sums *r, sn_flesh_report *report)
{
    static const sn_flesh_figure of_part[SN_REGION_COUNT] = {
        [SN_REGION_BODY] = SN_FLESH_MAX,        [SN_REGION_HAND] = SN_FLESH_HAND_MAX,
        [SN_REGION_FOOT] = SN_FLESH_FOOT_MAX,   [SN_REGION_HEAD] = SN_FLESH_HEAD_MAX,
        [SN_REGION_LOOSE] = SN_FLESH_LOOSE_MAX,
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

sn_result sn_flesh_sums_report(const sn_flesh_sums *sums, sn_arena *arena, sn_flesh_report *report)
{
    *report = (sn_flesh_report){.frame_count = sums->frame_count};
    for (int i = 0; i < SN_FLESH_FIGURE_COUNT; ++i) {
        report->figures[i] = NAN;
    }
    const sn_result result = summarise_bones(sums, arena, report);
    if (result != SN_OK) {
        return result;
    }
    summarise_surface(sums, report);
    report->figures[SN_FLESH_STRETCH] = sums->measure.edge_stretch_max;
    report->figures[SN_FLESH_INVERTED] = sums->measure.inverted_frame_count;
    report->stretch_bone =
        sums->model->counts.surface_vertex_count > 0 ? sums->surface_bones[sums->measure.stretched_vertex] : 0;
    return SN_OK;
}

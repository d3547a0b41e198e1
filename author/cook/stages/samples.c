/* SPDX-License-Identifier: MIT */
/* Surface points for contact and wind. The first half is spread by farthest points, coarse to fine, so that any leading
 * part covers the body evenly. The third quarter prefers tips and ridges, the last one flesh that collides with
 * colliders on bones. The samples of a flat body lie on its outline, which has a height of 1. */
#include <float.h>
#include <math.h>

#include "author/cook/colliders/bone_colliders.h"
#include "author/cook/stages/stages.h"
#include "author/cook/surface/outline.h"
#include "host/math/vec3.h"
#include "host/mesh/tri_mesh.h"

typedef struct sampling {
    const sn_model *model;
    sn_outline outline; /* of a flat body */
    int32_t *soft;      /* (soft_count) vertices that a mode moves */
    double *nearest;    /* (soft_count) squared distance to the nearest sample */
    int32_t *owners;    /* (soft_count) index of that sample */
    bool *is_tip;       /* (soft_count) */
    int32_t *samples;   /* (SN_SAMPLE_LIMIT) indices into soft */
    bool *is_affected;  /* (soft_count) collides with colliders on bones; null: there are none */
    int soft_count, sample_count;
} sampling;

static double squared_distance(const sn_model *model, int32_t a, int32_t b)
{
    double sum = 0;
    for (size_t d = 0; d < 3; ++d) {
        const double difference =
            (double)model->surface_positions[3 * (size_t)a + d] - (double)model->surface_positions[3 * (size_t)b + d];
        sum += difference * difference;
    }
    return sum;
}

static void find_center(const sampling *s, double *center)
{
    double low[3] = {DBL_MAX, DBL_MAX, DBL_MAX}, high[3] = {-DBL_MAX, -DBL_MAX, -DBL_MAX};
    for (int i = 0; i < s->soft_count; ++i) {
        for (int d = 0; d < 3; ++d) {
            const double x = (double)s->model->surface_positions[3 * s->soft[i] + d];
            low[d] = fmin(low[d], x);
            high[d] = fmax(high[d], x);
        }
    }
    for (int d = 0; d < 3; ++d) {
        center[d] = 0.5 * (low[d] + high[d]);
    }
}

static double distance_from(const sn_model *model, int32_t vertex, const double *point)
{
    const float *x = model->surface_positions + 3 * (size_t)vertex;
    const double position[3] = {(double)x[0], (double)x[1], (double)x[2]};
    return sn_distance3(position, point);
}

/* Tips: farther from the body's center than all their neighbours. Coincident vertices count as one. */
static sn_result find_tips(sampling *s, sn_arena *arena)
{
    const sn_model *model = s->model;
    const size_t n = (size_t)model->counts.surface_vertex_count;
    double *positions = SN_NEW(arena, double, 3 * n), center[3];
    int32_t *merged = SN_NEW(arena, int32_t, n);
    bool *has_farther_neighbour = SN_NEW(arena, bool, n); /* of a position: a neighbour is farther */
    int merged_count = 0;
    if (!positions || !merged || !has_farther_neighbour) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 3 * n; ++i) {
        positions[i] = (double)model->surface_positions[i];
    }
    const sn_tri_mesh mesh = {.vertex_count = (int)n,
                              .triangle_count = model->counts.surface_triangle_count,
                              .positions = positions,
                              .triangles = (int32_t *)(uintptr_t)model->surface_triangles};
    const sn_result result = sn_tri_groups(&mesh, NULL, merged, &merged_count);
    find_center(s, center);
    for (size_t i = 0; i < 3 * (size_t)mesh.triangle_count && result == SN_OK; ++i) {
        const int32_t a = model->surface_triangles[i], b = model->surface_triangles[i % 3 == 2 ? i - 2 : i + 1];
        const double distance_a = distance_from(model, a, center), distance_b = distance_from(model, b, center);
        has_farther_neighbour[merged[a]] |= distance_a < distance_b;
        has_farther_neighbour[merged[b]] |= distance_b < distance_a;
    }
    for (int i = 0; i < s->soft_count && result == SN_OK; ++i) {
        s->is_tip[i] = !has_farther_neighbour[merged[s->soft[i]]];
    }
    return result;
}

/* The vertex farthest from the center. */
static int first_sample(const sampling *s)
{
    double center[3], max_distance = -1;
    int best = 0;
    find_center(s, center);
    for (int i = 0; i < s->soft_count; ++i) {
        const double distance = distance_from(s->model, s->soft[i], center);
        best = distance > max_distance ? i : best;
        max_distance = fmax(distance, max_distance);
    }
    return best;
}

/* Assigns the vertices that are closest to the newest sample to it. */
static void assign_owned(sampling *s)
{
    const int newest = s->sample_count - 1;
    for (int i = 0; i < s->soft_count; ++i) {
        const double square = squared_distance(s->model, s->soft[i], s->soft[s->samples[newest]]);
        if (square < s->nearest[i]) {
            s->nearest[i] = square;
            s->owners[i] = newest;
        }
    }
}

/* The flagged vertex (null: any) that is farthest from its sample; -1 if all are at samples. */
static int next_sample(const sampling *s, const bool *is_candidate)
{
    double max_distance = 0;
    int next = -1;
    for (int i = 0; i < s->soft_count; ++i) {
        if (s->nearest[i] > max_distance && (!is_candidate || is_candidate[i])) {
            max_distance = s->nearest[i];
            next = i;
        }
    }
    return next;
}

/* Farthest points; in the third quarter among tips, in the last among flesh that collides with colliders on bones,
 * since strands are a small part of a body. */
static void choose_samples(sampling *s)
{
    for (int i = 0; i < s->soft_count; ++i) {
        s->nearest[i] = DBL_MAX;
    }
    int next = s->soft_count > 0 ? first_sample(s) : -1;
    while (next >= 0 && s->sample_count < SN_SAMPLE_LIMIT) {
        s->samples[s->sample_count++] = next;
        assign_owned(s);
        const int quarter = 4 * s->sample_count / SN_SAMPLE_LIMIT;
        const bool *candidates = quarter == 2 ? s->is_tip : quarter == 3 ? s->is_affected : NULL;
        next = candidates ? next_sample(s, candidates) : -1;
        next = next < 0 ? next_sample(s, NULL) : next;
    }
}

static void distribute_outline(const sampling *s, float *areas)
{
    for (int i = 0; i < s->soft_count; ++i) {
        areas[s->owners[i]] += (float)s->outline.lengths[s->soft[i]];
    }
}

/* Adds 1/3 of each triangle's area to the sample closest to each corner. */
static sn_result distribute_areas(const sampling *s, sn_arena *arena, float *areas)
{
    const sn_model *model = s->model;
    if (sn_model_is_flat(model)) {
        distribute_outline(s, areas);
        return SN_OK;
    }
    int32_t *owner_of = SN_NEW(arena, int32_t, model->counts.surface_vertex_count);
    double *sums = SN_NEW(arena, double, s->sample_count);
    if (!owner_of || !sums) {
        return SN_ERROR_MEMORY;
    }
    for (int v = 0; v < model->counts.surface_vertex_count; ++v) {
        owner_of[v] = -1;
    }
    for (int i = 0; i < s->soft_count; ++i) {
        owner_of[s->soft[i]] = s->owners[i];
    }
    for (int t = 0; t < model->counts.surface_triangle_count; ++t) {
        const int32_t *corners = model->surface_triangles + 3 * (size_t)t;
        double e[2][3], normal[3];
        for (int d = 0; d < 3; ++d) {
            const double origin = (double)model->surface_positions[3 * corners[0] + d];
            e[0][d] = (double)model->surface_positions[3 * corners[1] + d] - origin;
            e[1][d] = (double)model->surface_positions[3 * corners[2] + d] - origin;
        }
        sn_cross3(e[0], e[1], normal);
        for (int k = 0; k < 3; ++k) {
            if (owner_of[corners[k]] >= 0) {
                sums[owner_of[corners[k]]] += sn_length3(normal) / 6;
            }
        }
    }
    for (int i = 0; i < s->sample_count; ++i) {
        areas[i] = (float)sums[i];
    }
    return SN_OK;
}

/* Among the vertices of each sample, the farthest one along each diagonal of the axes. */
static void find_extremes(const sampling *s, const int32_t *vertices, int32_t *extremes, double *max_along)
{
    const float *positions = s->model->surface_positions;
    for (int i = 0; i < SN_SAMPLE_EXTREMES * s->sample_count; ++i) {
        extremes[i] = vertices[i / SN_SAMPLE_EXTREMES];
        max_along[i] = 0;
    }
    for (int i = 0; i < s->soft_count; ++i) {
        const float *x = positions + 3 * (size_t)s->soft[i];
        const float *centre = positions + 3 * (size_t)vertices[s->owners[i]];
        for (int octant = 0; octant < SN_SAMPLE_EXTREMES; ++octant) {
            const int at = SN_SAMPLE_EXTREMES * s->owners[i] + octant;
            double projection = 0;
            for (int d = 0; d < 3; ++d) {
                projection += ((octant >> d & 1) ? 1 : -1) * ((double)x[d] - (double)centre[d]);
            }
            if (projection > max_along[at]) {
                max_along[at] = projection;
                extremes[at] = s->soft[i];
            }
        }
    }
}

static void fill_normals(const sampling *s, const int32_t *vertices, float *normals)
{
    for (size_t i = 0; i < 3 * (size_t)s->sample_count; ++i) {
        const size_t from = 3 * (size_t)vertices[i / 3] + i % 3;
        normals[i] = sn_model_is_flat(s->model) ? (float)s->outline.normals[from] : s->model->surface_normals[from];
    }
}

static sn_result flag_affected(const sn_cook_context *k, sampling *s, sn_arena *arena)
{
    s->is_affected = k->bone_collider_count > 0 ? SN_NEW(arena, bool, s->soft_count) : NULL;
    for (int i = 0; i < s->soft_count && s->is_affected; ++i) {
        s->is_affected[i] = sn_bone_collider_affects_vertex(k, s->model, -1, s->soft[i]);
    }
    return s->is_affected || k->bone_collider_count == 0 ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result list_soft(sampling *s, sn_arena *arena)
{
    const bool is_flat = sn_model_is_flat(s->model);
    SN_TRY(is_flat ? sn_outline_build(s->model, arena, &s->outline) : SN_OK);
    for (int v = 0; v < s->model->counts.surface_vertex_count; ++v) {
        if (!sn_model_is_vertex_rigid(s->model, (size_t)v) && (!is_flat || s->outline.lengths[v] > 0)) {
            s->soft[s->soft_count++] = v;
        }
    }
    return SN_OK;
}

/* The row of the map V from coordinates to a vertex: mode weights times [x, 1] times mode_from_coordinate. */
static void fill_row(const sn_model *model, size_t vertex, double *sum, float *row)
{
    const size_t modes = (size_t)model->counts.mode_count, coordinates = (size_t)model->counts.coordinate_count;
    for (size_t i = 0; i < coordinates; ++i) {
        sum[i] = 0;
    }
    for (size_t j = 0; j < modes; ++j) {
        const double weight = (double)model->surface_modes[vertex * modes + j].weight;
        for (size_t k = 0; k < 4; ++k) {
            const double factor = weight * (k < 3 ? (double)model->surface_positions[3 * vertex + k] : 1);
            const double *map = model->mode_from_coordinate + (4 * j + k) * coordinates;
            for (size_t i = 0; i < coordinates; ++i) {
                sum[i] += factor * map[i];
            }
        }
    }
    for (size_t i = 0; i < coordinates; ++i) {
        row[i] = (float)sum[i];
    }
}

sn_result sn_cook_context_add_sample_rows(sn_cook_context *k, sn_model *model)
{
    const size_t coordinates = (size_t)model->counts.coordinate_count, samples = (size_t)model->counts.sample_count;
    double *sum = SN_NEW(&k->arena, double, coordinates);
    float *rows = SN_NEW(&k->arena, float, samples *coordinates);
    float *extreme_rows = SN_NEW(&k->arena, float, SN_SAMPLE_EXTREMES *samples *coordinates);
    if (!sum || !rows || !extreme_rows) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < samples; ++i) {
        fill_row(model, (size_t)model->sample_vertices[i], sum, rows + i * coordinates);
    }
    for (size_t i = 0; i < SN_SAMPLE_EXTREMES * samples; ++i) {
        fill_row(model, (size_t)model->sample_extremes[i], sum, extreme_rows + i * coordinates);
    }
    model->sample_coordinate = rows;
    model->extreme_coordinate = extreme_rows;
    return SN_OK;
}

sn_result sn_cook_context_add_samples(sn_cook_context *k, sn_model *model)
{
    const int surface_count = model->counts.surface_vertex_count;
    sampling s = {.model = model,
                  .soft = SN_NEW(&k->arena, int32_t, surface_count),
                  .nearest = SN_NEW(&k->arena, double, surface_count),
                  .owners = SN_NEW(&k->arena, int32_t, surface_count),
                  .is_tip = SN_NEW(&k->arena, bool, surface_count),
                  .samples = SN_NEW(&k->arena, int32_t, SN_SAMPLE_LIMIT)};
    if (!s.soft || !s.nearest || !s.owners || !s.is_tip || !s.samples) {
        return SN_ERROR_MEMORY;
    }
    sn_result result = list_soft(&s, &k->arena);
    result = result == SN_OK ? find_tips(&s, &k->arena) : result;
    result = result == SN_OK ? flag_affected(k, &s, &k->arena) : result;
    if (result != SN_OK) {
        return result;
    }
    choose_samples(&s);
    int32_t *vertices = SN_NEW(&k->arena, int32_t, s.sample_count);
    float *areas = SN_NEW(&k->arena, float, s.sample_count);
    float *normals = SN_NEW(&k->arena, float, 3 * s.sample_count);
    int32_t *extremes = SN_NEW(&k->arena, int32_t, SN_SAMPLE_EXTREMES * (size_t)s.sample_count);
    double *max_along = SN_NEW(&k->arena, double, SN_SAMPLE_EXTREMES *(size_t)s.sample_count);
    if (!vertices || !areas || !normals || !extremes || !max_along || distribute_areas(&s, &k->arena, areas) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < s.sample_count; ++i) {
        vertices[i] = s.soft[s.samples[i]];
    }
    fill_normals(&s, vertices, normals);
    find_extremes(&s, vertices, extremes, max_along);
    model->sample_extremes = extremes;
    model->counts.sample_count = s.sample_count;
    model->sample_vertices = vertices;
    model->sample_areas = areas;
    model->sample_normals = normals;
    return sn_cook_context_add_sample_rows(k, model);
}

/* SPDX-License-Identifier: MIT */
#include "author/cook/bone_lines.h"

#include <string.h>

#include "host/math/jacobi.h"
#include "host/math/vec3.h"

#define LEAST_FLESH 1e-9 /* of the body's mass: what a bone without moves only by rounding */
#define INTO_FLESH 1.5   /* times the way to the middle: short of the skin */
#define NEAR_MIDDLE 0.5  /* of that way: a line so near does for the flesh there */

typedef struct line_builder {
    const sn_cooking *k;
    const sn_model *model;
    sn_bone_lines *lines;
    double least;
} line_builder;

static void weigh_flesh(const sn_cooking *k, sn_bone_lines *lines)
{
    const size_t b = (size_t)k->bone_count;
    for (size_t i = 0; i < (size_t)k->mesh.vertex_count * b; ++i) {
        const double mass = k->rig_weights[i] * k->mass[i / b];
        lines->flesh[i % b] += mass;
        for (size_t d = 0; d < 3; ++d) {
            lines->middles[3 * (i % b) + d] += mass * k->mesh.positions[3 * (i / b) + d];
        }
    }
    for (size_t i = 0; i < 3 * b; ++i) {
        lines->middles[i] /= lines->flesh[i / 3] > 0 ? lines->flesh[i / 3] : 1;
    }
}

static void pivot_of(const line_builder *s, int bone, double *pivot)
{
    for (int d = 0; d < 3; ++d) {
        pivot[d] = (double)s->model->bone_pivots[3 * bone + d];
    }
}

static const sn_cook_handle *handle_of(const line_builder *s, int bone)
{
    return s->k->kept ? &s->k->kept->handles[bone] : NULL;
}

static void add_line(const line_builder *s, int bone, const double *start, const double *end, double radius)
{
    sn_bone_line *line = &s->lines->list[s->lines->count++];
    *line = (sn_bone_line){.bone = bone, .radius = radius};
    memcpy(line->start, start, sizeof line->start);
    memcpy(line->end, end, sizeof line->end);
}

static void add_handle(const line_builder *s, int bone, const sn_cook_handle *handle)
{
    double start[3], end[3];
    pivot_of(s, bone, start);
    for (int d = 0; d < 3; ++d) {
        end[d] = handle->shape == SN_HANDLE_SHAPE_BONE ? (double)s->model->bone_ends[4 * bone + d] : start[d];
    }
    add_line(s, bone, start, end,
             handle->shape == SN_HANDLE_SHAPE_BONE ? (double)s->model->bone_ends[4 * bone + 3] : 0);
}

static void add_children(const line_builder *s, int bone)
{
    const sn_model *m = s->model;
    double start[3], end[3];
    pivot_of(s, bone, start);
    for (int child = 0; child < m->counts.bone_count; ++child) {
        pivot_of(s, child, end);
        if (m->bone_parents[child] == bone && sn_distance3(start, end) > 1e-6 * m->diagonal) {
            add_line(s, bone, start, end, 0);
        }
    }
}

/* Towards the middle of its flesh, and as far again by half. */
static void add_into_flesh(const line_builder *s, int bone, int first)
{
    const double *middle = s->lines->middles + 3 * (size_t)bone;
    double start[3], end[3];
    pivot_of(s, bone, start);
    const double way = sn_distance3(start, middle);
    bool is_met = false;
    for (int i = first; i < s->lines->count && !is_met; ++i) {
        const sn_bone_line *line = &s->lines->list[i];
        const double share = sn_segment_nearest(middle, line->start, line->end);
        for (int d = 0; d < 3; ++d) {
            end[d] = line->start[d] + share * (line->end[d] - line->start[d]);
        }
        is_met = sn_distance3(end, middle) < NEAR_MIDDLE * way;
    }
    for (int d = 0; d < 3; ++d) {
        end[d] = start[d] + INTO_FLESH * (middle[d] - start[d]);
    }
    if (!is_met) {
        add_line(s, bone, start, end, 0);
    }
}

/* One bone that is nowhere: the body's own axis, as far as its mass spreads to either side. */
static void add_axis(const line_builder *s)
{
    const sn_cooking *k = s->k;
    const double *middle = s->lines->middles;
    double spread[9] = {0}, turns[9], start[3], end[3];
    for (int v = 0; v < k->mesh.vertex_count; ++v) {
        double off[3];
        sn_subtract3(k->mesh.positions + 3 * (size_t)v, middle, off);
        for (int i = 0; i < 9; ++i) {
            spread[i] += k->mass[v] / s->lines->flesh[0] * off[i / 3] * off[i % 3];
        }
    }
    sn_jacobi_orthogonalise(3, 3, spread, turns); /* of a symmetric matrix: the last column is the long axis */
    const double variance = sn_length3(spread + 6);
    for (int d = 0; d < 3; ++d) {
        const double reach = sqrt(variance) * turns[6 + d];
        start[d] = middle[d] - reach;
        end[d] = middle[d] + reach;
    }
    add_line(s, 0, start, end, 0);
}

static bool is_nowhere(const sn_cooking *k)
{
    return k->bone_count == 1 && !k->has_rig && !k->kept;
}

sn_result sn_bone_lines_build(sn_cooking *k, const sn_model *model, sn_bone_lines *lines)
{
    const size_t b = (size_t)k->bone_count;
    *lines = (sn_bone_lines){.list = SN_NEW(&k->arena, sn_bone_line, 3 * b),
                             .flesh = SN_NEW(&k->arena, double, b),
                             .middles = SN_NEW(&k->arena, double, 3 * b)};
    line_builder s = {.k = k, .model = model, .lines = lines};
    if (!lines->list || !lines->flesh || !lines->middles) {
        return SN_ERROR_MEMORY;
    }
    weigh_flesh(k, lines);
    for (size_t i = 0; i < b; ++i) {
        s.least += LEAST_FLESH * lines->flesh[i];
    }
    if (is_nowhere(k)) {
        add_axis(&s);
        return SN_OK;
    }
    for (int bone = 0; bone < k->bone_count; ++bone) {
        const sn_cook_handle *handle = handle_of(&s, bone);
        const int first = lines->count;
        if (lines->flesh[bone] <= s.least || (k->is_translated && k->is_translated[bone])) {
            continue;
        }
        if (handle) {
            add_handle(&s, bone, handle);
        }
        if (!handle || handle->shape == SN_HANDLE_SHAPE_POINT) {
            add_children(&s, bone);
        }
        if (!handle) {
            add_into_flesh(&s, bone, first);
        }
    }
    return SN_OK;
}

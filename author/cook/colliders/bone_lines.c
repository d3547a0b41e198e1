/* SPDX-License-Identifier: MIT */
#include "author/cook/colliders/bone_lines.h"

#include <string.h>

#include "host/math/jacobi.h"
#include "host/math/vec3.h"

#define LEAST_FLESH 1e-9 /* fraction of the body's mass; below is rounding */
#define NEAR_MIDDLE                                                                                                    \
    0.5 /* of the distance to the center, or of the flesh's extent: a line this close to the center suffices */
#define AT_MIDDLE 0.1 /* of the flesh's extent: a joint this close to the center gives no direction */

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
        const double mass = k->rig_weights[i] * k->mass[i / b], *x = k->mesh.positions + 3 * (i / b);
        lines->flesh[i % b] += mass;
        for (size_t d = 0; mass > 0 && d < 9; ++d) {
            lines->middles[3 * (i % b) + d % 3] += d < 3 ? mass * x[d] : 0;
            lines->spreads[9 * (i % b) + d] += mass * x[d / 3] * x[d % 3];
        }
    }
    for (size_t i = 0; i < 9 * b; ++i) {
        lines->spreads[i] /= lines->flesh[i / 9] > 0 ? lines->flesh[i / 9] : 1;
    }
    for (size_t i = 0; i < 3 * b; ++i) {
        lines->middles[i] /= lines->flesh[i / 3] > 0 ? lines->flesh[i / 3] : 1;
    }
    for (size_t i = 0; i < 9 * b; ++i) {
        const double *middle = lines->middles + 3 * (i / 9);
        lines->spreads[i] -= middle[i % 9 / 3] * middle[i % 3];
    }
}

/* The long axis of a bone's flesh; returns the variance along it. */
static double find_axis(const sn_bone_lines *lines, size_t bone, double *axis)
{
    double columns[9], turns[9];
    memcpy(columns, lines->spreads + 9 * bone, sizeof columns);
    sn_jacobi_orthogonalise(3, 3, columns, turns); /* the last column is the longest, since the matrix is symmetric */
    memcpy(axis, turns + 6, 3 * sizeof *axis);
    return sn_length3(columns + 6);
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

/* Whether another of the bone's lines passes near the center of its flesh. */
static bool is_middle_met(const line_builder *s, const double *middle, double reach, int first)
{
    bool is_met = false;
    for (int i = first; i < s->lines->count && !is_met; ++i) {
        const sn_bone_line *line = &s->lines->list[i];
        is_met = sn_segment_distance(middle, line->start, line->end) < reach;
    }
    return is_met;
}

/* Adds a line through the center of the flesh, one standard deviation beyond it: about 80% of a bar that begins at the
 * joint. */
static void add_into_flesh(const line_builder *s, int bone, int first)
{
    const double *middle = s->lines->middles + 3 * (size_t)bone, *spread = s->lines->spreads + 9 * (size_t)bone;
    double start[3], end[3], axis[3], way[3], square = 0;
    pivot_of(s, bone, start);
    sn_subtract3(middle, start, way);
    const double distance = sn_length3(way), long_square = find_axis(s->lines, (size_t)bone, axis);
    if (distance * distance > AT_MIDDLE * AT_MIDDLE * long_square) {
        sn_normalize3(way, axis);
        memcpy(axis, way, sizeof axis);
    }
    for (int i = 0; i < 9; ++i) {
        square += axis[i / 3] * spread[i] * axis[i % 3];
    }
    for (int d = 0; d < 3; ++d) {
        end[d] = middle[d] + sqrt(fmax(square, 0)) * axis[d];
    }
    if (!is_middle_met(s, middle, fmax(NEAR_MIDDLE * distance, NEAR_MIDDLE * sqrt(fmax(square, 0))), first)) {
        add_line(s, bone, start, end, 0);
    }
}

/* For the default single bone: the body's own axis, one standard deviation to either side of the center. */
static void add_axis(const line_builder *s)
{
    double axis[3], start[3], end[3];
    const double reach = sqrt(find_axis(s->lines, 0, axis));
    for (int d = 0; d < 3; ++d) {
        start[d] = s->lines->middles[d] - reach * axis[d];
        end[d] = s->lines->middles[d] + reach * axis[d];
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
                             .middles = SN_NEW(&k->arena, double, 3 * b),
                             .spreads = SN_NEW(&k->arena, double, 9 * b)};
    line_builder s = {.k = k, .model = model, .lines = lines};
    if (!lines->list || !lines->flesh || !lines->middles || !lines->spreads) {
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

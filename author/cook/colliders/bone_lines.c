/* SPDX-License-Identifier: MIT */
#include "author/cook/colliders/bone_lines.h"

#include <string.h>

#include "host/math/jacobi.h"
#include "host/math/vec3.h"

#define MIN_FLESH 1e-9 /* fraction of the body's mass; below is rounding */
#define NEAR_CENTER                                                                                                    \
    0.5 /* of the distance to the center, or of the flesh's extent: a line this close to the center suffices */
#define AT_CENTER 0.1 /* of the flesh's extent: a joint this close to the center gives no direction */

typedef struct line_builder {
    const sn_cook_context *cook;
    const sn_model *model;
    sn_bone_lines *lines;
    double min_flesh;
} line_builder;

static void measure_flesh(const sn_cook_context *cook, sn_bone_lines *lines)
{
    const size_t b = (size_t)cook->bone_count;
    for (size_t i = 0; i < (size_t)cook->mesh.vertex_count * b; ++i) {
        const double mass = cook->rig_weights[i] * cook->mass[i / b], *x = cook->mesh.positions + 3 * (i / b);
        lines->flesh[i % b] += mass;
        for (size_t d = 0; mass > 0 && d < 9; ++d) {
            lines->centers[3 * (i % b) + d % 3] += d < 3 ? mass * x[d] : 0;
            lines->covariances[9 * (i % b) + d] += mass * x[d / 3] * x[d % 3];
        }
    }
    for (size_t i = 0; i < 9 * b; ++i) {
        lines->covariances[i] /= lines->flesh[i / 9] > 0 ? lines->flesh[i / 9] : 1;
    }
    for (size_t i = 0; i < 3 * b; ++i) {
        lines->centers[i] /= lines->flesh[i / 3] > 0 ? lines->flesh[i / 3] : 1;
    }
    for (size_t i = 0; i < 9 * b; ++i) {
        const double *center = lines->centers + 3 * (i / 9);
        lines->covariances[i] -= center[i % 9 / 3] * center[i % 3];
    }
}

/* The long axis of a bone's flesh; returns the variance along it. */
static double find_axis(const sn_bone_lines *lines, size_t bone, double *axis)
{
    double columns[9], rotations[9];
    memcpy(columns, lines->covariances + 9 * bone, sizeof columns);
    sn_jacobi_orthogonalise(3, 3, columns,
                            rotations); /* the last column is the longest, since the matrix is symmetric */
    memcpy(axis, rotations + 6, 3 * sizeof *axis);
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
    return s->cook->stored ? &s->cook->stored->handles[bone] : NULL;
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
        end[d] = handle->shape == SN_HANDLE_SHAPE_BONE ? (double)s->model->bone_tails[4 * bone + d] : start[d];
    }
    add_line(s, bone, start, end,
             handle->shape == SN_HANDLE_SHAPE_BONE ? (double)s->model->bone_tails[4 * bone + 3] : 0);
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
static bool is_center_covered(const line_builder *s, const double *center, double extent, int first)
{
    bool is_covered = false;
    for (int i = first; i < s->lines->count && !is_covered; ++i) {
        const sn_bone_line *line = &s->lines->list[i];
        is_covered = sn_segment_distance(center, line->start, line->end) < extent;
    }
    return is_covered;
}

/* Adds a line through the center of the flesh, one standard deviation beyond it: about 80% of a bar that begins at the
 * joint. */
static void add_into_flesh(const line_builder *s, int bone, int first)
{
    const double *center = s->lines->centers + 3 * (size_t)bone, *covariance = s->lines->covariances + 9 * (size_t)bone;
    double start[3], end[3], axis[3], direction[3], square = 0;
    pivot_of(s, bone, start);
    sn_subtract3(center, start, direction);
    const double distance = sn_length3(direction), long_square = find_axis(s->lines, (size_t)bone, axis);
    if (distance * distance > AT_CENTER * AT_CENTER * long_square) {
        sn_normalize3(direction, axis);
        memcpy(axis, direction, sizeof axis);
    }
    for (int i = 0; i < 9; ++i) {
        square += axis[i / 3] * covariance[i] * axis[i % 3];
    }
    for (int d = 0; d < 3; ++d) {
        end[d] = center[d] + sqrt(fmax(square, 0)) * axis[d];
    }
    if (!is_center_covered(s, center, fmax(NEAR_CENTER * distance, NEAR_CENTER * sqrt(fmax(square, 0))), first)) {
        add_line(s, bone, start, end, 0);
    }
}

/* For the default single bone: the body's own axis, one standard deviation to either side of the center. */
static void add_axis(const line_builder *s)
{
    double axis[3], start[3], end[3];
    const double extent = sqrt(find_axis(s->lines, 0, axis));
    for (int d = 0; d < 3; ++d) {
        start[d] = s->lines->centers[d] - extent * axis[d];
        end[d] = s->lines->centers[d] + extent * axis[d];
    }
    add_line(s, 0, start, end, 0);
}

static bool is_default_bone(const sn_cook_context *cook)
{
    return cook->bone_count == 1 && !cook->has_rig && !cook->stored;
}

sn_result sn_bone_lines_build(sn_cook_context *cook, const sn_model *model, sn_bone_lines *lines)
{
    const size_t b = (size_t)cook->bone_count;
    *lines = (sn_bone_lines){.list = SN_NEW(&cook->arena, sn_bone_line, 3 * b),
                             .flesh = SN_NEW(&cook->arena, double, b),
                             .centers = SN_NEW(&cook->arena, double, 3 * b),
                             .covariances = SN_NEW(&cook->arena, double, 9 * b)};
    line_builder s = {.cook = cook, .model = model, .lines = lines};
    if (!lines->list || !lines->flesh || !lines->centers || !lines->covariances) {
        return SN_ERROR_MEMORY;
    }
    measure_flesh(cook, lines);
    for (size_t i = 0; i < b; ++i) {
        s.min_flesh += MIN_FLESH * lines->flesh[i];
    }
    if (is_default_bone(cook)) {
        add_axis(&s);
        return SN_OK;
    }
    for (int bone = 0; bone < cook->bone_count; ++bone) {
        const sn_cook_handle *handle = handle_of(&s, bone);
        const int first = lines->count;
        if (lines->flesh[bone] <= s.min_flesh || (cook->is_translated && cook->is_translated[bone])) {
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

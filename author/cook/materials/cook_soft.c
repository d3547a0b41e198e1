/* SPDX-License-Identifier: MIT */
/* Cooks a soft body without a rig. The rendered surface is skinned to bones, and a single bone would look rigid. So
 * stretchable point handles are distributed over the flesh by k-means, weighted by mass and seeded by farthest points,
 * and the skin follows the flesh. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "author/cook/stages/stages.h"
#include "host/math/vec3.h"
#include "host/model/model.h"

#define LLOYD_STEPS 12
#define NAME_BYTES 24 /* enough for any int */

typedef struct point_spread {
    const sn_model *model;
    int count;
    double *positions;    /* (vertex_count x 3) */
    double *centres;      /* (count x 3) */
    double *accumulators; /* (count x 4) mass x (position, 1) */
    int32_t *nearest;     /* (vertex_count) nearest centre */
    double *distance;     /* (vertex_count) distance to it */
} point_spread;

static sn_result init(point_spread *s, sn_arena *arena)
{
    const size_t n = (size_t)s->model->counts.vertex_count, count = (size_t)s->count;
    s->positions = SN_NEW(arena, double, 3 * n);
    s->centres = SN_NEW(arena, double, 3 * count);
    s->accumulators = SN_NEW(arena, double, 4 * count);
    s->nearest = SN_NEW(arena, int32_t, n);
    s->distance = SN_NEW(arena, double, n);
    if (!s->positions || !s->centres || !s->accumulators || !s->nearest || !s->distance) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 3 * n; ++i) {
        s->positions[i] = (double)s->model->rest_positions[i];
    }
    return SN_OK;
}

static int farthest_vertex(const point_spread *s)
{
    int best = 0;
    for (int v = 1; v < s->model->counts.vertex_count; ++v) {
        best = s->distance[v] > s->distance[best] ? v : best;
    }
    return best;
}

/* Updates nearest and distance after the centres [first, last) have changed. */
static void find_nearest(point_spread *s, int first, int last)
{
    for (int v = 0; v < s->model->counts.vertex_count; ++v) {
        for (int c = first; c < last; ++c) {
            const double d = sn_distance3(s->positions + 3 * (size_t)v, s->centres + 3 * (size_t)c);
            if (c == 0 || d < s->distance[v]) {
                s->nearest[v] = c;
                s->distance[v] = d;
            }
        }
    }
}

static void update_centres(point_spread *s)
{
    memset(s->accumulators, 0, 4 * (size_t)s->count * sizeof *s->accumulators);
    for (size_t v = 0; v < (size_t)s->model->counts.vertex_count; ++v) {
        const double m = (double)s->model->vertex_mass[v];
        double *accumulator = s->accumulators + 4 * (size_t)s->nearest[v];
        for (size_t d = 0; d < 4; ++d) {
            accumulator[d] += d < 3 ? m * s->positions[3 * v + d] : m;
        }
    }
    for (size_t i = 0; i < 3 * (size_t)s->count; ++i) {
        const double *accumulator = s->accumulators + 4 * (i / 3);
        s->centres[i] = accumulator[3] > 0 ? accumulator[i % 3] / accumulator[3] : s->centres[i];
    }
}

static void distribute_centres(point_spread *s)
{
    for (int c = 0; c < s->count; ++c) {
        memcpy(s->centres + 3 * (size_t)c, s->positions + 3 * (size_t)(c > 0 ? farthest_vertex(s) : 0),
               3 * sizeof *s->centres);
        find_nearest(s, c, c + 1);
    }
    for (int step = 0; step < LLOYD_STEPS; ++step) {
        update_centres(s);
        find_nearest(s, 0, s->count);
    }
    for (int c = 0; c < s->count; ++c) { /* Move each centre to its nearest own vertex, so that no two coincide. */
        int best = -1;
        double min_distance = INFINITY;
        for (int v = 0; v < s->model->counts.vertex_count; ++v) {
            if (s->nearest[v] == c && s->distance[v] < min_distance) {
                best = v;
                min_distance = s->distance[v];
            }
        }
        if (best >= 0) {
            memcpy(s->centres + 3 * (size_t)c, s->positions + 3 * (size_t)best, 3 * sizeof *s->centres);
        }
    }
}

static sn_result cook_points(const point_spread *s, const sn_cook_soft_body_desc *desc, sn_arena *arena, sn_blob *blob)
{
    sn_cook_handle *handles = SN_NEW(arena, sn_cook_handle, s->count);
    char *names = SN_NEW(arena, char, NAME_BYTES *(size_t)s->count);
    if (!handles || !names) {
        return SN_ERROR_MEMORY;
    }
    for (int c = 0; c < s->count; ++c) {
        char *name = names + NAME_BYTES * (size_t)c;
        snprintf(name, NAME_BYTES, "soft.%d", c);
        handles[c] =
            (sn_cook_handle){.shape = SN_HANDLE_SHAPE_POINT, .name = name, .parent = -1, .is_stretchable = true};
        memcpy(handles[c].start, s->centres + 3 * (size_t)c, sizeof handles[c].start);
    }
    const sn_cook_rig_desc rig = {.handles = {.name = "the soft body's points", .count = s->count, .handles = handles},
                                  .is_cancelled = desc->is_cancelled,
                                  .cancel_user = desc->cancel_user};
    return sn_cook_rig(s->model, &rig, blob);
}

sn_result sn_cook_soft_body(const sn_model *model, const sn_cook_soft_body_desc *desc, sn_blob *blob)
{
    const int max_count = model->counts.vertex_count / 8 < 1 ? 1 : model->counts.vertex_count / 8;
    point_spread s = {.model = model, .count = desc->point_count > 0 ? desc->point_count : SN_SOFT_POINT_COUNT};
    sn_arena arena = {0};
    *blob = (sn_blob){0};
    if (desc->point_count < 0 || desc->point_count > SN_SOFT_POINT_LIMIT) {
        return sn_fail_within(SN_ERROR_ARGUMENT, "soft body: %d points; 1 to %d", desc->point_count,
                              SN_SOFT_POINT_LIMIT);
    }
    s.count = s.count < max_count ? s.count : max_count;
    sn_result result = init(&s, &arena);
    if (result == SN_OK) {
        distribute_centres(&s);
        result = cook_points(&s, desc, &arena, blob);
    }
    sn_arena_finish(&arena);
    return result;
}

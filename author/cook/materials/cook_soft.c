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

typedef struct spreading {
    const sn_model *model;
    int count;
    double *places;   /* (vertex_count x 3) */
    double *centres;  /* (count x 3) */
    double *sums;     /* (count x 4) mass x (position, 1) */
    int32_t *nearest; /* (vertex_count) nearest centre */
    double *distance; /* (vertex_count) distance to it */
} spreading;

static sn_result begin(spreading *s, sn_arena *arena)
{
    const size_t n = (size_t)s->model->counts.vertex_count, count = (size_t)s->count;
    s->places = SN_NEW(arena, double, 3 * n);
    s->centres = SN_NEW(arena, double, 3 * count);
    s->sums = SN_NEW(arena, double, 4 * count);
    s->nearest = SN_NEW(arena, int32_t, n);
    s->distance = SN_NEW(arena, double, n);
    if (!s->places || !s->centres || !s->sums || !s->nearest || !s->distance) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 3 * n; ++i) {
        s->places[i] = (double)s->model->rest_positions[i];
    }
    return SN_OK;
}

static int farthest_vertex(const spreading *s)
{
    int best = 0;
    for (int v = 1; v < s->model->counts.vertex_count; ++v) {
        best = s->distance[v] > s->distance[best] ? v : best;
    }
    return best;
}

/* Updates nearest and distance after the centres [first, last) have changed. */
static void find_nearest(spreading *s, int first, int last)
{
    for (int v = 0; v < s->model->counts.vertex_count; ++v) {
        for (int c = first; c < last; ++c) {
            const double d = sn_distance3(s->places + 3 * (size_t)v, s->centres + 3 * (size_t)c);
            if (c == 0 || d < s->distance[v]) {
                s->nearest[v] = c;
                s->distance[v] = d;
            }
        }
    }
}

static void take_middles(spreading *s)
{
    memset(s->sums, 0, 4 * (size_t)s->count * sizeof *s->sums);
    for (size_t v = 0; v < (size_t)s->model->counts.vertex_count; ++v) {
        const double m = (double)s->model->vertex_mass[v];
        double *sum = s->sums + 4 * (size_t)s->nearest[v];
        for (size_t d = 0; d < 4; ++d) {
            sum[d] += d < 3 ? m * s->places[3 * v + d] : m;
        }
    }
    for (size_t i = 0; i < 3 * (size_t)s->count; ++i) {
        const double *sum = s->sums + 4 * (i / 3);
        s->centres[i] = sum[3] > 0 ? sum[i % 3] / sum[3] : s->centres[i];
    }
}

static void spread(spreading *s)
{
    for (int c = 0; c < s->count; ++c) {
        memcpy(s->centres + 3 * (size_t)c, s->places + 3 * (size_t)(c > 0 ? farthest_vertex(s) : 0),
               3 * sizeof *s->centres);
        find_nearest(s, c, c + 1);
    }
    for (int step = 0; step < LLOYD_STEPS; ++step) {
        take_middles(s);
        find_nearest(s, 0, s->count);
    }
    for (int c = 0; c < s->count; ++c) { /* Move each centre to its nearest own vertex, so that no two coincide. */
        int best = -1;
        double least = INFINITY;
        for (int v = 0; v < s->model->counts.vertex_count; ++v) {
            if (s->nearest[v] == c && s->distance[v] < least) {
                best = v;
                least = s->distance[v];
            }
        }
        if (best >= 0) {
            memcpy(s->centres + 3 * (size_t)c, s->places + 3 * (size_t)best, 3 * sizeof *s->centres);
        }
    }
}

static sn_result cook_points(const spreading *s, const sn_cook_soft_desc *desc, sn_arena *arena, sn_blob *blob)
{
    sn_cook_handle *handles = SN_NEW(arena, sn_cook_handle, s->count);
    char *names = SN_NEW(arena, char, NAME_BYTES *(size_t)s->count);
    if (!handles || !names) {
        return SN_ERROR_MEMORY;
    }
    for (int c = 0; c < s->count; ++c) {
        char *name = names + NAME_BYTES * (size_t)c;
        snprintf(name, NAME_BYTES, "soft.%d", c);
        handles[c] = (sn_cook_handle){.shape = SN_HANDLE_SHAPE_POINT, .name = name, .parent = -1, .is_stretched = true};
        memcpy(handles[c].start, s->centres + 3 * (size_t)c, sizeof handles[c].start);
    }
    const sn_cook_rig_desc rig = {.handles = {.name = "the soft body's points", .count = s->count, .handles = handles},
                                  .is_cancelled = desc->is_cancelled,
                                  .cancel_user = desc->cancel_user};
    return sn_cook_rig(s->model, &rig, blob);
}

sn_result sn_cook_soft(const sn_model *model, const sn_cook_soft_desc *desc, sn_blob *blob)
{
    const int most = model->counts.vertex_count / 8 < 1 ? 1 : model->counts.vertex_count / 8;
    spreading s = {.model = model, .count = desc->point_count > 0 ? desc->point_count : SN_SOFT_POINT_COUNT};
    sn_arena arena = {0};
    *blob = (sn_blob){0};
    if (desc->point_count < 0 || desc->point_count > SN_SOFT_POINT_LIMIT) {
        return sn_fail_within(SN_ERROR_ARGUMENT, "soft body: %d points; 1 to %d", desc->point_count,
                              SN_SOFT_POINT_LIMIT);
    }
    s.count = s.count < most ? s.count : most;
    sn_result result = begin(&s, &arena);
    if (result == SN_OK) {
        spread(&s);
        result = cook_points(&s, desc, &arena, blob);
    }
    sn_arena_finish(&arena);
    return result;
}

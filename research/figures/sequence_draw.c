/* SPDX-License-Identifier: MIT */
/* A sequence's body at several moments, in one picture. */
#include <math.h>
#include <string.h>

#include "research/figures/sequences.h"

/* The ground, of the view's radius: how far it goes, and strokes below it. */
#define GROUND_REACH 2.0
#define STROKE_COUNT 40
#define STROKE_LENGTH 0.05

typedef struct scene {
    double *places;     /* (vertices x 3) about the view's centre */
    double *values;     /* (vertices) */
    int32_t *triangles; /* (triangles x 3) */
    int vertex_count, triangle_count;
} scene;

/* Volume over that at rest, less one, twice; of each vertex the mean of its tets. */
static sn_result measure_volumes(const sn_sequence *s, const double *positions, sn_arena *arena, double *values)
{
    const size_t n = (size_t)s->mesh.vertex_count;
    double *now = SN_NEW(arena, double, n), *rest = SN_NEW(arena, double, n), *moved = SN_NEW(arena, double, 3 * n);
    if (!now || !rest || !moved) {
        return SN_ERROR_MEMORY;
    }
    sn_tet_mesh mesh = s->mesh;
    mesh.positions = memcpy(moved, positions, 3 * n * sizeof *moved);
    for (int t = 0; t < mesh.tet_count; ++t) {
        for (int c = 0; c < 4; ++c) {
            now[mesh.tets[4 * t + c]] += sn_tet_volume(&mesh, t);
            rest[mesh.tets[4 * t + c]] += sn_tet_volume(&s->mesh, t);
        }
    }
    for (int i = 0; i < s->surface->vertex_count; ++i) {
        values[i] = 0;
        for (int c = 0; c < 4; ++c) {
            const int32_t v = s->surface->corners[4 * i + c];
            values[i] += s->surface->weights[4 * i + c] * 2 * (now[v] / rest[v] - 1);
        }
    }
    return SN_OK;
}

/* A line at height 0 in front of the bodies, so that what goes through it is seen, and strokes below it, behind them.
 */
static int add_ground(const sn_sequence_view *view, double *lines)
{
    const double reach = GROUND_REACH * view->radius, length = STROKE_LENGTH * view->radius, height = -view->centre[1];
    const double level[6] = {-reach, height, reach, reach, height, reach};
    memcpy(lines, level, sizeof level);
    for (int i = 0; i < STROKE_COUNT; ++i) {
        const double x = reach * (2.0 * i / (STROKE_COUNT - 1) - 1);
        const double stroke[6] = {x, height, -reach, x - length, height - length, -reach};
        memcpy(lines + 6 * (i + 1), stroke, sizeof stroke);
    }
    return STROKE_COUNT + 1;
}

static void add_moment(const sn_sequence *s, const sn_sequence_view *view, const double *positions, scene *made)
{
    double *places = made->places + 3 * (size_t)made->vertex_count;
    sn_spacetime_surface_positions(s->surface, positions, places);
    for (int i = 0; i < 3 * s->surface->vertex_count; ++i) {
        places[i] -= view->centre[i % 3];
    }
    for (int i = 0; i < 3 * s->surface->triangle_count; ++i) {
        made->triangles[3 * made->triangle_count + i] = made->vertex_count + s->surface->triangles[i];
    }
    made->vertex_count += s->surface->vertex_count;
    made->triangle_count += s->surface->triangle_count;
}

sn_result sn_sequence_draw(const sn_sequence *s, const sn_sequence_view *view, const double *const *positions,
                           int count, sn_arena *arena, sn_picture *picture)
{
    sn_arena scratch = {0};
    const size_t vertices = (size_t)(count * s->surface->vertex_count);
    const size_t triangles = (size_t)(count * s->surface->triangle_count);
    double lines[6 * (STROKE_COUNT + 1)];
    scene made = {.places = SN_NEW(&scratch, double, 3 * vertices),
                  .values = SN_NEW(&scratch, double, vertices),
                  .triangles = SN_NEW(&scratch, int32_t, 3 * triangles)};
    sn_result result = made.places && made.values && made.triangles ? SN_OK : SN_ERROR_MEMORY;
    for (int i = 0; i < count && result == SN_OK; ++i) {
        if (view->is_volume_shown) {
            result = measure_volumes(s, positions[i], &scratch, made.values + made.vertex_count);
        }
        for (int v = 0; v < s->surface->vertex_count && count > 1; ++v) {
            made.values[made.vertex_count + v] = 2.0 * i / (count - 1) - 1;
        }
        add_moment(s, view, positions[i], &made);
    }
    if (result == SN_OK) {
        const sn_raster_desc desc = {.positions = made.places,
                                     .triangles = made.triangles,
                                     .vertex_count = made.vertex_count,
                                     .triangle_count = made.triangle_count,
                                     .values = view->is_volume_shown || count > 1 ? made.values : NULL,
                                     .lines = view->has_ground ? lines : NULL,
                                     .line_count = view->has_ground ? add_ground(view, lines) : 0,
                                     .yaw = view->yaw,
                                     .pitch = view->pitch,
                                     .radius = view->radius,
                                     .width = view->width,
                                     .height = view->height};
        result = sn_raster_draw(&desc, arena, picture);
    }
    sn_arena_finish(&scratch);
    return result;
}

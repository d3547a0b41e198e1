/* SPDX-License-Identifier: MIT */
/* Figure 15: several shapes after each other, with a rate that goes on over joins; and a gallop. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/math/vec3.h"
#include "research/figures/skin.h"

#define SEGMENTS 4
#define POINTS 401
#define GALLOP_KEYS 3
#define GALLOP_SHOWN (2 * GALLOP_KEYS - 1) /* the keys, and what is checked halfway */
#define WIDTH 160
#define HEIGHT 140

static const double durations[SEGMENTS] = {0.5, 0.3, 0.8, 0.4}, heights[SEGMENTS + 1] = {0, 1, 0.4, 0.9, 0.9};

typedef struct joined {
    double seconds[POINTS], values[2][POINTS], rates[2][POINTS];
    double jumps[2]; /* the largest of the rate, at joins */
} joined;

static double value_at(const sn_fourier_sequence *s, double seconds)
{
    double weights[SEGMENTS], sum = 0;
    sn_fourier_sequence_weights(s, seconds, weights);
    for (int i = 0; i < SEGMENTS; ++i) {
        sum += weights[i] * (heights[i + 1] - heights[i]);
    }
    return sum;
}

static sn_result follow(bool starts_at_rest, joined *j)
{
    const sn_fourier_sequence_desc desc = {.material = sn_default_fourier_material(),
                                           .segment_count = SEGMENTS,
                                           .durations = durations,
                                           .starts_at_rest = starts_at_rest};
    sn_arena arena = {0};
    sn_fourier_sequence s;
    const double dt = 1e-5;
    const sn_result result = sn_fourier_sequence_build(&desc, &arena, &s);
    for (int k = 0; k < POINTS && result == SN_OK; ++k) {
        const double at = s.starts[SEGMENTS] * k / (POINTS - 1.0);
        j->seconds[k] = at;
        j->values[starts_at_rest][k] = value_at(&s, at);
        j->rates[starts_at_rest][k] = (value_at(&s, at) - value_at(&s, at - dt)) / dt;
    }
    for (int i = 1; i < SEGMENTS && result == SN_OK; ++i) {
        const double at = s.starts[i], middle = value_at(&s, at);
        const double jump = fabs(value_at(&s, at + dt) - 2 * middle + value_at(&s, at - dt)) / dt;
        j->jumps[starts_at_rest] = fmax(j->jumps[starts_at_rest], jump);
    }
    sn_arena_finish(&arena);
    return result;
}

static sn_result draw(sn_figures *f, const joined *j)
{
    double keys[SEGMENTS + 1] = {0};
    sn_plot panels[2] = {{.title = "A point of skin", .x_label = "seconds", .y_label = "place"},
                         {.title = "Its rate", .x_label = "seconds", .y_label = "place a second"}};
    for (int i = 0; i < SEGMENTS; ++i) {
        keys[i + 1] = keys[i] + durations[i];
    }
    for (int k = 0; k < 2; ++k) {
        const char *name = k ? "each segment from rest" : "rates go on";
        panels[0].series[panels[0].series_count++] =
            (sn_plot_series){name, j->seconds, j->values[k], POINTS, k ? SN_PLOT_DASHES : SN_PLOT_LINE, k + 1};
        panels[1].series[panels[1].series_count++] =
            (sn_plot_series){name, j->seconds, j->rates[k], POINTS, k ? SN_PLOT_DASHES : SN_PLOT_LINE, k + 1};
    }
    panels[0].series[panels[0].series_count++] =
        (sn_plot_series){"shapes", keys, heights, SEGMENTS + 1, SN_PLOT_POINTS, 7};
    return sn_figure_plot(f, "skin-sequence", "A sequence of shapes: place and rate", panels, 2);
}

/* ---- a gallop ---- */

typedef struct gallop {
    sn_scene_file scene;
    sn_shape_key keys[GALLOP_KEYS];
    sn_shape_check checks[GALLOP_KEYS - 1];
    sn_shapes_desc desc;
    sn_scene_file made;
    sn_shapes_report report;
    sn_picture pictures[2 * GALLOP_SHOWN]; /* ours, then the gallop itself */
} gallop;

/* A frame of the data, in the order of the scene's vertices; null where there is none. */
static sn_result read_frame(const sn_figures *f, const sn_scene_primitive *p, int frame, sn_arena *arena,
                            const double **shape)
{
    char path[64];
    sn_tri_mesh mesh;
    snprintf(path, sizeof path, "blendsim/horse_gallop/%04d.obj", frame);
    const sn_result result = sn_figure_surface(f, path, arena, &mesh);
    double *places =
        result == SN_OK && mesh.vertex_count > 0 ? SN_NEW(arena, double, 3 * (size_t)p->vertex_count) : NULL;
    for (size_t i = 0; places && i < 3 * (size_t)p->vertex_count; ++i) {
        places[i] = mesh.positions[3 * (size_t)(p->file_vertices ? p->file_vertices[i / 3] : (int32_t)(i / 3)) + i % 3];
    }
    *shape = places;
    return result;
}

static sn_result read_gallop(const sn_figures *f, gallop *g, sn_arena *arena, bool *is_there)
{
    char path[SN_FIGURE_PATH];
    snprintf(path, sizeof path, "%s/blendsim/horse_gallop/rest.obj", f->data);
    *is_there = !f->is_quick && access(path, R_OK) == 0;
    sn_result result = *is_there ? sn_scene_file_read(path, arena, &g->scene) : SN_OK;
    for (int i = 0; i < 2 * GALLOP_KEYS - 1 && result == SN_OK && *is_there; ++i) {
        const double *shape;
        result = read_frame(f, g->scene.primitives, 1 + 3 * i, arena, &shape);
        *is_there = shape != NULL;
        if (i % 2) {
            g->checks[i / 2] = (sn_shape_check){0.1 * i, shape};
        } else {
            g->keys[i / 2] = (sn_shape_key){.seconds = 0.1 * i, .clip = -1, .shape = shape};
        }
    }
    return result;
}

static sn_result draw_horse(const sn_scene_primitive *p, double *places, sn_arena *arena, sn_picture *picture)
{
    const sn_tri_mesh mesh = {p->vertex_count, p->triangle_count, places, p->triangles};
    const sn_skin_picture desc = {.mesh = &mesh, .yaw = 1.2, .pitch = 0.1, .width = WIDTH, .height = HEIGHT};
    return sn_skin_draw(&desc, arena, picture);
}

static sn_result shoot_gallop(gallop *g, sn_arena *arena)
{
    const sn_scene_primitive *p = g->scene.primitives;
    const size_t size = 3 * (size_t)p->vertex_count;
    sn_playback playback;
    sn_result result = sn_playback_init(&g->made, 1, arena, &playback);
    double *places = SN_NEW(arena, double, size);
    for (int i = 0; i < GALLOP_SHOWN && result == SN_OK && places; ++i) {
        const bool is_key = i % 2 == 0;
        const double seconds = is_key ? g->keys[i / 2].seconds : g->checks[i / 2].seconds;
        sn_picture *ours = &g->pictures[i], *theirs = &g->pictures[GALLOP_SHOWN + i];
        sn_playback_evaluate(&playback, seconds, places);
        result = draw_horse(p, places, arena, ours);
        snprintf(ours->caption, sizeof ours->caption, "%.2f s%s", seconds, is_key ? ": a shape" : ", between");
        memcpy(places, is_key ? g->keys[i / 2].shape : g->checks[i / 2].shape, size * sizeof *places);
        if (result == SN_OK) {
            result = draw_horse(p, places, arena, theirs);
        }
        snprintf(theirs->caption, sizeof theirs->caption, "frame %d of the gallop", 1 + 3 * i);
    }
    return result;
}

static sn_result make_gallop(gallop *g, sn_arena *arena)
{
    g->desc = (sn_shapes_desc){.scene = &g->scene,
                               .name = "gallop",
                               .character = "horse",
                               .key_count = GALLOP_KEYS,
                               .check_count = GALLOP_KEYS - 1,
                               .keys = g->keys,
                               .checks = g->checks,
                               .fit = sn_default_fourier_fit_desc(),
                               .frame_rate = 30,
                               .key_error = 1e-3,
                               .clip_name = "shapes"};
    g->desc.material = sn_shapes_default_material(&g->desc);
    SN_TRY(sn_shapes_build(&g->desc, arena, &g->made, &g->report));
    return shoot_gallop(g, arena);
}

static const char *judge_gallop(const sn_shapes_report *r)
{
    const double share =
        fmax(r->checks[0].fourier, r->checks[1].fourier) / fmax(r->checks[0].linear, r->checks[1].linear);
    return share < 0.9 ? "nearer than" : share < 1.1 ? "about as near as" : "not as near as";
}

static sn_result show_gallop(sn_figures *f)
{
    sn_arena arena = {0};
    gallop *g = SN_NEW(&arena, gallop, 1);
    char path[SN_FIGURE_PATH];
    bool is_there = false;
    sn_result result = g ? read_gallop(f, g, &arena, &is_there) : SN_ERROR_MEMORY;
    if (result == SN_OK && is_there) {
        result = make_gallop(g, &arena);
        sn_figure_show(f, "skin-gallop", "A horse between three shapes of a gallop, and below it the gallop itself",
                       path);
        if (result == SN_OK) {
            result = sn_pictures_write(path, g->pictures, 2 * GALLOP_SHOWN, GALLOP_SHOWN);
        }
        sn_figure_say(
            f,
            "The horse (%d vertices, no rig) has frames 1, 7 and 13 of a gallop as shapes. Frames 4 and 10 between "
            "them\n"
            "are off by up to %.2g and %.2g of %.2f in diagonal (blended linearly %.2f and %.2f, moved rigidly %.2f "
            "and\n"
            "%.2f). Legs swing, and nothing turns them: without a rig the displacement is the motion itself, which "
            "does not\n"
            "begin as a square. So the default is stiffer there (a stretch of %g), and %s "
            "a linear blend. The\n"
            "paper's horse has a skeleton, and no numbers are given of it.",
            g->report.vertex_count, sn_figure_bound(g->report.checks[0].fourier, 2),
            sn_figure_bound(g->report.checks[1].fourier, 2), g->report.diagonal, g->report.checks[0].linear,
            g->report.checks[1].linear, g->report.checks[0].rig, g->report.checks[1].rig, g->desc.material.stretch,
            judge_gallop(&g->report));
    } else if (result == SN_OK) {
        sn_figure_say(f, "The gallop is not drawn: the data is not here.");
    }
    sn_arena_finish(&arena);
    return result;
}

sn_result sn_figure_skin_sequence(sn_figures *f)
{
    static joined j;
    j = (joined){.jumps = {0}};
    SN_TRY(follow(false, &j));
    SN_TRY(follow(true, &j));
    SN_TRY(draw(f, &j));
    sn_figure_say(f, "**Paper.** The rate that a sequence ends with is the next one's first, so that several shapes\n"
                     "make a smooth animation; the curves of You et al. do not.");
    sn_figure_say(
        f,
        "**Here.** The same. With segments of .5, .3, .8 and .4 s the rate jumps by at most %.0e a second at\n"
        "joins (what a difference over 10 microseconds sees of its curvature), and by %.1f where each segment\n"
        "begins at rest. Rates swing out, in the last segment beyond a pose that stays.",
        sn_figure_bound(j.jumps[0], 1), j.jumps[1]);
    return show_gallop(f);
}

/* SPDX-License-Identifier: MIT */
/* Figures 2 and 9 of the spacetime paper: keys in between which shapes are interpolated, against those that obey
 * physics. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "research/figures/sequences.h"

#define MOMENTS 6
#define POINTS 61

typedef enum way { LINEAR, SPLINE, OURS, WAY_COUNT } way;

static const char *const names[WAY_COUNT] = {"linear", "spline", "optimised"};

/* Straight ways, with a bend in velocity at the keys. */
static void sample_linear(const sn_spacetime_motion *m, double seconds, double *positions)
{
    const size_t width = 3 * (size_t)m->vertex_count;
    int i = 0;
    while (i + 2 < m->key_count && seconds >= m->durations[i]) {
        seconds -= m->durations[i++];
    }
    const double theta = fmin(seconds / m->durations[i], 1);
    const double *x = m->positions + (size_t)i * width;
    for (size_t k = 0; k < width; ++k) {
        positions[k] = (1 - theta) * x[k] + theta * x[width + k];
    }
}

/* Velocities of a cubic spline through the keys: from the key before to the key behind, in a cycle. */
static void set_spline(sn_spacetime_motion *m)
{
    const size_t width = 3 * (size_t)m->vertex_count;
    const int last = m->key_count - 1;
    for (int i = 0; i <= last; ++i) {
        const int before = i > 0 ? i - 1 : last - 1, behind = i < last ? i + 1 : 1;
        const double seconds = m->durations[before] + m->durations[i < last ? i : 0];
        for (size_t k = 0; k < width; ++k) {
            m->velocities[(size_t)i * width + k] =
                (m->positions[(size_t)behind * width + k] - m->positions[(size_t)before * width + k]) / seconds;
        }
    }
}

typedef struct comparison {
    sn_sequence sequence;
    sn_spacetime_motion motions[WAY_COUNT];
    double objectives[WAY_COUNT]; /* of the linear one there is none: its acceleration is infinite */
    double seconds[POINTS], volumes[WAY_COUNT][POINTS], least[WAY_COUNT], largest[WAY_COUNT];
    int iterations, open_iterations;
    double gap; /* of velocity at the ends where the motion is not a cycle, over its largest */
} comparison;

static void sample(const comparison *c, way which, double seconds, double *positions)
{
    if (which == LINEAR) {
        sample_linear(&c->motions[which], seconds, positions);
    } else {
        sn_spacetime_sample(&c->motions[which], seconds, positions);
    }
}

static sn_result measure_volumes(comparison *c)
{
    sn_arena scratch = {0};
    double *positions = SN_NEW(&scratch, double, 3 * (size_t)c->sequence.mesh.vertex_count);
    for (int k = 0; k < WAY_COUNT && positions; ++k) {
        c->least[k] = c->largest[k] = 1;
        for (int i = 0; i < POINTS; ++i) {
            c->seconds[i] = sn_sequence_seconds(&c->motions[k]) * i / (POINTS - 1);
            sample(c, (way)k, c->seconds[i], positions);
            c->volumes[k][i] = sn_sequence_volume(&c->sequence, positions);
            c->least[k] = fmin(c->least[k], c->volumes[k][i]);
            c->largest[k] = fmax(c->largest[k], c->volumes[k][i]);
        }
    }
    sn_arena_finish(&scratch);
    return positions ? SN_OK : SN_ERROR_MEMORY;
}

/* The same keys, but no cycle. */
static sn_result measure_open(comparison *c)
{
    sn_arena scratch = {0};
    sn_sequence open = c->sequence;
    sn_spacetime_motion motion;
    sn_spacetime_report report;
    open.input.is_cyclic = false;
    const sn_result result = sn_sequence_run(&open, &scratch, &motion, &report);
    if (result == SN_OK) {
        const size_t width = 3 * (size_t)motion.vertex_count;
        const double *first = motion.velocities, *last = first + (size_t)(motion.key_count - 1) * width;
        double largest = 0, gap = 0;
        for (size_t k = 0; k < width; ++k) {
            largest = fmax(largest, fmax(fabs(first[k]), fabs(last[k])));
            gap = fmax(gap, fabs(first[k] - last[k]));
        }
        c->gap = gap / largest;
        c->open_iterations = report.iteration_count;
    }
    sn_arena_finish(&scratch);
    return result;
}

static sn_result compare(const sn_figures *f, sn_sequence_kind kind, sn_arena *arena, comparison *c)
{
    sn_spacetime_report report;
    sn_result result = sn_sequence_build(f, kind, arena, &c->sequence);
    for (int k = 0; k < OURS && result == SN_OK; ++k) {
        result = sn_spacetime_initial_motion(&c->sequence.input, arena, &c->motions[k]);
    }
    if (result == SN_OK) {
        sn_sequence spline;
        sn_spacetime_motion same;
        set_spline(&c->motions[SPLINE]);
        result = sn_sequence_go_on(&c->sequence, &c->motions[SPLINE], arena, &spline);
        spline.desc.iteration_limit = 0;
        result = result == SN_OK ? sn_sequence_run(&spline, arena, &same, &report) : result;
        c->objectives[SPLINE] = report.objective_first;
    }
    if (result == SN_OK) {
        result = sn_sequence_run(&c->sequence, arena, &c->motions[OURS], &report);
        c->objectives[OURS] = report.objective_last;
        c->iterations = report.iteration_count;
    }
    result = result == SN_OK ? measure_open(c) : result;
    return result == SN_OK ? measure_volumes(c) : result;
}

/* What all keys need, upwards and from the side. */
static void find_view(const comparison *c, sn_sequence_view *view)
{
    double low[3], high[3];
    sn_tet_mesh all = c->sequence.mesh;
    all.vertex_count *= c->motions[OURS].key_count;
    all.positions = c->motions[OURS].positions;
    sn_tet_mesh_box(&all, low, high);
    for (int d = 0; d < 3; ++d) {
        view->centre[d] = 0.5 * (low[d] + high[d]);
    }
    view->radius = 0.5 * (high[1] - low[1]) + 0.3 * (high[0] - low[0]);
}

static sn_result draw(sn_figures *f, const comparison *c, const char *name, const char *says, sn_arena *arena)
{
    sn_picture pictures[WAY_COUNT * MOMENTS];
    char path[SN_FIGURE_PATH];
    double *positions = SN_NEW(arena, double, 3 * (size_t)c->sequence.mesh.vertex_count);
    sn_sequence_view view = {.yaw = 0.5,
                             .pitch = 0.25,
                             .width = f->is_quick ? 30 : 120,
                             .height = f->is_quick ? 40 : 190,
                             .is_volume_shown = true};
    sn_result result = positions ? SN_OK : SN_ERROR_MEMORY;
    find_view(c, &view);
    for (int i = 0; i < WAY_COUNT * MOMENTS && result == SN_OK; ++i) {
        const double seconds = sn_sequence_seconds(&c->motions[i / MOMENTS]) / 2 * (i % MOMENTS) / (MOMENTS - 1);
        sample(c, (way)(i / MOMENTS), seconds, positions);
        result = sn_sequence_draw(&c->sequence, &view, (const double *const[]){positions}, 1, arena, &pictures[i]);
        snprintf(pictures[i].caption, sizeof pictures[i].caption, "%s, %.2f s", names[i / MOMENTS], seconds);
    }
    sn_figure_show(f, name, says, path);
    return result == SN_OK ? sn_pictures_write(path, pictures, WAY_COUNT * MOMENTS, MOMENTS) : result;
}

static sn_plot plot_volumes(const comparison *c, const char *title)
{
    sn_plot plot = {.title = title, .x_label = "seconds", .y_label = "volume (of that at rest)"};
    for (int k = 0; k < WAY_COUNT; ++k) {
        plot.series[plot.series_count++] =
            (sn_plot_series){names[k], c->seconds, c->volumes[k], POINTS, SN_PLOT_LINE, k + 1};
    }
    return plot;
}

sn_result sn_figure_interpolation(sn_figures *f)
{
    sn_arena arena = {0};
    comparison *c = SN_NEW(&arena, comparison, 2);
    sn_result result = c ? SN_OK : SN_ERROR_MEMORY;
    for (int k = 0; k < 2 && result == SN_OK; ++k) {
        result = compare(f, k == 0 ? SN_SEQUENCE_TWIST : SN_SEQUENCE_STRETCH, &arena, &c[k]);
    }
    if (result == SN_OK) {
        const sn_plot panels[] = {plot_volumes(&c[0], "TWIST"), plot_volumes(&c[1], "STRETCH")};
        result = sn_figure_plot(f, "spacetime-volume", "Volume through a cycle", panels, 2);
    }
    if (result == SN_OK) {
        result = draw(f, &c[0], "spacetime-twist", "TWIST: half a cycle; blue has lost volume, orange gained", &arena);
    }
    if (result == SN_OK) {
        result =
            draw(f, &c[1], "spacetime-stretch", "STRETCH: half a cycle; blue has lost volume, orange gained", &arena);
    }
    if (result == SN_OK) {
        sn_figure_say(
            f,
            "**Paper.** Linear and spline interpolation of the keys look stiff and lose volume, in between and, as\n"
            "keys are given by hand, at them; with top and bottom held alone, the optimised motion keeps it. A turn\n"
            "of half a circle between keys is no difficulty. The first key is the last one, with its velocity, and\n"
            "the motion converges faster for it, with fewer unknowns.");
        sn_figure_say(f, "**Here.** The least and the largest volume on the way, of that at rest:\n\n"
                         "| | linear | spline | optimised |\n| --- | --- | --- | --- |");
        for (int k = 0; k < 2; ++k) {
            fprintf(f->text, "| %s | %.2f, %.2f | %.2f, %.2f | %.2f, %.2f |\n", k == 0 ? "TWIST" : "STRETCH",
                    c[k].least[LINEAR], c[k].largest[LINEAR], c[k].least[SPLINE], c[k].largest[SPLINE],
                    c[k].least[OURS], c[k].largest[OURS]);
        }
        sn_figure_say(f,
                      "The objective is %.2e along TWIST's spline and %.2e optimised; %.2e and %.2e for STRETCH. As\n"
                      "cycles they take %d and %d iterations; with ends of their own %d and %d, with velocities that\n"
                      "differ by %.0f%% and %.0f%% of the largest where the motion begins again.",
                      c[0].objectives[SPLINE], c[0].objectives[OURS], c[1].objectives[SPLINE], c[1].objectives[OURS],
                      c[0].iterations, c[1].iterations, c[0].open_iterations, c[1].open_iterations, 100 * c[0].gap,
                      100 * c[1].gap);
    }
    sn_arena_finish(&arena);
    return result;
}

/* SPDX-License-Identifier: MIT */
/* Tables 1 and 3: frames a second by vertices, and what leads there. */
#include <math.h>
#include <stdio.h>

#include "research/figures/figures.h"
#include "tools/bench/fourier_skin.h"
#include "tools/command/median.h"

#define CASE_COUNT 4
#define REPEATS 41
#define FRAMES 64 /* a repeat */

static const struct {
    const char *name;
    int vertex_count;
    double rate, curves_ms, fit_ms, solver_ms;
} paper[CASE_COUNT] = {{"Arm", 3840, 531, 0.35, 1.19, 0.13},
                       {"Cat", 7207, 273, 0.72, 2.47, 0.21},
                       {"Horse", 10128, 205, 0.99, 3.15, 0.27},
                       {"Runner", 32185, 86, 1.83, 8.25, 0.79}};

typedef struct speeds {
    double vertices[CASE_COUNT], frame_ms[CASE_COUNT], curves_ms[CASE_COUNT], series_ms[CASE_COUNT], fit_ms[CASE_COUNT];
    double rates[CASE_COUNT], refit_rates[CASE_COUNT], paper_rates[CASE_COUNT], paper_solver[CASE_COUNT];
} speeds;

static double median_of(const sn_bench_skin_times *times, double (*of)(const sn_bench_skin_times *))
{
    double values[SN_BENCH_SKIN_FIT_COUNT];
    for (int i = 0; i < SN_BENCH_SKIN_FIT_COUNT; ++i) {
        values[i] = of(&times[i]);
    }
    return 1e3 * sn_median(values, SN_BENCH_SKIN_FIT_COUNT);
}

static double curves_of(const sn_bench_skin_times *t)
{
    return t->curves;
}

static double series_of(const sn_bench_skin_times *t)
{
    return t->series;
}

static double whole_of(const sn_bench_skin_times *t)
{
    return t->whole;
}

static sn_result measure(const sn_figures *f, int index, speeds *s)
{
    sn_bench_skin skin = {.displacements = NULL};
    sn_bench_skin_times times[SN_BENCH_SKIN_FIT_COUNT];
    double frames[REPEATS];
    const int vertex_count = f->is_quick ? paper[index].vertex_count / 8 : paper[index].vertex_count;
    const sn_result result = sn_bench_skin_build(vertex_count, sn_figure_seconds, &skin, times);
    for (int i = 0; i < REPEATS && result == SN_OK; ++i) {
        const double start = sn_figure_seconds();
        for (int k = 0; k < FRAMES; ++k) {
            sn_bench_skin_frame(&skin, FRAMES * i + k, SN_FOURIER_BEST);
        }
        frames[i] = (sn_figure_seconds() - start) / FRAMES;
    }
    if (result == SN_OK) {
        s->vertices[index] = vertex_count;
        s->frame_ms[index] = 1e3 * sn_median(frames, REPEATS);
        s->curves_ms[index] = median_of(times, curves_of);
        s->series_ms[index] = median_of(times, series_of);
        s->fit_ms[index] = median_of(times, whole_of);
        s->rates[index] = 1e3 / s->frame_ms[index];
        s->refit_rates[index] = 1e3 / (s->frame_ms[index] + s->fit_ms[index]);
        s->paper_rates[index] = paper[index].rate;
        s->paper_solver[index] = 1e3 / paper[index].solver_ms;
    }
    sn_arena_finish(&skin.arena);
    return result;
}

static sn_result draw(sn_figures *f, const speeds *s)
{
    const sn_plot panel = {
        .title = "Frames a second, one thread",
        .x_label = "vertices",
        .y_label = "frames a second",
        .is_x_log = true,
        .is_y_log = true,
        .series_count = 4,
        .series = {{"here", s->vertices, s->rates, CASE_COUNT, SN_PLOT_CURVE, 1},
                   {"here, fitted anew each frame", s->vertices, s->refit_rates, CASE_COUNT, SN_PLOT_CURVE, 6},
                   {"paper", s->vertices, s->paper_rates, CASE_COUNT, SN_PLOT_CURVE, 2},
                   {"paper, solver and deformer alone", s->vertices, s->paper_solver, CASE_COUNT, SN_PLOT_CURVE, 5}}};
    return sn_figure_plot(f, "skin-speed", "Frames a second by vertices", &panel, 1);
}

static void print_table(sn_figures *f, const speeds *s)
{
    fprintf(f->text, "\n| vertices | a frame, ms | frames a second | paper | parts and curves, once, ms | series, ms "
                     "| mesh to targets, once, ms | paper: curves, series, solver, ms |\n"
                     "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < CASE_COUNT; ++i) {
        fprintf(f->text, "| %.0f | %.4f | %.0f | %s: %.0f | %.0f | %.2f | %.0f | %.2f, %.2f, %.2f |\n", s->vertices[i],
                s->frame_ms[i], s->rates[i], paper[i].name, paper[i].rate, s->curves_ms[i], s->series_ms[i],
                s->fit_ms[i], paper[i].curves_ms, paper[i].fit_ms, paper[i].solver_ms);
    }
}

sn_result sn_figure_skin_speed(sn_figures *f)
{
    static speeds s;
    sn_figure_timing_begins(f);
    for (int i = 0; i < CASE_COUNT; ++i) {
        SN_TRY(measure(f, i, &s));
    }
    SN_TRY(draw(f, &s));
    print_table(f, &s);
    sn_figure_timing_ends(f);
    sn_figure_say(f,
                  "**Paper.** 531 to 86 frames a second on one thread (processor not said), with N = 9, twelve to\n"
                  "eighteen times what You et al. have; curves, transforms and series are found anew in each frame.");
    double least = INFINITY, most = 0; /* of what series take, over the paper's */
    for (int i = 0; i < CASE_COUNT; ++i) {
        least = fmin(least, s.series_ms[i] / paper[i].fit_ms);
        most = fmax(most, s.series_ms[i] / paper[i].fit_ms);
    }
    sn_figure_say(
        f,
        "**Here.** Tubes of as many vertices. Curves and series depend on the shapes alone, so they are found "
        "once\n"
        "a sequence; a frame is ten weights and a sum of ten targets: %.0f to %.0f times the paper's frame, and "
        "%.0f to\n"
        "%.0f times its solver and deformer alone (.13 to .79 ms), on another machine. Were all of it done anew "
        "in\n"
        "each frame as there, it would be %s than the paper: %.0f to %.1f frames a second. Series take %.1f to "
        "%.1f\n"
        "times as long as the paper's; parts and curves take most, and the interpolation of what lies between "
        "curves,\n"
        "which the paper does not say how it finds, the rest.",
        s.rates[0] / paper[0].rate, s.rates[3] / paper[3].rate, paper[0].solver_ms / s.frame_ms[0],
        paper[3].solver_ms / s.frame_ms[3], s.refit_rates[0] < paper[0].rate ? "slower" : "faster", s.refit_rates[0],
        s.refit_rates[3], least, most);
    return SN_OK;
}

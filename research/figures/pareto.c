/* SPDX-License-Identifier: MIT */
/* Section 9.12: milliseconds of a step against modes and clusters, and the error that they buy. */
#include <stdlib.h>

#include "research/figures/runs.h"

#define MODE_COUNTS 6
#define CLUSTER_COUNTS 5
#define POINT_LIMIT (MODE_COUNTS * CLUSTER_COUNTS)
#define BUDGET_COUNT 3

static const int mode_counts[MODE_COUNTS] = {4, 8, 16, 32, 64, 128};
static const int cluster_counts[CLUSTER_COUNTS] = {30, 100, 300, 1000, 3000};
static const double rates[BUDGET_COUNT] = {90, 60, 30};

typedef struct point {
    int modes, clusters;
    double milliseconds, iterations, error;
} point;

typedef struct pareto {
    sn_arena arena;
    sn_run_base base;
    sn_run_desc desc;
    sn_run full;
    point points[POINT_LIMIT]; /* by modes, then clusters */
    int mode_count, cluster_count;
} pareto;

static sn_result measure_point(pareto *p, int modes, int clusters, point *made)
{
    sn_arena scratch = {0};
    sn_variant variant;
    sn_run run;
    sn_result result = sn_variant_make(&p->base, modes, clusters, &variant);
    if (result == SN_OK) {
        result = sn_run_reduced(variant.model, &p->desc, &scratch, &run);
    }
    if (result == SN_OK) {
        *made = (point){modes, variant.cooking.report.cluster_count, run.milliseconds, run.iterations,
                        sn_run_error(variant.model, &run, &p->full, p->desc.frame_count)};
    }
    sn_variant_finish(&variant);
    sn_arena_finish(&scratch);
    return result;
}

static sn_result run_reference(pareto *p)
{
    sn_variant variant;
    sn_run_desc desc = p->desc;
    desc.tolerance = 1e-7;
    sn_result result = sn_variant_make(&p->base, 1, 1, &variant);
    if (result == SN_OK) {
        result = sn_run_full(variant.model, &desc, &p->arena, &p->full);
    }
    sn_variant_finish(&variant);
    return result;
}

static int by_time(const void *left, const void *right)
{
    const point *a = left, *b = right;
    return (a->milliseconds > b->milliseconds) - (a->milliseconds < b->milliseconds);
}

/* Points that no cheaper one betters, by time. */
static int find_front(const pareto *p, point *front)
{
    const int count = p->mode_count * p->cluster_count;
    point sorted[POINT_LIMIT];
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        sorted[i] = p->points[i];
    }
    qsort(sorted, (size_t)count, sizeof *sorted, by_time);
    for (int i = 0; i < count; ++i) {
        if (kept == 0 || sorted[i].error < front[kept - 1].error) {
            front[kept++] = sorted[i];
        }
    }
    return kept;
}

static void add_budgets(sn_plot *panel, bool is_vertical)
{
    static const char *const names[BUDGET_COUNT] = {"90 Hz", "60 Hz", "30 Hz"};
    for (int i = 0; i < BUDGET_COUNT; ++i) {
        panel->rules[panel->rule_count++] = (sn_plot_rule){is_vertical, 1e3 / rates[i], names[i]};
    }
}

static sn_result plot(sn_figures *f, const pareto *p, const point *front, int front_count)
{
    double times[POINT_LIMIT], errors[POINT_LIMIT], clusters[POINT_LIMIT], front_times[POINT_LIMIT],
        front_errors[POINT_LIMIT];
    char labels[MODE_COUNTS][24];
    sn_plot panels[2] = {{.title = "Time of a step",
                          .x_label = "clusters",
                          .y_label = "milliseconds",
                          .is_x_log = true,
                          .is_y_log = true},
                         {.title = "What it buys",
                          .x_label = "milliseconds of a step",
                          .y_label = "error, of the displacement",
                          .is_x_log = true,
                          .is_y_log = true}};
    for (int m = 0; m < p->mode_count; ++m) {
        const int first = m * p->cluster_count;
        snprintf(labels[m], sizeof labels[m], "%d modes", mode_counts[m]);
        for (int i = first; i < first + p->cluster_count; ++i) {
            times[i] = p->points[i].milliseconds;
            errors[i] = p->points[i].error;
            clusters[i] = p->points[i].clusters;
        }
        panels[0].series[panels[0].series_count++] =
            (sn_plot_series){labels[m], clusters + first, times + first, p->cluster_count, SN_PLOT_CURVE, 0};
        panels[1].series[panels[1].series_count++] =
            (sn_plot_series){labels[m], times + first, errors + first, p->cluster_count, SN_PLOT_POINTS, 0};
    }
    for (int i = 0; i < front_count; ++i) {
        front_times[i] = front[i].milliseconds;
        front_errors[i] = front[i].error;
    }
    panels[1].series[panels[1].series_count++] =
        (sn_plot_series){"Pareto front", front_times, front_errors, front_count, SN_PLOT_LINE, 7};
    add_budgets(&panels[0], false);
    add_budgets(&panels[1], true);
    return sn_figure_plot(f, "pareto", "Time of a step, and error against time", panels, 2);
}

static int count_fast(const pareto *p)
{
    int count = 0;
    for (int i = 0; i < p->mode_count * p->cluster_count; ++i) {
        count += p->points[i].milliseconds <= 1e3 / rates[BUDGET_COUNT - 1];
    }
    return count;
}

/* The best of each budget. */
static void write_table(sn_figures *f, const point *front, int front_count)
{
    fputs("\n| budget | modes | clusters | a step (ms) | iterations | error |\n|---|---|---|---|---|---|\n", f->text);
    const double budgets[] = {0.1, 1, 1e3 / 90, 1e3 / 60, 1e3 / 30};
    const char *const names[] = {".1 ms", "1 ms", "90 Hz", "60 Hz", "30 Hz"};
    for (size_t b = 0; b < sizeof budgets / sizeof budgets[0]; ++b) {
        const point *best = NULL;
        for (int i = 0; i < front_count && front[i].milliseconds <= budgets[b]; ++i) {
            best = &front[i];
        }
        if (best) {
            fprintf(f->text, "| %s | %d | %d | %.3g | %.1f | %.2g |\n", names[b], best->modes, best->clusters,
                    best->milliseconds, best->iterations, best->error);
        }
    }
}

sn_result sn_figure_pareto(sn_figures *f)
{
    char says[64];
    sn_tet_mesh mesh;
    point front[POINT_LIMIT];
    pareto p = {
        .desc = {.frame_count = f->is_quick ? 3 : 30, .time_step = 1.0 / 60, .tolerance = 1e-5, .iteration_limit = 500},
        .mode_count = f->is_quick ? 2 : MODE_COUNTS,
        .cluster_count = f->is_quick ? 2 : CLUSTER_COUNTS};
    sn_result result = sn_figure_body(f, &p.arena, &mesh, says);
    if (result == SN_OK) {
        result = sn_run_cook(&mesh, mode_counts[p.mode_count - 1], cluster_counts[p.cluster_count - 1], &p.base);
    }
    if (result == SN_OK) {
        result = run_reference(&p);
    }
    sn_figure_timing_begins(f);
    for (int i = 0; i < p.mode_count * p.cluster_count && result == SN_OK; ++i) {
        result = measure_point(&p, mode_counts[i / p.cluster_count], cluster_counts[i % p.cluster_count], &p.points[i]);
    }
    if (result == SN_OK) {
        const int front_count = find_front(&p, front);
        result = plot(f, &p, front, front_count);
        write_table(f, front, front_count);
        sn_figure_say(
            f, "**Paper.** A front of modes and clusters keeps 30 frames a second, ARAP iterated to convergence.");
        sn_figure_say(
            f,
            "**Here.** On %s, one handle that swings, half a second; to 1e-5 of the diagonal; the error is against "
            "the\n"
            "full space, over all frames (see *ablation* for why it is large). The unreduced step takes %.0f ms (%.0f\n"
            "iterations; figure 2 of the paper: 3 s at 10 thousand vertices). Budgets are for the step alone; %d of\n"
            "the %d combinations keep 30 Hz, so that the paper's front lies beyond what was tried; more modes and "
            "more\n"
            "clusters cost more, as there.",
            says, p.full.milliseconds, p.full.iterations, count_fast(&p), p.mode_count * p.cluster_count);
        sn_figure_timing_ends(f);
    }
    sn_cook_context_finish(&p.base.cooking);
    sn_arena_finish(&p.arena);
    return result;
}

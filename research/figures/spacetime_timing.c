/* SPDX-License-Identifier: MIT */
/* Figures 10 and 11 of the spacetime paper: when keys come. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "author/spacetime/timing.h"
#include "research/figures/sequences.h"

#define POINT_LIMIT 14
#define START_COUNT 2
#define STEP_LIMIT 3
#define INTERVAL_LIMIT 9

/* The objective of a cycle's best shapes against its length, and what steps of the durations do to that length. */
typedef struct sweep {
    int point_count;
    double totals[POINT_LIMIT], objectives[POINT_LIMIT];
    double step_totals[START_COUNT][STEP_LIMIT + 1], step_objectives[START_COUNT][STEP_LIMIT + 1];
    double settled[START_COUNT]; /* the length where turns end */
} sweep;

/* Durations times `scale`. */
static sn_result stretch_times(double scale, sn_arena *arena, sn_sequence *s)
{
    sn_spacetime_key *keys = SN_NEW(arena, sn_spacetime_key, s->input.key_count);
    for (int i = 0; keys && i < s->input.key_count; ++i) {
        keys[i] = s->input.keys[i];
        keys[i].duration *= scale;
    }
    s->input.keys = keys;
    return keys ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result find_shapes(const sn_sequence *from, double scale, sn_arena *arena, sn_sequence *s,
                             sn_spacetime_motion *motion, double *total, double *objective)
{
    sn_spacetime_report report;
    *s = *from;
    s->desc.tolerance = 1e-3;
    SN_TRY(stretch_times(scale, arena, s));
    SN_TRY(sn_sequence_run(s, arena, motion, &report));
    *total = sn_sequence_seconds(motion);
    *objective = report.objective_last;
    return SN_OK;
}

/* Newton's step on the length, and the best shapes of that, in turns. */
static sn_result take_steps(const sn_sequence *from, double scale, double *totals, double *objectives)
{
    sn_arena scratch = {0};
    sn_sequence s;
    sn_spacetime_motion motion;
    sn_result result = find_shapes(from, scale, &scratch, &s, &motion, &totals[0], &objectives[0]);
    for (int step = 1; step <= STEP_LIMIT && result == SN_OK; ++step) {
        sn_spacetime_problem problem;
        sn_spacetime_report report;
        double change = 0;
        result = sn_sequence_go_on(&s, &motion, &scratch, &s);
        s.desc.timing = SN_SPACETIME_TIMES_UNIFORM;
        if (result == SN_OK) {
            result = sn_spacetime_problem_build(&s.input, &s.desc, &scratch, &problem);
        }
        if (result == SN_OK) {
            double objective = sn_spacetime_evaluate(&problem);
            result = sn_spacetime_retime(&problem, &objective, &change);
        }
        s.desc.timing = SN_SPACETIME_TIMES_FIXED;
        if (result == SN_OK) {
            memcpy(motion.durations, problem.trajectory.durations,
                   (size_t)(motion.key_count - 1) * sizeof *motion.durations);
            result = sn_sequence_go_on(&s, &motion, &scratch, &s);
        }
        if (result == SN_OK) {
            result = sn_sequence_run(&s, &scratch, &motion, &report);
            totals[step] = sn_sequence_seconds(&motion);
            objectives[step] = report.objective_last;
        }
    }
    sn_arena_finish(&scratch);
    return result;
}

/* Turns of shapes and length until neither changes. */
static sn_result settle(const sn_sequence *from, double scale, double *total)
{
    sn_arena scratch = {0};
    sn_sequence s = *from;
    sn_spacetime_motion motion;
    sn_spacetime_report report;
    s.desc.timing = SN_SPACETIME_TIMES_UNIFORM;
    s.desc.tolerance = 1e-3;
    s.desc.iteration_limit = 1000;
    sn_result result = stretch_times(scale, &scratch, &s);
    if (result == SN_OK) {
        result = sn_sequence_run(&s, &scratch, &motion, &report);
    }
    *total = result == SN_OK ? sn_sequence_seconds(&motion) : 0;
    sn_arena_finish(&scratch);
    return result;
}

static sn_result sweep_times(const sn_figures *f, sn_sequence_kind kind, double low, double high, const double *starts,
                             sweep *w)
{
    sn_arena arena = {0};
    sn_sequence from;
    sn_result result = sn_sequence_build(f, kind, &arena, &from);
    w->point_count = f->is_quick ? 3 : POINT_LIMIT;
    for (int i = 0; i < w->point_count && result == SN_OK; ++i) {
        sn_arena scratch = {0};
        sn_sequence s;
        sn_spacetime_motion motion;
        result = find_shapes(&from, low * pow(high / low, (double)i / (w->point_count - 1)), &scratch, &s, &motion,
                             &w->totals[i], &w->objectives[i]);
        sn_arena_finish(&scratch);
    }
    for (int k = 0; k < START_COUNT && result == SN_OK; ++k) {
        result = take_steps(&from, starts[k], w->step_totals[k], w->step_objectives[k]);
        result = result == SN_OK ? settle(&from, starts[k], &w->settled[k]) : result;
    }
    sn_arena_finish(&arena);
    return result;
}

static sn_plot plot_sweep(const sweep *w, const char *title)
{
    static const char *const labels[START_COUNT] = {"three steps from a short cycle", "from a long one"};
    sn_plot plot = {.title = title,
                    .x_label = "length of the cycle (s)",
                    .y_label = "objective W",
                    .is_y_log = true,
                    .series_count = 1,
                    .series = {{"best shapes", w->totals, w->objectives, w->point_count, SN_PLOT_LINE, 1}}};
    for (int k = 0; k < START_COUNT; ++k) {
        plot.series[plot.series_count++] = (sn_plot_series){labels[k],      w->step_totals[k], w->step_objectives[k],
                                                            STEP_LIMIT + 1, SN_PLOT_CURVE,     k == 0 ? 2 : 3};
    }
    return plot;
}

/* ---- a jump ---- */

typedef struct jump {
    int interval_count;
    double numbers[INTERVAL_LIMIT], before[INTERVAL_LIMIT], total[INTERVAL_LIMIT], free_times[INTERVAL_LIMIT];
    double objectives[3]; /* fixed, total, free */
    double seconds[3];
    int iterations[3];
} jump;

static sn_result time_jump(const sn_figures *f, jump *j)
{
    static const sn_spacetime_timing timings[3] = {SN_SPACETIME_TIMES_FIXED, SN_SPACETIME_TOTAL_FIXED,
                                                   SN_SPACETIME_TIMES_FREE};
    sn_arena arena = {0};
    sn_sequence s;
    sn_result result = sn_sequence_build(f, SN_SEQUENCE_HOPS, &arena, &s);
    double *const durations[3] = {j->before, j->total, j->free_times};
    for (int k = 0; k < 3 && result == SN_OK; ++k) {
        sn_arena scratch = {0};
        sn_spacetime_motion motion;
        sn_spacetime_report report;
        s.desc.timing = timings[k];
        result = sn_sequence_run(&s, &scratch, &motion, &report);
        if (result == SN_OK) {
            j->interval_count = motion.key_count - 1;
            j->objectives[k] = report.objective_last;
            j->iterations[k] = report.iteration_count;
            j->seconds[k] = sn_sequence_seconds(&motion);
            memcpy(durations[k], motion.durations, (size_t)j->interval_count * sizeof(double));
        }
        sn_arena_finish(&scratch);
    }
    for (int i = 0; i < INTERVAL_LIMIT; ++i) {
        j->numbers[i] = i + 1;
    }
    sn_arena_finish(&arena);
    return result;
}

static double sum(const double *values, int first, int last)
{
    double total = 0;
    for (int i = first; i < last; ++i) {
        total += values[i];
    }
    return total;
}

/* Of the way from a start to the length of the least objective, what steps have gone; above 1: past it. */
static double gone(const sweep *w, int start, int step)
{
    int best = 0;
    for (int i = 1; i < w->point_count; ++i) {
        best = w->objectives[i] < w->objectives[best] ? i : best;
    }
    const double *totals = w->step_totals[start];
    return (totals[step] - totals[0]) / (w->totals[best] - totals[0]);
}

static void say_of_steps(sn_figures *f, const sweep *w)
{
    sn_figure_say(f,
                  "W has one least value for both, as in the paper. Of the way from the start to the length where the\n"
                  "sweep has it, STRETCH's first step goes %.0f%% from the short start and %.0f%% from the long one, "
                  "three\n"
                  "steps %.0f%% and %.0f%%; TWIST's %.0f%% and %.0f%%, three %.0f%% and %.0f%%. TWIST's shapes fit the "
                  "length that\n"
                  "they were made for, so that each step is a small part of the way; turns end where a step changes "
                  "less than\n"
                  "a thousandth.",
                  100 * gone(&w[0], 0, 1), 100 * gone(&w[0], 1, 1), 100 * gone(&w[0], 0, STEP_LIMIT),
                  100 * gone(&w[0], 1, STEP_LIMIT), 100 * gone(&w[1], 0, 1), 100 * gone(&w[1], 1, 1),
                  100 * gone(&w[1], 0, STEP_LIMIT), 100 * gone(&w[1], 1, STEP_LIMIT));
}

static void say(sn_figures *f, const sweep *w, const jump *j)
{
    sn_figure_say(
        f, "**Paper.** W has its least value where a cycle is as long as the body's own period, and one step of\n"
           "Newton's on the length gets close to it from a short start and from a long one. With the total kept,\n"
           "intervals of a jump grow at the cost of others: a higher jump lasts longer.");
    static const char *const bodies[2] = {"STRETCH", "TWIST"};
    sn_figure_say(f, "**Here.** Lengths of the cycle, in seconds, for the best shapes of each:\n\n"
                     "| | start | one step | three steps | where turns end |\n| --- | --- | --- | --- | --- |");
    for (int k = 0; k < 2 * START_COUNT; ++k) {
        const sweep *at = &w[k / START_COUNT];
        const double *totals = at->step_totals[k % START_COUNT];
        fprintf(f->text, "| %s | %.2f | %.2f | %.2f | %.2f |\n", bodies[k / START_COUNT], totals[0], totals[1],
                totals[STEP_LIMIT], at->settled[k % START_COUNT]);
    }
    say_of_steps(f, w);
    sn_figure_say(f,
                  "Two hops of Cheburashka, four units high and one, which is as much as %.2f and %.2f s in the air by "
                  "weight\n"
                  "alone: with the total kept they get %.2f s (intervals 2 to 5, which had %.2f) and %.2f s (6 and 7, "
                  "%.2f); the\n"
                  "objective falls from %.3g to %.3g. With all durations free they get %.2f and %.2f s, the whole "
                  "%.2f s in\n"
                  "place of %.2f, the objective %.3g.",
                  2 * sqrt(2 * 4 / 9.81), 2 * sqrt(2 * 1 / 9.81), sum(j->total, 1, 5), sum(j->before, 1, 5),
                  sum(j->total, 5, 7), sum(j->before, 5, 7), j->objectives[0], j->objectives[1],
                  sum(j->free_times, 1, 5), sum(j->free_times, 5, 7), j->seconds[2], j->seconds[0], j->objectives[2]);
}

sn_result sn_figure_spacetime_timing(sn_figures *f)
{
    static const double starts[2][START_COUNT] = {{0.75, 1.6}, {0.7, 1.7}};
    sn_arena arena = {0};
    sweep *w = SN_NEW(&arena, sweep, 2);
    jump j = {.interval_count = 0};
    sn_result result = w ? SN_OK : SN_ERROR_MEMORY;
    for (int k = 0; k < 2 && result == SN_OK; ++k) {
        result = sweep_times(f, k == 0 ? SN_SEQUENCE_STRETCH : SN_SEQUENCE_TWIST, 0.6, 2.5, starts[k], &w[k]);
    }
    if (result == SN_OK) {
        const sn_plot panels[] = {plot_sweep(&w[0], "STRETCH"), plot_sweep(&w[1], "TWIST")};
        result = sn_figure_plot(f, "spacetime-cycle", "The objective against a cycle's length", panels, 2);
    }
    if (result == SN_OK) {
        result = time_jump(f, &j);
    }
    if (result == SN_OK) {
        const sn_plot panel = {.title = "Two hops: durations of the intervals",
                               .x_label = "interval",
                               .y_label = "seconds",
                               .has_zero = true,
                               .series_count = 3,
                               .series = {{"as given", j.numbers, j.before, j.interval_count, SN_PLOT_CURVE, 1},
                                          {"total kept", j.numbers, j.total, j.interval_count, SN_PLOT_CURVE, 2},
                                          {"free", j.numbers, j.free_times, j.interval_count, SN_PLOT_CURVE, 3}}};
        result = sn_figure_plot(f, "spacetime-durations", "Durations before and after", &panel, 1);
        say(f, w, &j);
    }
    sn_arena_finish(&arena);
    return result;
}

/* SPDX-License-Identifier: MIT */
/* Figures 1, 5 and 8 of the spacetime paper: what is not held in the keys swings on. */
#include <math.h>
#include <stdio.h>

#include "research/figures/sequences.h"

#define POINTS 121
#define MOMENTS 7

typedef struct swing {
    sn_sequence sequence;
    sn_spacetime_motion given, motion;
    sn_spacetime_report report;
    int tip; /* the free vertex that moves farthest from where the keys have it */
    double seconds[POINTS], keyed[POINTS], optimised[POINTS];
    double most, held; /* farthest, of the diagonal: of free vertices, and of held ones at the keys */
} swing;

static double distance(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static void find_tip(swing *s)
{
    const size_t n = (size_t)s->motion.vertex_count;
    double low[3], high[3];
    const double diagonal = sn_tet_mesh_box(&s->sequence.mesh, low, high);
    for (size_t i = 0; i < n * (size_t)s->motion.key_count; ++i) {
        const double away = distance(s->motion.positions + 3 * i, s->given.positions + 3 * i) / diagonal;
        const bool *is_fixed = s->sequence.input.keys[i / n].is_fixed;
        if (is_fixed && is_fixed[i % n]) {
            s->held = fmax(s->held, away);
        } else if (away > s->most) {
            s->most = away;
            s->tip = (int)(i % n);
        }
    }
}

static sn_result measure(sn_figures *f, sn_sequence_kind kind, sn_arena *arena, swing *s)
{
    SN_TRY(sn_sequence_build(f, kind, arena, &s->sequence));
    double *positions = NULL;
    SN_TRY(sn_spacetime_initial_motion(&s->sequence.input, arena, &s->given));
    SN_TRY(sn_sequence_run(&s->sequence, arena, &s->motion, &s->report));
    find_tip(s);
    positions = SN_NEW(arena, double, 3 * (size_t)s->motion.vertex_count);
    if (!positions) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < POINTS; ++i) {
        s->seconds[i] = sn_sequence_seconds(&s->motion) * i / (POINTS - 1);
        sn_spacetime_sample(&s->given, s->seconds[i], positions);
        s->keyed[i] = positions[3 * s->tip + 1];
        sn_spacetime_sample(&s->motion, s->seconds[i], positions);
        s->optimised[i] = positions[3 * s->tip + 1];
    }
    return SN_OK;
}

static sn_result draw(sn_figures *f, const swing *s, double yaw, const char *name, const char *says, sn_arena *arena)
{
    sn_picture pictures[2 * MOMENTS];
    char path[SN_FIGURE_PATH];
    double *positions = SN_NEW(arena, double, 3 * (size_t)s->motion.vertex_count), low[3], high[3];
    const double diagonal = sn_tet_mesh_box(&s->sequence.mesh, low, high);
    const sn_sequence_view view = {.radius = 0.5 * diagonal,
                                   .yaw = yaw,
                                   .pitch = 0.15,
                                   .width = f->is_quick ? 30 : 130,
                                   .height = f->is_quick ? 30 : 130};
    sn_result result = positions ? SN_OK : SN_ERROR_MEMORY;
    for (int i = 0; i < 2 * MOMENTS && result == SN_OK; ++i) {
        const int moment = i % MOMENTS;
        const double seconds = sn_sequence_seconds(&s->motion) * (moment + 0.5) / MOMENTS;
        sn_sequence_view at = view;
        sn_spacetime_sample(i < MOMENTS ? &s->given : &s->motion, seconds, positions);
        for (int k = 0; k < 3 * s->motion.vertex_count; ++k) {
            at.centre[k % 3] += positions[k] / s->motion.vertex_count;
        }
        result = sn_sequence_draw(&s->sequence, &at, (const double *const[]){positions}, 1, arena, &pictures[i]);
        snprintf(pictures[i].caption, sizeof pictures[i].caption, "%s, %.2f s", i < MOMENTS ? "keys" : "optimised",
                 seconds);
    }
    sn_figure_show(f, name, says, path);
    return result == SN_OK ? sn_pictures_write(path, pictures, 2 * MOMENTS, MOMENTS) : result;
}

static sn_plot plot_tip(const swing *s, const char *title)
{
    return (sn_plot){.title = title,
                     .x_label = "seconds",
                     .y_label = "height of the freest vertex",
                     .series_count = 2,
                     .series = {{"keys, eased", s->seconds, s->keyed, POINTS, SN_PLOT_DASHES, 1},
                                {"optimised", s->seconds, s->optimised, POINTS, SN_PLOT_LINE, 2}}};
}

sn_result sn_figure_spacetime_secondary(sn_figures *f)
{
    sn_arena arena = {0};
    swing *s = SN_NEW(&arena, swing, 2);
    sn_result result = s ? measure(f, SN_SEQUENCE_CHEB, &arena, &s[0]) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = measure(f, SN_SEQUENCE_DINO, &arena, &s[1]);
    }
    if (result == SN_OK) {
        const sn_plot panels[] = {plot_tip(&s[0], "CHEB: an ear"), plot_tip(&s[1], "DINO's stand-in: the tail")};
        result = sn_figure_plot(f, "spacetime-tips", "Heights of what is free", panels, 2);
    }
    if (result == SN_OK) {
        result = draw(f, &s[0], 0.3, "spacetime-ears", "CHEB, ears free", &arena);
    }
    if (result == SN_OK) {
        result = draw(f, &s[1], -1.2, "spacetime-tail", "A gallop, tail free", &arena);
    }
    if (result == SN_OK) {
        sn_figure_say(f, "**Paper.** Ears of Cheburashka, whose keys come from a human's motion and leave them stiff, "
                         "and the\n"
                         "dinosaur's tail are let go: they get a motion of their own, and the rest stays where the "
                         "keys have\n"
                         "it.");
        sn_figure_say(f,
                      "**Here.** CHEB (%s): free vertices are up to %.0f%% of the diagonal from where the keys have "
                      "them, held\n"
                      "ones %.0f%%; the objective falls from %.3g to %.3g in %d iterations. DINO (%s): %.0f%% and "
                      "%.0f%%; from %.3g to\n"
                      "%.3g in %d. In the upper rows the motion comes to a stop in each key.",
                      s[0].sequence.says, 100 * s[0].most, 100 * s[0].held, s[0].report.objective_first,
                      s[0].report.objective_last, s[0].report.iteration_count, s[1].sequence.says, 100 * s[1].most,
                      100 * s[1].held, s[1].report.objective_first, s[1].report.objective_last,
                      s[1].report.iteration_count);
    }
    sn_arena_finish(&arena);
    return result;
}

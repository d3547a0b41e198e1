/* SPDX-License-Identifier: MIT */
/* Figures 7 and 12 of the spacetime paper: two keys at one time, and what is in the way. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "research/figures/sequences.h"

#define POINTS 61
#define SHOWN_LIMIT 11
#define TOLERANCE 1e-4 /* of the first objective, most of which the vertices below the ground are */

typedef enum kind { WITH_HIT, WITHOUT_HIT, KIND_COUNT } kind;

typedef struct fallen {
    sn_sequence sequences[KIND_COUNT];
    sn_spacetime_motion motions[KIND_COUNT];
    sn_spacetime_report reports[KIND_COUNT];
    double seconds[KIND_COUNT][POINTS], heights[KIND_COUNT][POINTS], lowest[KIND_COUNT][POINTS], least[KIND_COUNT];
    double bent;      /* how far the middle's way is from the parabola of its weight, over the height that it falls */
    double flattened; /* height of the body at the hit, of that at the start */
} fallen;

/* Without the second key of the hit, and without its obstacle: one smooth motion through the hit's place, held. */
static sn_result join(const sn_sequence *from, sn_arena *arena, sn_sequence *joined)
{
    sn_spacetime_key *keys = SN_NEW(arena, sn_spacetime_key, 3);
    *joined = *from;
    if (!keys) {
        return SN_ERROR_MEMORY;
    }
    keys[0] = from->input.keys[0];
    keys[1] = from->input.keys[2];
    keys[1].is_fixed = keys[0].is_fixed;
    keys[2] = from->input.keys[3];
    joined->input.keys = keys;
    joined->input.key_count = 3;
    joined->input.obstacle_count = 0;
    return SN_OK;
}

static void measure_shape(const sn_sequence *s, const double *positions, double *middle, double *low, double *high)
{
    *middle = 0;
    *low = DBL_MAX;
    *high = -DBL_MAX;
    for (int v = 0; v < s->mesh.vertex_count; ++v) {
        const double y = positions[3 * v + 1];
        *middle += y / s->mesh.vertex_count;
        *low = fmin(*low, y);
        *high = fmax(*high, y);
    }
}

/* Up to the hit, how far the middle is from the parabola through its ends with the weight's curvature. */
static double leave_parabola(const fallen *r, double hit)
{
    const sn_spacetime_motion *m = &r->motions[WITH_HIT];
    const double gravity = -r->sequences[WITH_HIT].input.gravity[1];
    double worst = 0, first = r->heights[WITH_HIT][0], last = first;
    for (int i = 0; i < POINTS && r->seconds[WITH_HIT][i] <= hit; ++i) {
        last = r->heights[WITH_HIT][i];
    }
    for (int i = 0; i < POINTS && r->seconds[WITH_HIT][i] <= hit; ++i) {
        const double t = r->seconds[WITH_HIT][i], share = t / m->durations[0];
        const double expected = (1 - share) * first + share * last + 0.5 * gravity * t * (m->durations[0] - t);
        worst = fmax(worst, fabs(r->heights[WITH_HIT][i] - expected));
    }
    return worst / fabs(first - last);
}

static sn_result measure(fallen *r)
{
    sn_arena scratch = {0};
    double *positions = SN_NEW(&scratch, double, 3 * (size_t)r->sequences[0].mesh.vertex_count), start = 1, high;
    for (int k = 0; k < KIND_COUNT && positions; ++k) {
        r->least[k] = DBL_MAX;
        for (int i = 0; i < POINTS; ++i) {
            r->seconds[k][i] = sn_sequence_seconds(&r->motions[k]) * i / (POINTS - 1);
            sn_spacetime_sample(&r->motions[k], r->seconds[k][i], positions);
            measure_shape(&r->sequences[k], positions, &r->heights[k][i], &r->lowest[k][i], &high);
            r->least[k] = fmin(r->least[k], round(1e6 * r->lowest[k][i]) / 1e6 + 0.0); /* never -0 */
            start = i == 0 ? high - r->lowest[k][i] : start;
        }
    }
    if (positions) {
        double middle, low;
        measure_shape(&r->sequences[0], r->motions[0].positions + 3 * (size_t)r->sequences[0].mesh.vertex_count,
                      &middle, &low, &high);
        r->flattened = (high - low) / start;
        r->bent = leave_parabola(r, r->motions[WITH_HIT].durations[0]);
    }
    sn_arena_finish(&scratch);
    return positions ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result fall(const sn_figures *f, sn_sequence_kind which, sn_arena *arena, fallen *r)
{
    SN_TRY(sn_sequence_build(f, which, arena, &r->sequences[WITH_HIT]));
    SN_TRY(join(&r->sequences[WITH_HIT], arena, &r->sequences[WITHOUT_HIT]));
    for (int k = 0; k < KIND_COUNT; ++k) {
        r->sequences[k].desc.tolerance = TOLERANCE;
        SN_TRY(sn_sequence_run(&r->sequences[k], arena, &r->motions[k], &r->reports[k]));
    }
    return measure(r);
}

static sn_result draw(const sn_figures *f, const fallen *r, kind which, const char *caption, int count, sn_arena *arena,
                      sn_picture *picture)
{
    const sn_sequence *s = &r->sequences[which];
    const size_t width = 3 * (size_t)s->mesh.vertex_count;
    double *positions = SN_NEW(arena, double, (size_t)count *width);
    const double *moments[SHOWN_LIMIT];
    double low[3] = {DBL_MAX, DBL_MAX, DBL_MAX}, high[3] = {-DBL_MAX, -DBL_MAX, -DBL_MAX};
    for (int i = 0; positions && i < count; ++i) {
        sn_spacetime_sample(&r->motions[which], sn_sequence_seconds(&r->motions[which]) * i / (count - 1),
                            positions + (size_t)i * width);
        moments[i] = positions + (size_t)i * width;
    }
    for (size_t i = 0; positions && i < (size_t)count * width; ++i) {
        low[i % 3] = fmin(low[i % 3], positions[i]);
        high[i % 3] = fmax(high[i % 3], positions[i]);
    }
    sn_sequence_view view = {.radius = 0.55 * (high[1] - low[1]), .width = f->is_quick ? 60 : 460, .has_ground = true};
    for (int d = 0; d < 3; ++d) {
        view.centre[d] = 0.5 * (low[d] + high[d]);
    }
    view.radius = fmax(view.radius, 0.55 * (high[0] - low[0]) * 0.6);
    view.height = (int)(0.6 * view.width);
    const sn_result result = positions ? sn_sequence_draw(s, &view, moments, count, arena, picture) : SN_ERROR_MEMORY;
    snprintf(picture->caption, sizeof picture->caption, "%s", caption);
    return result;
}

static sn_plot plot_heights(const fallen *r, const char *title)
{
    return (sn_plot){.title = title,
                     .x_label = "seconds",
                     .y_label = "height",
                     .series_count = 4,
                     .series = {{"middle", r->seconds[0], r->heights[0], POINTS, SN_PLOT_LINE, 1},
                                {"lowest vertex", r->seconds[0], r->lowest[0], POINTS, SN_PLOT_LINE, 2},
                                {"middle, no hit", r->seconds[1], r->heights[1], POINTS, SN_PLOT_DASHES, 1},
                                {"lowest, no hit", r->seconds[1], r->lowest[1], POINTS, SN_PLOT_DASHES, 2}},
                     .rule_count = 1,
                     .rules = {{false, 0, "the ground"}}};
}

static void say(sn_figures *f, const fallen *ball, const fallen *spot)
{
    sn_figure_say(f, "**Paper.** Without a discontinuity the motion through a hit's place is smooth and not physical; "
                     "with two\n"
                     "keys that share time and shape, and vertices kept out of the ground by multipliers that push, "
                     "BALL\n"
                     "bounces. SPOT falls along a parabola, as its weight wants. Visually, 2 to 4 iterations do.");
    sn_figure_say(
        f,
        "**Here.** BALL, up to a change of 1e-4 of the first objective: %d iterations, contacts at the hit %d, where "
        "it\n"
        "is %.0f%% as high as at the start: velocities may jump, so that nothing has to be flattened. Its lowest "
        "vertex\n"
        "in all the motion is at %.2f; without a hit, held in its place there, at %.2f, with an objective of %.3g in\n"
        "place of %.3g. Nothing keeps bodies out between keys, in the paper neither. SPOT: %d iterations, contacts "
        "%d,\n"
        "lowest %.2f. Up to the hit BALL's middle leaves the parabola of its weight by %.1f%% of the height that it\n"
        "falls, SPOT's by %.1f%%.",
        ball->reports[0].iteration_count, ball->reports[0].contact_count, 100 * ball->flattened, ball->least[0],
        ball->least[1], ball->reports[1].objective_last, ball->reports[0].objective_last,
        spot->reports[0].iteration_count, spot->reports[0].contact_count, spot->least[0], 100 * ball->bent,
        100 * spot->bent);
}

sn_result sn_figure_spacetime_collision(sn_figures *f)
{
    sn_arena arena = {0};
    fallen *r = SN_NEW(&arena, fallen, 2);
    sn_picture pictures[3];
    char path[SN_FIGURE_PATH];
    sn_result result = r ? fall(f, SN_SEQUENCE_BALL, &arena, &r[0]) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = fall(f, SN_SEQUENCE_SPOT, &arena, &r[1]);
    }
    if (result == SN_OK) {
        const sn_plot panels[] = {plot_heights(&r[0], "BALL"), plot_heights(&r[1], "SPOT")};
        result = sn_figure_plot(f, "spacetime-heights", "Heights of the bodies", panels, 2);
    }
    if (result == SN_OK) {
        result = draw(f, &r[0], WITH_HIT, "BALL", SHOWN_LIMIT, &arena, &pictures[0]);
    }
    if (result == SN_OK) {
        result = draw(f, &r[0], WITHOUT_HIT, "BALL without a hit", SHOWN_LIMIT, &arena, &pictures[1]);
    }
    if (result == SN_OK) {
        result = draw(f, &r[1], WITH_HIT, "SPOT", 5, &arena, &pictures[2]);
    }
    if (result == SN_OK) {
        sn_figure_show(f, "spacetime-hits",
                       "Each at several moments, from blue to orange, from the side; the line is the ground", path);
        result = sn_pictures_write(path, pictures, 3, 2);
        say(f, &r[0], &r[1]);
    }
    sn_arena_finish(&arena);
    return result;
}

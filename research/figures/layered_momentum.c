/* SPDX-License-Identifier: MIT */
/* What the layered paper's heavier masses do to a body that nothing holds: its middle must stay. */
#include <math.h>

#include "host/math/vec3.h"
#include "research/figures/limb.h"

#define RATE 30.0
#define FRAMES 60
#define RUN_COUNT 6

static const struct {
    const char *label;
    sn_layered_mode mode;
    int substeps, sweeps, consolidating;
    double factor;
} runs[RUN_COUNT] = {
    {"masses x 1", SN_LAYERED_LAYERS, 1, 10, 0, 1}, {"x 2", SN_LAYERED_LAYERS, 1, 10, 6, 2},
    {"x 4", SN_LAYERED_LAYERS, 1, 10, 6, 4},        {"x 10 (the paper)", SN_LAYERED_LAYERS, 1, 10, 6, 10},
    {"x 30", SN_LAYERED_LAYERS, 1, 10, 6, 30},      {"10 substeps of 1", SN_LAYERED_UNORDERED, 10, 1, 0, 1}};

typedef struct drift {
    double seconds[FRAMES], ways[RUN_COUNT][FRAMES]; /* of the middle, mm */
} drift;

static void middle_of(const sn_limb *limb, const double *places, double *middle)
{
    double mass = 0;
    middle[0] = middle[1] = middle[2] = 0;
    for (int v = 0; v < limb->mesh.vertex_count; ++v) {
        mass += limb->masses[v];
        for (int d = 0; d < 3; ++d) {
            middle[d] += limb->masses[v] * places[3 * v + d];
        }
    }
    for (int d = 0; d < 3; ++d) {
        middle[d] /= mass;
    }
}

/* Bent and stretched at one end, so that it shakes. */
static void strain(const sn_limb *limb, double *start)
{
    for (int v = 0; v < limb->mesh.vertex_count; ++v) {
        const double *x = limb->mesh.positions + 3 * v, y = x[1] / SN_BENCH_LEG_LENGTH + 0.5;
        start[3 * v] = x[0] + 0.15 * y * y;
        start[3 * v + 1] = x[1] + 0.1 * y * y * y;
        start[3 * v + 2] = x[2];
    }
}

static sn_result shake(const sn_figures *f, sn_limb *limb, sn_arena *arena, drift *d)
{
    const size_t size = 3 * (size_t)limb->mesh.vertex_count;
    double *start = SN_NEW(arena, double, size), *places = SN_NEW(arena, double, FRAMES *size), origin[3];
    sn_result result = start && places ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        strain(limb, start);
        middle_of(limb, start, origin);
    }
    for (int i = 0; i < RUN_COUNT && result == SN_OK; ++i) {
        sn_layered_settings settings = sn_default_layered_settings();
        settings.time_step = 1 / RATE;
        settings.substep_count = runs[i].substeps;
        settings.sweep_count = runs[i].sweeps;
        settings.consolidation_sweep_count = runs[i].consolidating;
        settings.consolidating_factor = runs[i].factor;
        limb->desc.mode = runs[i].mode;
        result =
            sn_limb_play(limb, &settings,
                         &(sn_limb_run){.frame_count = FRAMES, .is_let_go = true, .start = start, .places = places});
        for (int frame = 0; frame < FRAMES && result == SN_OK; ++frame) {
            double middle[3];
            middle_of(limb, places + size * (size_t)frame, middle);
            d->seconds[frame] = (frame + 1) / RATE;
            d->ways[i][frame] = 1e3 * sn_distance3(middle, origin);
        }
    }
    (void)f;
    return result;
}

sn_result sn_figure_layered_momentum(sn_figures *f)
{
    sn_arena arena = {0};
    sn_limb limb;
    drift d;
    sn_plot panel = {.title = "A leg that nothing holds shakes",
                     .x_label = "seconds",
                     .y_label = "its middle from where it was (mm)",
                     .is_y_log = true,
                     .series_count = RUN_COUNT};
    sn_result result = sn_limb_leg(f->is_quick ? 4 : 6, f->is_quick ? 8 : 14, &arena, &limb);
    if (result == SN_OK) {
        result = shake(f, &limb, &arena, &d);
    }
    for (int i = 0; i < RUN_COUNT; ++i) {
        panel.series[i] = (sn_plot_series){runs[i].label, d.seconds, d.ways[i], FRAMES, SN_PLOT_LINE, 1 + i};
    }
    if (result == SN_OK) {
        result = sn_figure_plot(f, "layered-momentum", "Drift of a free leg", &panel, 1);
        sn_figure_say(
            f, "**Paper.** A correction along the gradient conserves momentum; masses of finished layers are ten\n"
               "times theirs while inner iterations run. What that does to momentum is not said.");
        sn_figure_say(
            f,
            "**Here.** A leg of %d tets that is bent and stretched at one end and let go of, without weight,\n"
            "%d steps of 1/30 s with 10 iterations. Its middle should stay. It moves by %.1e mm with the\n"
            "masses as they are%s, and by %.1f, %.1f, %.1f and %.1f mm where\n"
            "finished layers are 2, 4, 10 and 30 times as heavy. On bones, which hold the body, nothing of it\n"
            "shows but the bias of figure 6. Small steps, the default, drift by %.1e mm.",
            limb.mesh.tet_count, FRAMES, d.ways[0][FRAMES - 1],
            d.ways[0][FRAMES - 1] < 0.01 ? ", which is rounding in float" : "", d.ways[1][FRAMES - 1],
            d.ways[2][FRAMES - 1], d.ways[3][FRAMES - 1], d.ways[4][FRAMES - 1], d.ways[5][FRAMES - 1]);
    }
    sn_arena_finish(&arena);
    return result;
}

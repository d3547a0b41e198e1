/* SPDX-License-Identifier: MIT */
/* Table 2 of the layered paper: milliseconds a frame, with axes of fibres and without. */
#include <math.h>
#include <stdio.h>

#include "research/figures/limb.h"

#define FRAMES 30
#define REPEATS 3
#define BODY_COUNT 3
#define BUNNY_VERTICES 10000
#define FAST_MS (1e3 / 120)

typedef enum way { LAYERS, SUBSTEPS, WAY_COUNT } way;

typedef struct timed {
    const char *name;
    int vertex_count, tet_count, layer_count;
    double ms[WAY_COUNT][2]; /* without axes, with */
} timed;

static void move(int frame, void *user, double *pose)
{
    (void)user;
    const double angle = 0.3 * (1 - cos(6.28 * frame / 60));
    sn_limb_pose(0.5 * angle, angle, 0, pose);
}

static void lift(int frame, void *user, double *pose)
{
    const double *height = user;
    pose[7] = 0.1 * *height * sin(6.28 * frame / 30);
}

/* The least of some medians, in ms. */
static sn_result measure(const sn_limb *limb, double *height, way by, double *ms)
{
    sn_limb one = *limb;
    sn_layered_settings settings = sn_default_layered_settings();
    sn_result result = SN_OK;
    one.desc.mode = by == LAYERS ? SN_LAYERED_LAYERS : SN_LAYERED_UNORDERED;
    settings.gravity[1] = -9.81;
    settings.substep_count = by == LAYERS ? 1 : 10;
    settings.sweep_count = by == LAYERS ? 10 : 1;
    settings.damping = 6;
    *ms = INFINITY;
    for (int i = 0; i < REPEATS && result == SN_OK; ++i) {
        double median = 0;
        result = sn_limb_play(
            &one, &settings,
            &(sn_limb_run){
                .frame_count = FRAMES, .move = height ? lift : move, .user = height, .milliseconds = &median});
        *ms = fmin(*ms, median);
    }
    return result;
}

static sn_result time_body(sn_limb *limb, double *height, timed *t)
{
    static const double axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    sn_layered_model *model = NULL;
    sn_result result = SN_OK;
    t->vertex_count = limb->mesh.vertex_count;
    t->tet_count = limb->mesh.tet_count;
    for (int i = 0; i < 2 * WAY_COUNT && result == SN_OK; ++i) {
        limb->desc.frames = NULL;
        if (i % 2) {
            sn_limb_set_axes(limb, axes);
        }
        result = measure(limb, height, (way)(i / 2), &t->ms[i / 2][i % 2]);
    }
    limb->desc.mode = SN_LAYERED_LAYERS;
    if (result == SN_OK) {
        result = sn_layered_model_create(&limb->desc, &model);
    }
    if (result == SN_OK) {
        t->layer_count = sn_layered_model_counts(model).layer_count;
    }
    sn_layered_model_destroy(&model);
    return result;
}

/* Where there is no data, the body that stands in for it. */
static sn_result time_bunny(const sn_figures *f, sn_arena *arena, timed *t)
{
    sn_limb limb;
    bool is_bunny;
    double height = 0.5;
    const sn_result result = sn_limb_bunny(f, BUNNY_VERTICES, arena, &limb, &is_bunny);
    t->name = is_bunny ? "bunny" : "bar";
    return result == SN_OK ? time_body(&limb, &height, t) : result;
}

static sn_result time_bodies(sn_figures *f, timed *bodies)
{
    sn_arena arena = {0};
    sn_result result = SN_OK;
    for (int i = 0; i < BODY_COUNT - 1 && result == SN_OK; ++i) {
        sn_limb limb;
        result = sn_limb_leg(f->is_quick ? 4 : 6 + 6 * i, f->is_quick ? 8 : 14 + 14 * i, &arena, &limb);
        if (result == SN_OK) {
            result = time_body(&limb, NULL, &bodies[i]);
        }
    }
    if (result == SN_OK) {
        result = time_bunny(f, &arena, &bodies[BODY_COUNT - 1]);
    }
    sn_arena_finish(&arena);
    return result;
}

static sn_result plot(sn_figures *f, const timed *bodies)
{
    static const char *const labels[WAY_COUNT][2] = {{"in layers", "in layers, with axes"},
                                                     {"substeps", "substeps, with axes"}};
    double x[BODY_COUNT], y[WAY_COUNT][2][BODY_COUNT];
    sn_plot panel = {.title = "A frame of ten iterations on one thread",
                     .x_label = "tets",
                     .y_label = "ms",
                     .is_x_log = true,
                     .is_y_log = true,
                     .series_count = 2 * WAY_COUNT,
                     .rule_count = 1,
                     .rules = {{.at = FAST_MS, .label = "120 Hz, the paper's fastest motion"}}};
    for (int k = 0; k < 2 * WAY_COUNT; ++k) {
        for (int i = 0; i < BODY_COUNT; ++i) {
            x[i] = bodies[i].tet_count;
            y[k / 2][k % 2][i] = bodies[i].ms[k / 2][k % 2];
        }
        panel.series[k] = (sn_plot_series){labels[k / 2][k % 2], x, y[k / 2][k % 2], BODY_COUNT, SN_PLOT_CURVE, 1 + k};
    }
    return sn_figure_plot(f, "layered-time", "Time of a frame", &panel, 1);
}

static void print_table(sn_figures *f, const timed *bodies)
{
    sn_figure_say(f,
                  "**Here.** Milliseconds of a frame of 10 iterations, without axes and with; the %s of about\n"
                  "%d vertices is finer than that of figures 3 and 8, for its time:",
                  bodies[BODY_COUNT - 1].name, BUNNY_VERTICES);
    fprintf(f->text, "\n| body | vertices | tets | layers | in layers | with axes | substeps | with axes |\n"
                     "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < BODY_COUNT; ++i) {
        const timed *t = &bodies[i];
        fprintf(f->text, "| %s | %d | %d | %d | %.2f | %.2f | %.2f | %.2f |\n", t->name, t->vertex_count, t->tet_count,
                t->layer_count, t->ms[0][0], t->ms[0][1], t->ms[1][0], t->ms[1][1]);
    }
}

/* What takes longer than a frame of the paper's fastest motion. */
static void list_slow(sn_figures *f, const timed *bodies)
{
    static const char *const names[WAY_COUNT][2] = {{"in layers", "in layers with axes"},
                                                    {"in substeps", "in substeps with axes"}};
    int count = 0;
    fprintf(f->text, "\nA frame at 120 Hz has %.1f ms, which ", FAST_MS);
    for (int i = 0; i < BODY_COUNT * WAY_COUNT * 2; ++i) {
        const timed *t = &bodies[i / (2 * WAY_COUNT)];
        const int by = i / 2 % WAY_COUNT;
        if (t->ms[by][i % 2] > FAST_MS) {
            fprintf(f->text, "%sthe %s %s (%.2f)", count > 0 ? ", " : "", t->name, names[by][i % 2], t->ms[by][i % 2]);
            ++count;
        }
    }
    fprintf(f->text, "%s\n", count > 0 ? " exceeds: that is not real time at 120 Hz." : "none exceeds.");
}

static void say(sn_figures *f, const timed *bodies)
{
    double more = 0;
    for (int i = 0; i < BODY_COUNT * WAY_COUNT; ++i) {
        const double *ms = bodies[i / WAY_COUNT].ms[i % WAY_COUNT];
        more += (ms[1] / ms[0] - 1) / (BODY_COUNT * WAY_COUNT);
    }
    sn_figure_say(f,
                  "Axes, which come in place of the rest shape's inverse, cost %.0f%% (mean of all)%s.\n"
                  "The paper's processor is of 2013, and its code not optimised; ours takes several tets at a time.",
                  100 * more, more < 0.25 ? ", a small fraction here, too" : "");
    list_slow(f, bodies);
}

sn_result sn_figure_layered_time(sn_figures *f)
{
    timed bodies[BODY_COUNT] = {{.name = "coarse leg"}, {.name = "fine leg"}, {.name = "bunny"}};
    sn_figure_timing_begins(f);
    SN_TRY(time_bodies(f, bodies));
    SN_TRY(plot(f, bodies));
    sn_figure_say(f, "**Paper.** All characters are done within 10 iterations a frame, in real time, at 120, 30 or 25\n"
                     "Hz on one Intel i7-4770; axes of fibres cost a small fraction more. Its meshes of the leg have\n"
                     "3452 and 24387 tets.");
    print_table(f, bodies);
    say(f, bodies);
    sn_figure_timing_ends(f);
    return SN_OK;
}

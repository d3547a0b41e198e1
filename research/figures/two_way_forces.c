/* SPDX-License-Identifier: MIT */
/* Figures 5 and 11 of the two-way paper: a fish whose head alone is turned; an octopus under weight and on the ground.
 */
#include <math.h>

#include "host/math/affine.h"
#include "research/figures/two_way.h"

/* ---- a fish that swims ---- */

#define FISH_FRAMES 150

/* The authors' script: .4 sin(9 t / 60), t in frames. */
static void wag(double seconds, const double *pivot, double *transform)
{
    const double angle = 0.4 * sin(9 * seconds), c = cos(angle), s = sin(angle);
    sn_affine_identity(transform);
    transform[0] = transform[5] = c;
    transform[1] = -s;
    transform[4] = s;
    transform[3] = pivot[0] - c * pivot[0] + s * pivot[1];
    transform[7] = pivot[1] - s * pivot[0] - c * pivot[1];
}

static const sn_drive wag_drives[] = {{0, SN_LOCK_TRANSLATION | SN_LOCK_ROTATION, wag}};

sn_result sn_figure_swing(sn_figures *f)
{
    enum { HANDLES = 4, SHOWN = 4 };
    static const char *const labels[HANDLES] = {"head (driven)", "second", "third", "tail"};
    static const int shown[SHOWN] = {100, 110, 120, 130};
    static double seconds[FISH_FRAMES + 1], curves[HANDLES][FISH_FRAMES + 1];
    double amplitudes[HANDLES] = {0};
    sn_plot panel = {.title = "Where the handles are", .x_label = "seconds", .y_label = "y (of the length)"};
    sn_arena arena = {0};
    sn_flat_subject subject;
    sn_drive_run run;
    sn_drawn_shape shapes[SHOWN];
    char captions[SHOWN][24], path[SN_FIGURE_PATH];
    sn_drive_desc desc = sn_default_drive_desc(wag_drives, 1, FISH_FRAMES);
    sn_result result = sn_flat_subject_build(SN_OUTLINE_FISH, f->is_quick ? 200 : 0, &arena, &subject);
    desc.young = 200;
    if (result == SN_OK) {
        result = sn_drive_run_make(&subject, &desc, SN_DEFORM_COUPLED, &arena, &run);
    }
    for (int k = 0; k < HANDLES && result == SN_OK; ++k) {
        for (int i = 0; i <= FISH_FRAMES; ++i) {
            seconds[i] = i / 60.0;
            curves[k][i] = run.handles[3 * (i * HANDLES + k) + 1];
            amplitudes[k] = fmax(amplitudes[k], i > 60 ? fabs(curves[k][i]) : 0);
        }
        panel.series[panel.series_count++] =
            (sn_plot_series){labels[k], seconds, curves[k], FISH_FRAMES + 1, SN_PLOT_LINE, k + 1};
    }
    for (int i = 0; i < SHOWN && result == SN_OK; ++i) {
        snprintf(captions[i], sizeof captions[i], "%.2f s", shown[i] / 60.0);
        result = sn_drive_draw(&subject, &desc, &run, shown[i], captions[i], &arena, &shapes[i]);
    }
    if (result == SN_OK) {
        result = sn_figure_plot(f, "swing", "Heights of the fish's handles", &panel, 1);
    }
    if (result == SN_OK) {
        sn_figure_show(f, "swing-shapes", "The fish swims", path);
        result = sn_drawing_write(
            path, &(sn_drawn_view){.column_count = SHOWN, .column_width = 220, .is_place_shared = true}, shapes, SHOWN);
    }
    if (result == SN_OK) {
        sn_figure_say(f, "**Paper.** The user turns the root alone; the whole body answers with rich dynamics.");
        sn_figure_say(
            f,
            "**Here.** %d vertices, four points; the head turns by .4 sin 9t and stays where it is. The others\n"
            "swing by %.3f, %.3f and %.3f of the length; if the fish were rigid, by %.3f, %.3f and %.3f.",
            subject.body.mesh.vertex_count, amplitudes[1], amplitudes[2], amplitudes[3],
            sin(0.4) * (subject.pivots[3] - subject.pivots[0]), sin(0.4) * (subject.pivots[6] - subject.pivots[0]),
            sin(0.4) * (subject.pivots[9] - subject.pivots[0]));
    }
    sn_arena_finish(&arena);
    return result;
}

/* ---- an octopus under weight, and on the ground ---- */

#define GROUND (-0.3)

static void stay(double seconds, const double *pivot, double *transform)
{
    (void)seconds;
    (void)pivot;
    sn_affine_identity(transform);
}

static const sn_drive stay_drives[] = {{0, SN_LOCK_TRANSLATION | SN_LOCK_ROTATION, stay}};

sn_result sn_figure_forces(sn_figures *f)
{
    enum { KINDS = 4, FRAMES = 180 };
    static const char *const captions[KINDS] = {"no weight", "weight 1", "weight 4", "weight 4, on the ground"};
    static const double weights[KINDS] = {0, 1, 4, 4};
    sn_arena arena = {0};
    sn_flat_subject subject;
    sn_drawn_shape shapes[KINDS];
    char path[SN_FIGURE_PATH];
    double tips[KINDS] = {0}, deepest = 0;
    sn_result result = sn_flat_subject_build(SN_OUTLINE_OCTOPUS, f->is_quick ? 200 : 0, &arena, &subject);
    for (int k = 0; k < KINDS && result == SN_OK; ++k) {
        sn_drive_desc desc = sn_default_drive_desc(stay_drives, 1, FRAMES);
        sn_drive_run run;
        desc.young = 60;
        desc.gravity = weights[k];
        desc.has_floor = k == KINDS - 1;
        desc.floor = GROUND;
        desc.damping = 4;
        result = sn_drive_run_make(&subject, &desc, SN_DEFORM_COUPLED, &arena, &run);
        if (result == SN_OK) {
            const double *last = run.positions + 3 * (size_t)FRAMES * (size_t)run.vertex_count;
            tips[k] = subject.pivots[3 * 4 + 1] - run.handles[3 * (FRAMES * run.handle_count + 4) + 1];
            for (int v = 0; v < run.vertex_count && desc.has_floor; ++v) {
                deepest = fmax(deepest, GROUND - last[3 * v + 1]);
            }
            result = sn_drive_draw(&subject, &desc, &run, FRAMES, captions[k], &arena, &shapes[k]);
        }
    }
    if (result == SN_OK) {
        sn_figure_show(f, "forces", "An octopus hangs from its head", path);
        result = sn_drawing_write(
            path, &(sn_drawn_view){.column_count = KINDS, .column_width = 220, .is_place_shared = true}, shapes, KINDS);
    }
    if (result == SN_OK) {
        sn_figure_say(
            f, "**Paper.** Gravity is changed while it runs, and tentacles rise and fall; they answer to collisions,\n"
               "which are constraints of the simulation mesh.");
        sn_figure_say(
            f,
            "**Here.** The head is held, three seconds pass. A lower tentacle's tip sinks by %.3f, %.3f and\n"
            "%.3f of the width under a weight of 0, 1 and 4; with the ground at y = -.3 it is %.3f higher than\n"
            "at rest. The simulation mesh does not enter the ground; the rigged mesh, which is what is shown,\n"
            "does by %.3f: its few handles cannot bend as sharply.",
            tips[0], tips[1], tips[2], -tips[3], deepest);
    }
    sn_arena_finish(&arena);
    return result;
}

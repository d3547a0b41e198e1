/* SPDX-License-Identifier: MIT */
/* Figures 9 and 10 of the two-way paper: what the complementary constraint's compliance, and the material, do. */
#include <math.h>

#include "host/math/affine.h"
#include "research/figures/two_way.h"

/* ---- compliance ---- */

#define COMPLIANCE_COUNT 4
#define ROUGH_FRAMES 180

/* A hand that jumps and trembles: the same at every run. */
static void drag_roughly(double seconds, const double *pivot, double *transform)
{
    (void)pivot;
    const int jump = (int)(seconds / 0.25);
    sn_affine_identity(transform);
    transform[3] = 0.1 * sin(3 * seconds) + 0.05 * sin(2.3 * jump * jump) + 0.012 * sin(83 * seconds);
    transform[7] = 0.04 * sin(1.7 * jump) + 0.012 * sin(71 * seconds);
}

static const sn_drive rough_drives[] = {{2, SN_LOCK_TRANSLATION | SN_LOCK_ROTATION, drag_roughly}};

/* Mean size of the second difference: how jagged a curve is. */
static double jaggedness(const double *values, int count)
{
    double sum = 0;
    for (int i = 1; i + 1 < count; ++i) {
        sum += fabs(values[i - 1] - 2 * values[i] + values[i + 1]) / (count - 2);
    }
    return sum;
}

sn_result sn_figure_compliance(sn_figures *f)
{
    static const double compliances[COMPLIANCE_COUNT] = {0, 1e-4, 1e-3, 1e-2};
    static const char *const labels[COMPLIANCE_COUNT] = {"0", "1e-4", "1e-3", "1e-2"};
    static double seconds[ROUGH_FRAMES + 1], input[ROUGH_FRAMES + 1], curves[COMPLIANCE_COUNT][ROUGH_FRAMES + 1];
    double jagged[COMPLIANCE_COUNT];
    sn_plot panel = {.title = "An ear's tip under a rough hand", .x_label = "seconds", .y_label = "x (of the width)"};
    sn_arena arena = {0};
    sn_flat_subject subject;
    sn_result result = sn_flat_subject_build(SN_OUTLINE_BUNNY, f->is_quick ? 200 : 0, &arena, &subject);
    for (int i = 0; i <= ROUGH_FRAMES; ++i) {
        double transform[12];
        seconds[i] = i / 60.0;
        drag_roughly(seconds[i], NULL, transform);
        input[i] = transform[3];
    }
    for (int c = 0; c < COMPLIANCE_COUNT && result == SN_OK; ++c) {
        sn_drive_desc desc = sn_default_drive_desc(rough_drives, 1, ROUGH_FRAMES);
        sn_drive_run run;
        desc.compliance = compliances[c];
        result = sn_drive_run_make(&subject, &desc, SN_DEFORM_COUPLED, &arena, &run);
        for (int i = 0; i <= ROUGH_FRAMES && result == SN_OK; ++i) {
            curves[c][i] = run.handles[3 * (i * run.handle_count + 5)] - subject.pivots[15];
        }
        jagged[c] = jaggedness(curves[c], ROUGH_FRAMES + 1);
        panel.series[panel.series_count++] =
            (sn_plot_series){labels[c], seconds, curves[c], ROUGH_FRAMES + 1, SN_PLOT_LINE, c + 1};
    }
    panel.series[panel.series_count++] =
        (sn_plot_series){"the hand", seconds, input, ROUGH_FRAMES + 1, SN_PLOT_DASHES, 0};
    if (result == SN_OK) {
        result = sn_figure_plot(f, "compliance", "Motion of an ear's tip for several compliances", &panel, 1);
    }
    if (result == SN_OK) {
        sn_figure_say(f,
                      "**Paper.** Low compliance follows at once and swings; higher compliance smooths the motion: it\n"
                      "is a low-pass filter for rough input.");
        sn_figure_say(
            f,
            "**Here.** The middle of the head is dragged, and does not turn. The mean second difference of the\n"
            "curve is %.2e for 0, %.2e, %.2e and %.2e for 1e-4, 1e-3 and 1e-2 s^2 (the hand's own: %.2e).",
            jagged[0], jagged[1], jagged[2], jagged[3], jaggedness(input, ROUGH_FRAMES + 1));
    }
    sn_arena_finish(&arena);
    return result;
}

/* ---- material ---- */

#define MATERIAL_COUNT 4
#define SHOWN_COUNT 3

static void swing(double seconds, const double *pivot, double *transform)
{
    const double t = fmin(seconds, 1), angle = 1.4 * t * t * (3 - 2 * t), c = cos(angle), s = sin(angle);
    (void)pivot;
    sn_affine_identity(transform);
    transform[0] = transform[5] = c;
    transform[1] = -s;
    transform[4] = s;
    transform[3] = -0.3 * s; /* about (0, -.3) */
    transform[7] = -0.3 + 0.3 * c;
}

static const sn_drive swing_drives[] = {{0, SN_LOCK_TRANSLATION, swing}, {1, SN_LOCK_TRANSLATION, swing}};

static const struct {
    const char *name;
    double young, damping;
} materials[MATERIAL_COUNT] = {
    {"Young 1e5", 1e5, 1.5}, {"1e3", 1e3, 1.5}, {"2e2", 2e2, 1.5}, {"2e2, damping 8/s", 2e2, 8}};

/* How far a shape is from any rigid motion of the rest: spread of the distances between handles, relative. */
static double strain_of(const sn_flat_subject *s, const double *handles)
{
    double worst = 0;
    for (int a = 0; a < s->handle_count; ++a) {
        for (int b = 0; b < a; ++b) {
            const double *p = s->pivots;
            const double rest = hypot(p[3 * a] - p[3 * b], p[3 * a + 1] - p[3 * b + 1]);
            const double now = hypot(handles[3 * a] - handles[3 * b], handles[3 * a + 1] - handles[3 * b + 1]);
            worst = fmax(worst, fabs(now / rest - 1));
        }
    }
    return worst;
}

sn_result sn_figure_two_way_material(sn_figures *f)
{
    static const int shown[SHOWN_COUNT] = {42, 66, 84};
    sn_arena arena = {0};
    sn_flat_subject subject;
    sn_drawn_shape shapes[MATERIAL_COUNT * SHOWN_COUNT];
    char captions[MATERIAL_COUNT * SHOWN_COUNT][48], path[SN_FIGURE_PATH];
    double strains[MATERIAL_COUNT] = {0};
    sn_result result = sn_flat_subject_build(SN_OUTLINE_BUNNY, f->is_quick ? 200 : 0, &arena, &subject);
    for (int m = 0; m < MATERIAL_COUNT && result == SN_OK; ++m) {
        sn_drive_desc desc = sn_default_drive_desc(swing_drives, 2, 150);
        sn_drive_run run;
        desc.young = materials[m].young;
        desc.damping = materials[m].damping;
        result = sn_drive_run_make(&subject, &desc, SN_DEFORM_COUPLED, &arena, &run);
        for (int i = 0; i <= desc.frame_count && result == SN_OK; ++i) {
            strains[m] = fmax(strains[m], strain_of(&subject, run.handles + 3 * i * run.handle_count));
        }
        for (int i = 0; i < SHOWN_COUNT && result == SN_OK; ++i) {
            const int at = m * SHOWN_COUNT + i;
            snprintf(captions[at], sizeof captions[at], "%s, %.2f s", materials[m].name, shown[i] / 60.0);
            result = sn_drive_draw(&subject, &desc, &run, shown[i], captions[at], &arena, &shapes[at]);
        }
    }
    if (result == SN_OK) {
        sn_figure_show(f, "two-way-material", "The rabbit's head of several materials", path);
        result = sn_drawing_write(
            path, &(sn_drawn_view){.column_count = SHOWN_COUNT, .column_width = 220, .is_place_shared = true}, shapes,
            MATERIAL_COUNT * SHOWN_COUNT);
    }
    if (result == SN_OK) {
        sn_figure_say(
            f, "**Paper.** With very low compliance the model behaves like a rigid body, with high compliance it\n"
               "is soft and lively; damping tames it.");
        sn_figure_say(f,
                      "**Here.** The largest relative change of a distance between two handles is %.3f with Young's\n"
                      "modulus 1e5, %.3f with 1e3, %.3f with 200, and %.3f with 200 and a damping of 8/s (density 1,\n"
                      "one unit wide).",
                      strains[0], strains[1], strains[2], strains[3]);
    }
    sn_arena_finish(&arena);
    return result;
}

/* SPDX-License-Identifier: MIT */
/* What the layered paper's stiffnesses of stretch and shear are worth: Young's modulus of a bar under its weight, along
 * its fibres, across them and between, and against the time step. */
#include <math.h>

#include "host/math/affine.h"
#include "research/figures/limb.h"

#define CELL 0.01
#define YOUNG 28e3
#define POISSON 0.4
#define PI 3.14159265358979323846
#define ANGLES 7
#define FIBRES 3
#define FACTORS 5
#define STEPS 6

typedef struct bar {
    sn_limb limb;
    int length; /* cells */
    int frames;
    double *last;
} bar;

/* Held at one end. */
static sn_result make_bar(const sn_figures *f, sn_arena *arena, bar *b)
{
    sn_tet_mesh mesh;
    *b = (bar){.length = f->is_quick ? 8 : 36, .frames = f->is_quick ? 10 : 60};
    const int across = f->is_quick ? 2 : 4;
    sn_result result = sn_bar_build((const int[]){b->length, across, across}, CELL, arena, &mesh);
    if (result == SN_OK) {
        result = sn_limb_build(&mesh, 1, arena, &b->limb);
    }
    for (int v = 0; v < mesh.vertex_count && result == SN_OK; ++v) {
        b->limb.bones[v] = mesh.positions[3 * v] < -(0.5 * b->length - 0.1) * CELL ? 0 : -1;
    }
    b->last = result == SN_OK ? SN_NEW(arena, double, 3 * (size_t)mesh.vertex_count) : NULL;
    return result == SN_OK && !b->last ? SN_ERROR_MEMORY : result;
}

/* kPa, rho g L^2 / (2 d), d the way of the free end. Axis 1 is `angle` away from the bar, towards y. */
static sn_result measure(bar *b, const double *factors, double angle, int substeps, int sweeps, double *young)
{
    const double c = cos(angle), s = sin(angle), length = b->length * CELL, gravity = 1e-4 * YOUNG;
    sn_layered_settings settings = sn_default_layered_settings();
    double way = 0;
    int count = 0;
    settings.substep_count = substeps;
    settings.sweep_count = sweeps;
    settings.damping = 40;
    settings.is_rigid_damped = true;
    settings.gravity[0] = gravity;
    sn_limb_material(&b->limb, YOUNG, POISSON, factors);
    sn_limb_set_axes(&b->limb, (const double[]){c, -s, 0, s, c, 0, 0, 0, 1});
    const sn_result result =
        sn_limb_play(&b->limb, &settings, &(sn_limb_run){.frame_count = b->frames, .last = b->last});
    for (int v = 0; v < b->limb.mesh.vertex_count; ++v) {
        const double x = b->limb.mesh.positions[3 * v];
        if (x > 0.5 * length - 0.1 * CELL) {
            way += b->last[3 * v] - x;
            ++count;
        }
    }
    *young = 1000 * gravity * length * length / (2 * way / count) / 1e3;
    return result;
}

/* kPa, of a long bar of small strain: stiffness k_i + lambda on the diagonal, lambda beside it, shear on its own. */
static double expect(const double *factors, double angle)
{
    const double mu = YOUNG / (2 * (1 + POISSON)), lambda = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON));
    const double c = cos(angle), s = sin(angle);
    double stiffness[12] = {0}, compliance[12] = {0};
    for (int i = 0; i < 9; ++i) {
        stiffness[4 * (i / 3) + i % 3] = lambda + (i % 4 == 0 ? 2 * mu * factors[i / 4] : 0);
    }
    sn_affine_invert(stiffness, compliance);
    return 1e-3 / (compliance[0] * pow(c, 4) + compliance[5] * pow(s, 4) +
                   (2 * compliance[1] + 1 / (mu * factors[3])) * c * c * s * s);
}

typedef struct moduli {
    int angle_count, factor_count, step_count;
    double angles[ANGLES], of_angle[FIBRES][2][ANGLES]; /* measured, expected */
    double factors[FACTORS], of_factor[4][2][FACTORS];  /* stretch: along, slanted; shear: along, slanted */
    double steps[STEPS], of_step[3][STEPS];
} moduli;

static const double fibres[FIBRES] = {1, 3, 10};
static const int sweeps[3] = {1, 3, 10};

static sn_result measure_angles(bar *b, moduli *m)
{
    for (int i = 0; i < FIBRES * m->angle_count; ++i) {
        const int fibre = i / m->angle_count, at = i % m->angle_count;
        const double factors[6] = {fibres[fibre], 1, 1, 1, 1, 1}, degrees = 90.0 * at / (m->angle_count - 1);
        m->angles[at] = degrees;
        m->of_angle[fibre][1][at] = expect(factors, degrees * PI / 180);
        SN_TRY(measure(b, factors, degrees * PI / 180, 0, 1, &m->of_angle[fibre][0][at]));
    }
    return SN_OK;
}

static sn_result measure_factors(bar *b, moduli *m)
{
    static const double values[FACTORS] = {0.3, 1, 3, 10, 20};
    for (int i = 0; i < 4 * m->factor_count; ++i) {
        const int which = i / m->factor_count, at = i % m->factor_count;
        const double angle = which % 2 ? PI / 4 : 0;
        double factors[6] = {1, 1, 1, 1, 1, 1};
        factors[which < 2 ? 0 : 3] = m->factors[at] = values[at];
        m->of_factor[which][1][at] = expect(factors, angle);
        SN_TRY(measure(b, factors, angle, 0, 1, &m->of_factor[which][0][at]));
    }
    return SN_OK;
}

static sn_result measure_steps(bar *b, moduli *m)
{
    static const int substeps[STEPS] = {2, 5, 10, 15, 30, 60};
    static const double factors[6] = {1, 1, 1, 1, 1, 1};
    for (int i = 0; i < 3 * m->step_count; ++i) {
        const int which = i / m->step_count, at = i % m->step_count;
        m->steps[at] = substeps[at];
        SN_TRY(measure(b, factors, 0, substeps[at], sweeps[which], &m->of_step[which][at]));
    }
    return SN_OK;
}

/* ---- the section ---- */

static sn_result plot(sn_figures *f, const moduli *m)
{
    static const char *const of_fibres[FIBRES] = {"fibres x 1", "x 3", "x 10"};
    static const char *const of_factors[4] = {"stretch, along", "stretch, 45 degrees", "shear, along",
                                              "shear, 45 degrees"};
    static const char *const of_sweeps[3] = {"1 iteration", "3", "10"};
    sn_plot panels[3] = {{.title = "A bar with fibres", .x_label = "fibres to the bar (degrees)", .is_y_log = true},
                         {.title = "Stretch along axis 1, shear between 1 and 2",
                          .x_label = "factor",
                          .is_x_log = true,
                          .is_y_log = true},
                         {.title = "Time steps, without fibres",
                          .x_label = "substeps of 1/60 s",
                          .is_x_log = true,
                          .has_zero = true,
                          .rule_count = 1,
                          .rules = {{.at = YOUNG / 1e3, .label = "28 kPa"}}}};
    for (int p = 0; p < 3; ++p) {
        panels[p].y_label = "Young's modulus (kPa)";
    }
    for (int i = 0; i < 2 * FIBRES; ++i) {
        panels[0].series[i] = (sn_plot_series){
            i % 2 ? NULL : of_fibres[i / 2],         m->angles, m->of_angle[i / 2][i % 2], m->angle_count,
            i % 2 ? SN_PLOT_DASHES : SN_PLOT_POINTS, 1 + i / 2};
    }
    panels[0].series_count = 2 * FIBRES;
    for (int i = 0; i < 8; ++i) {
        panels[1].series[i] = (sn_plot_series){
            i % 2 ? NULL : of_factors[i / 2],        m->factors, m->of_factor[i / 2][i % 2], m->factor_count,
            i % 2 ? SN_PLOT_DASHES : SN_PLOT_POINTS, 1 + i / 2};
    }
    panels[1].series_count = 8;
    for (int i = 0; i < 3; ++i) {
        panels[2].series[i] =
            (sn_plot_series){of_sweeps[i], m->steps, m->of_step[i], m->step_count, SN_PLOT_CURVE, 1 + i};
    }
    panels[2].series_count = 3;
    return sn_figure_plot(f, "layered-moduli", "Moduli of a bar; dashes: of a long bar, by hand", panels, 3);
}

/* How much stiffer the largest factor makes a bar than the least. */
static double growth(const moduli *m, int way)
{
    return m->of_factor[way][0][m->factor_count - 1] / m->of_factor[way][0][0];
}

static const char *judge_factors(const moduli *m)
{
    const bool is_apart = growth(m, 0) > 3 && growth(m, 1) < 1.5 && growth(m, 2) < 1.2 && growth(m, 3) > 3;
    return is_apart
               ? "Stretch acts along its axis and hardly at\n45 degrees, shear at 45 degrees alone: the two are set "
                 "apart, as the paper says"
               : "Stretch and shear are not set apart";
}

static void say(sn_figures *f, const bar *b, const moduli *m)
{
    const int middle = (m->angle_count - 1) / 2, last = m->angle_count - 1, end = m->step_count - 1;
    const double(*of)[ANGLES] = m->of_angle[FIBRES - 1];
    sn_figure_say(f, "**Paper.** Three coefficients of stretch and three of shear a tet, along the axes of its frame,\n"
                     "make materials stiffer along some directions than others. In PBD stiffness also depends on the\n"
                     "time step, so that the paper keeps one.");
    sn_figure_say(f,
                  "**Here.** Coefficients are moduli in pascals. A bar of %d tets, held at one end, is stretched by\n"
                  "its weight, E = 28 kPa, Poisson's ratio .4; dashes are what a long bar of small strain has, by\n"
                  "hand. With tenfold stretch along the fibres it has %.0f kPa along them (by hand %.0f), %.1f\n"
                  "across (%.1f) and %.1f at %.0f degrees (%.1f). %s.",
                  b->limb.mesh.tet_count, of[0][0], of[1][0], of[0][last], of[1][last], of[0][middle],
                  m->angles[middle], of[1][middle], judge_factors(m));
    sn_figure_say(f,
                  "With constraints of XPBD the modulus does not follow the time step once that is small enough for\n"
                  "the iterations: %.1f kPa with %.0f substeps of one iteration, %.1f with %.0f, %.1f with %.0f;\n"
                  "with 10 iterations %.1f with %.0f and %.1f with %.0f. What iterations leave out makes flesh\n"
                  "softer, for the most part. Bodies take as many substeps as their stiffest coefficient asks for;\n"
                  "the other two panels do.",
                  m->of_step[0][0], m->steps[0], m->of_step[0][end / 2], m->steps[end / 2], m->of_step[0][end],
                  m->steps[end], m->of_step[2][0], m->steps[0], m->of_step[2][end / 2], m->steps[end / 2]);
}

sn_result sn_figure_layered_moduli(sn_figures *f)
{
    sn_arena arena = {0};
    bar b;
    moduli m = {.angle_count = f->is_quick ? 3 : ANGLES,
                .factor_count = f->is_quick ? 2 : FACTORS,
                .step_count = f->is_quick ? 3 : STEPS};
    sn_result result = make_bar(f, &arena, &b);
    if (result == SN_OK) {
        result = measure_angles(&b, &m);
    }
    if (result == SN_OK) {
        result = measure_factors(&b, &m);
    }
    if (result == SN_OK) {
        result = measure_steps(&b, &m);
    }
    if (result == SN_OK) {
        result = plot(f, &m);
        say(f, &b, &m);
    }
    sn_arena_finish(&arena);
    return result;
}

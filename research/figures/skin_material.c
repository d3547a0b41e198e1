/* SPDX-License-Identifier: MIT */
/* Figures 10 and 11: what each parameter of the material does to a strip's motion, and without any dynamics. */
#include <math.h>
#include <stdio.h>

#include "author/fourier/fourier.h"
#include "research/figures/figures.h"

#define POINTS 201
#define VALUE_LIMIT 4
#define PANEL_COUNT 5

/* The paper's strip. It says no thickness; this one gives the first harmonic a stiffness of 5e4. */
#define YOUNG 150.0
#define POISSON 0.3
#define THICKNESS 4.5
#define DENSITY 1050.0
#define DAMPING 0.619

typedef enum parameter {
    PARAMETER_DENSITY,
    PARAMETER_DAMPING,
    PARAMETER_YOUNG,
    PARAMETER_POISSON,
    PARAMETER_STRETCH
} parameter;

static const struct {
    const char *title;
    int count;
    double values[VALUE_LIMIT];
    const char *labels[VALUE_LIMIT];
} parameters[PANEL_COUNT] = {
    {"Density", 4, {262.5, 1050, 4200, 16800}, {"262.5", "1050", "4200", "16800"}},
    {"Damping", 4, {0.619, 2e3, 1.45e4, 1e5}, {"0.619", "2000", "14500 (critical)", "1e5"}},
    {"Young's modulus", 4, {15, 50, 150, 1500}, {"15", "50", "150", "1500"}},
    {"Poisson's ratio", 3, {0, 0.3, 0.49}, {"0", "0.3", "0.49"}},
    {"Stretch", 4, {-5e4, 0, 5e4, 5e5}, {"-5e4", "0", "5e4", "5e5"}},
};

static sn_fourier_mode mode_of(parameter varied, double value)
{
    const double young = varied == PARAMETER_YOUNG ? value : YOUNG;
    const double poisson = varied == PARAMETER_POISSON ? value : POISSON;
    const sn_fourier_material material = {.density = varied == PARAMETER_DENSITY ? value : DENSITY,
                                          .damping = varied == PARAMETER_DAMPING ? value : DAMPING,
                                          .stretch = varied == PARAMETER_STRETCH ? value : 0,
                                          .bending = young * pow(THICKNESS, 3) / (12 * (1 - poisson * poisson))};
    return sn_fourier_mode_of(&material, 1, 1);
}

typedef struct curves {
    double t[POINTS], values[PANEL_COUNT][VALUE_LIMIT][POINTS];
    double apart[PANEL_COUNT][VALUE_LIMIT]; /* from static ones */
} curves;

static sn_result fill(curves *c)
{
    sn_result result = SN_OK;
    for (int p = 0; p < PANEL_COUNT; ++p) {
        for (int v = 0; v < parameters[p].count && result == SN_OK; ++v) {
            const sn_fourier_mode mode = mode_of((parameter)p, parameters[p].values[v]);
            sn_fourier_solution solution;
            result = sn_fourier_solution_init(&mode, &solution);
            c->apart[p][v] = 0;
            for (int k = 0; k < POINTS && result == SN_OK; ++k) {
                c->t[k] = k / (POINTS - 1.0);
                c->values[p][v][k] = sn_fourier_solution_at(&solution, c->t[k]).gamma;
                c->apart[p][v] = fmax(c->apart[p][v], fabs(c->values[p][v][k] - c->t[k]));
            }
            c->apart[p][v] = sn_figure_bound(c->apart[p][v], 2);
        }
    }
    return result;
}

static sn_plot panel_of(const curves *c, int p)
{
    sn_plot panel = {.title = parameters[p].title, .x_label = "t, from shape to shape", .y_label = "of where it ends"};
    for (int v = 0; v < parameters[p].count; ++v) {
        panel.series[panel.series_count++] =
            (sn_plot_series){parameters[p].labels[v], c->t, c->values[p][v], POINTS, SN_PLOT_LINE, v + 1};
    }
    panel.series[panel.series_count++] = (sn_plot_series){"static", c->t, c->t, POINTS, SN_PLOT_DASHES, 7};
    return panel;
}

sn_result sn_figure_skin_material(sn_figures *f)
{
    static curves c;
    sn_plot panels[PANEL_COUNT];
    sn_result result = fill(&c);
    for (int p = 0; p < PANEL_COUNT; ++p) {
        panels[p] = panel_of(&c, p);
    }
    if (result == SN_OK) {
        result =
            sn_figure_plot(f, "skin-material", "Motion of a strip's first harmonic by density and damping", panels, 2);
    }
    if (result == SN_OK) {
        result = sn_figure_plot(f, "skin-material-2", "Motion of a strip's first harmonic by stiffness", panels + 2, 3);
    }
    if (result == SN_OK) {
        sn_figure_say(
            f,
            "**Paper.** Drawn for a strip of skin (Young's modulus 150, Poisson's ratio .3, density 1050, damping\n"
            ".619): density changes how it vibrates, damping overdamps it, its amplitude falls with the modulus, and\n"
            "Poisson's ratio has an effect. Without density and damping it is static, which looks different.");
        sn_figure_say(
            f,
            "**Here.** The same numbers, by seconds, one second from shape to shape, and a thickness of %.1f, which\n"
            "the paper does not say, for the first harmonic to swing once in .9 s; each panel changes one. From a\n"
            "static skin, whose gamma is t whatever its modulus, the strip is away by up to %.2g with a density of\n"
            "262.5, %.2g with 1050, %.2g with 16800; %.2g with critical damping, %.2g with 1e5; %.2g with a modulus "
            "of\n"
            "15, %.2g with 1500; %.2g to %.2g over Poisson's ratios of 0 to .49. That is what the paper draws; it says "
            "no\n"
            "numbers to compare with.",
            THICKNESS, c.apart[0][0], c.apart[0][1], c.apart[0][3], c.apart[1][2], c.apart[1][3], c.apart[2][0],
            c.apart[2][3], fmin(c.apart[3][0], c.apart[3][2]), fmax(c.apart[3][0], c.apart[3][2]));
    }
    return result;
}

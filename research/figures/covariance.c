/* SPDX-License-Identifier: MIT */
/* Figure 8: weights of other covariances of the affine entries, along a bar. */
#include <math.h>

#include "research/figures/bodies.h"

#define MODE_COUNT 4
#define KIND_COUNT 3
#define POINT_LIMIT 128

/* The weights of the vertices on the bar's first edge, in their order along x. */
static int sample_edge(const sn_subject *s, const sn_modes *modes, double *along,
                       double weights[MODE_COUNT][POINT_LIMIT])
{
    double low[3], high[3];
    int count = 0;
    sn_tet_mesh_box(&s->mesh, low, high);
    for (int v = 0; v < s->mesh.vertex_count && count < POINT_LIMIT; ++v) {
        const double *x = s->mesh.positions + 3 * v;
        if (x[1] < low[1] + 1e-9 && x[2] < low[2] + 1e-9) {
            along[count] = x[0];
            for (int k = 0; k < MODE_COUNT; ++k) {
                weights[k][count] = modes->weights[v * MODE_COUNT + k];
            }
            ++count;
        }
    }
    for (int k = 0; k < MODE_COUNT; ++k) {
        double largest = 0;
        for (int i = 0; i < count; ++i) {
            largest = fabs(weights[k][i]) > fabs(largest) ? weights[k][i] : largest;
        }
        for (int i = 0; i < count; ++i) {
            weights[k][i] /= largest;
        }
    }
    return count;
}

/* The share of the weights' square that lies in the middle third; a third would be even. */
static double middle_share(const sn_subject *s, const sn_modes *modes)
{
    double inside = 0, all = 0, low[3], high[3];
    sn_tet_mesh_box(&s->mesh, low, high);
    for (int v = 0; v < s->mesh.vertex_count; ++v) {
        for (int k = 0; k < MODE_COUNT; ++k) {
            const double w = modes->weights[v * MODE_COUNT + k], square = s->mass[v] * w * w;
            inside += fabs(s->mesh.positions[3 * v]) < (high[0] - low[0]) / 6 ? square : 0;
            all += square;
        }
    }
    return inside / all;
}

sn_result sn_figure_covariance(sn_figures *f)
{
    static const double variances[KIND_COUNT][4] = {{0, 0, 0, 1}, {16, 16, 16, 1}, {1, 1, 1, 1e-4}};
    static const char *const titles[KIND_COUNT] = {"Translations alone", "All entries", "Shears and scales"};
    static const char *const labels[MODE_COUNT] = {"mode 1", "mode 2", "mode 3", "mode 4"};
    static double along[POINT_LIMIT], weights[KIND_COUNT][MODE_COUNT][POINT_LIMIT];
    const double origin[3] = {0};
    double shares[KIND_COUNT];
    sn_plot panels[KIND_COUNT];
    sn_arena arena = {0};
    sn_tet_mesh mesh;
    sn_subject subject;
    sn_result result =
        sn_bar_build(f->is_quick ? (const int[]){20, 2, 2} : (const int[]){60, 4, 4}, 0.1, &arena, &mesh);
    if (result == SN_OK) {
        result = sn_subject_build(&mesh, &arena, &subject);
    }
    for (int kind = 0; kind < KIND_COUNT && result == SN_OK; ++kind) {
        sn_modes modes;
        result = sn_covariance_modes(&subject.body, variances[kind], origin, MODE_COUNT, &arena, &modes);
        panels[kind] = (sn_plot){.title = titles[kind], .x_label = "place along the bar", .y_label = "weight"};
        if (result == SN_OK) {
            const int count = sample_edge(&subject, &modes, along, weights[kind]);
            shares[kind] = middle_share(&subject, &modes);
            for (int k = 0; k < MODE_COUNT; ++k) {
                panels[kind].series[panels[kind].series_count++] =
                    (sn_plot_series){labels[k], along, weights[kind][k], count, SN_PLOT_LINE, 0};
            }
        }
    }
    if (result == SN_OK) {
        result = sn_figure_plot(f, "covariance", "Weights along a bar, by covariance", panels, KIND_COUNT);
        sn_figure_say(
            f,
            "**Paper.** Shears and scales depend on the origin: with them, flesh far from it looks stiff, and weights\n"
            "crowd about it. So translations alone are taken.");
        sn_figure_say(f,
                      "**Here.** A bar about the origin, free. Of the first four weights' square, the middle third "
                      "holds %.0f%% with\n"
                      "translations alone, %.0f%% with all entries (shears and scales of 4 to a translation of 1), "
                      "%.0f%% with shears\n"
                      "and scales alone: as the paper says.",
                      100 * shares[0], 100 * shares[1], 100 * shares[2]);
    }
    sn_arena_finish(&arena);
    return result;
}

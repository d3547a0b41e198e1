/* SPDX-License-Identifier: MIT */
/* Equation 24 and appendix A of the analytic skin: gamma(t) in closed form, against integration, and as published. */
#include <math.h>

#include "author/fourier/fourier.h"
#include "research/figures/figures.h"

#define REGIME_COUNT 5
#define PUBLISHED_COUNT 3
#define POINTS 101
#define STEPS 20000 /* of the integration */
#define MARKS 11

static const struct {
    const char *name;
    sn_fourier_mode mode;
} regimes[REGIME_COUNT] = {{"underdamped (1, 0.5, 400)", {1, 0.5, 400}},
                           {"critical (1, 20, 100)", {1, 20, 100}},
                           {"overdamped (1, 60, 100)", {1, 60, 100}},
                           {"growing (1, 0.5, -30)", {1, 0.5, -30}},
                           {"without density (0, 2, 3)", {0, 2, 3}}};

static const struct {
    const char *right, *published;
    sn_fourier_mode mode;
} wrong[PUBLISHED_COUNT] = {{"(1, 0.5, 1)", "published", {1, 0.5, 1}},
                            {"(1, 0.5, 40)", "published", {1, 0.5, 40}},
                            {"(4, 0.5, 40)", "published", {4, 0.5, 40}}};

/* y = r, r' of the response to a ramp, without density r alone. */
static void differentiate(const sn_fourier_mode *m, double t, const double *y, double *rate)
{
    if (m->density == 0) {
        rate[0] = (t - m->stiffness * y[0]) / m->damping;
        rate[1] = 0;
        return;
    }
    rate[0] = y[1];
    rate[1] = (t - m->damping * y[1] - m->stiffness * y[0]) / m->density;
}

static void step(const sn_fourier_mode *m, double t, double dt, double *y)
{
    static const double places[4] = {0, 0.5, 0.5, 1}, shares[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    double rate[2] = {0}, sum[2] = {0};
    for (int k = 0; k < 4; ++k) { /* Runge and Kutta's, of order 4 */
        const double at[2] = {y[0] + places[k] * dt * rate[0], y[1] + places[k] * dt * rate[1]};
        differentiate(m, t + places[k] * dt, at, rate);
        for (int i = 0; i < 2; ++i) {
            sum[i] += shares[k] * rate[i];
        }
    }
    for (int i = 0; i < 2; ++i) {
        y[i] += dt * sum[i];
    }
}

/* gamma (POINTS): the force that makes it end at 1 is a factor, since the equation is linear. */
static void integrate(const sn_fourier_mode *m, double *gamma)
{
    double y[2] = {0};
    gamma[0] = 0;
    for (int i = 0; i < STEPS; ++i) {
        step(m, i / (double)STEPS, 1.0 / STEPS, y);
        if ((i + 1) % (STEPS / (POINTS - 1)) == 0) {
            gamma[(i + 1) / (STEPS / (POINTS - 1))] = y[0];
        }
    }
    for (int k = 0; k < POINTS; ++k) {
        gamma[k] /= y[0];
    }
}

static sn_result solve(const sn_fourier_mode *m, double *gamma)
{
    sn_fourier_solution solution;
    SN_TRY(sn_fourier_solution_init(m, &solution));
    for (int k = 0; k < POINTS; ++k) {
        gamma[k] = sn_fourier_solution_at(&solution, k / (POINTS - 1.0)).gamma;
    }
    return SN_OK;
}

/* Equation A.4's gamma_n, with e^{alpha} in delta_n, without which it would not end at 1. */
static double published(const sn_fourier_mode *m, double t)
{
    const double h = m->stiffness, eta = m->damping, alpha = -eta / (2 * m->density);
    const double beta = alpha * sqrt(4 * h / (eta * eta) - 1);
    const double delta = exp(alpha) * (-eta * beta * cos(beta) + (1 + eta * alpha) * sin(beta)) - beta * (1 - eta / h);
    const double g = exp(alpha * t) * cos(beta * t), other = exp(alpha * t) * sin(beta * t);
    return (-eta * beta * g + (1 + eta * alpha) * other - beta * (t - eta / h)) / delta;
}

typedef struct closed_form {
    double t[POINTS], exact[REGIME_COUNT][POINTS], numeric[REGIME_COUNT][POINTS], apart[REGIME_COUNT][POINTS];
    double marked[2][REGIME_COUNT][MARKS];
    double right[PUBLISHED_COUNT][POINTS], said[PUBLISHED_COUNT][POINTS];
    double largest, wrong[PUBLISHED_COUNT], ends[PUBLISHED_COUNT], starts[PUBLISHED_COUNT];
} closed_form;

static sn_result fill(closed_form *c)
{
    sn_result result = SN_OK;
    for (int k = 0; k < POINTS; ++k) {
        c->t[k] = k / (POINTS - 1.0);
    }
    for (int i = 0; i < REGIME_COUNT && result == SN_OK; ++i) {
        result = solve(&regimes[i].mode, c->exact[i]);
        integrate(&regimes[i].mode, c->numeric[i]);
        for (int k = 0; k < POINTS; ++k) {
            c->apart[i][k] = fabs(c->exact[i][k] - c->numeric[i][k]);
            c->largest = fmax(c->largest, c->apart[i][k]);
        }
        for (int k = 0; k < MARKS; ++k) {
            c->marked[0][i][k] = c->t[10 * k];
            c->marked[1][i][k] = c->numeric[i][10 * k];
        }
    }
    for (int i = 0; i < PUBLISHED_COUNT && result == SN_OK; ++i) {
        result = solve(&wrong[i].mode, c->right[i]);
        for (int k = 0; k < POINTS; ++k) {
            c->said[i][k] = published(&wrong[i].mode, c->t[k]);
            c->wrong[i] = fmax(c->wrong[i], fabs(c->said[i][k] - c->right[i][k]));
        }
    }
    return result;
}

static sn_result draw(sn_figures *f, const closed_form *c)
{
    sn_plot panels[3] = {
        {.title = "gamma(t); dots: integrated", .x_label = "t", .y_label = "gamma"},
        {.title = "Closed form from integration", .x_label = "t", .y_label = "distance, from 1e-17 on"},
        {.title = "As published (dashed), and right", .x_label = "t", .y_label = "gamma"}};
    for (int i = 0; i < REGIME_COUNT; ++i) {
        panels[0].series[panels[0].series_count++] =
            (sn_plot_series){regimes[i].name, c->t, c->exact[i], POINTS, SN_PLOT_LINE, i + 1};
        panels[1].series[panels[1].series_count++] =
            (sn_plot_series){regimes[i].name, c->t, c->apart[i], POINTS, SN_PLOT_LINE, i + 1};
    }
    for (int i = 0; i < REGIME_COUNT; ++i) {
        panels[0].series[panels[0].series_count++] =
            (sn_plot_series){NULL, c->marked[0][i], c->marked[1][i], MARKS, SN_PLOT_POINTS, i + 1};
    }
    panels[1].is_y_log = true;
    panels[1].y_least = 1e-17;
    for (int i = 0; i < PUBLISHED_COUNT; ++i) {
        panels[2].series[panels[2].series_count++] =
            (sn_plot_series){wrong[i].right, c->t, c->right[i], POINTS, SN_PLOT_LINE, i + 1};
        panels[2].series[panels[2].series_count++] =
            (sn_plot_series){wrong[i].published, c->t, c->said[i], POINTS, SN_PLOT_DASHES, i + 1};
    }
    return sn_figure_plot(f, "closed-form", "gamma in closed form, integrated, and as published", panels, 3);
}

sn_result sn_figure_closed_form(sn_figures *f)
{
    static closed_form c;
    c = (closed_form){.largest = 0};
    SN_TRY(fill(&c));
    SN_TRY(draw(f, &c));
    sn_figure_say(f, "**Paper.** Between two shapes a harmonic's displacement is gamma(t) times where it ends, in\n"
                     "closed form; appendix A has gamma for roots that are complex.");
    sn_figure_say(f,
                  "**Here.** Numbers in brackets are density, damping and stiffness, the time from shape to shape\n"
                  "being 1. All cases of roots have a closed form here; each is within %.0e of an integration in\n"
                  "%d steps of order 4.",
                  sn_figure_bound(c.largest, 1), STEPS);
    sn_figure_say(
        f,
        "The published gamma_n is right for a stiffness and a density of 1 alone: it is off by up to %.0e, %.2g\n"
        "and %.2g in the three cases that are drawn. Its numerator has 1 in place of the stiffness, and its "
        "frequency\n"
        "leaves the density out; e^alpha in delta_n is printed with t, which we have read as 1 here, and the\n"
        "rate that a skin begins with, which equation 17 has, is in no formula. We use none of them as printed.",
        sn_figure_bound(c.wrong[0], 1), sn_figure_bound(c.wrong[1], 2), sn_figure_bound(c.wrong[2], 2));
    return SN_OK;
}

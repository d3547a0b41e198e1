/* SPDX-License-Identifier: MIT */
/* One mode in closed form. With the roots z of density z^2 + damping z + stiffness, r and s are divided differences of
 * e^{zt}: s = exp[high, low], density r' = exp[0, high, low], density r = exp[0, 0, high, low]. Three formulas are
 * used, each where the others suffer from cancellation: differences of phi functions for separated roots, the textbook
 * form with cosine or cosh for near or complex roots, and the power series for short times. All results are divided by
 * e^growth, so that growing modes do not overflow. */
#include <math.h>

#include "author/fourier/fourier.h"

#define SERIES_TERMS 40

/* r, r', s, s', divided by e^growth. */
typedef struct responses {
    double ramp, ramp_rate, impulse, impulse_rate;
} responses;

/* (e^x - 1) / x, divided by e^growth. */
static double phi1(double x, double growth)
{
    if (fabs(x) < 1e-300) {
        return exp(-growth);
    }
    return x > 1 ? (exp(x - growth) - exp(-growth)) / x : exp(-growth) * (expm1(x) / x);
}

/* (e^x - 1 - x) / x^2, divided by e^growth. */
static double phi2(double x, double growth)
{
    if (fabs(x) < 0.5) {
        double term = 0.5, sum = 0.5;
        for (int k = 3; k < 20; ++k) {
            term *= x / k;
            sum += term;
        }
        return exp(-growth) * sum;
    }
    return x > 1 ? ((exp(x - growth) - exp(-growth)) / x - exp(-growth)) / x : exp(-growth) * (expm1(x) / x - 1) / x;
}

/* Sums the power series: a_{k+2} = -(damping (k+1) a_{k+1} + stiffness a_k) / (density (k+2) (k+1)), with t^k included
 * in the terms. */
static double sum_series(const sn_fourier_solution *s, double t, int first, double head, double *rate)
{
    const double drag = s->damping / s->density * t, pull = s->stiffness / s->density * t * t;
    double previous = 0, term = head, sum = head;
    *rate = first * head;
    for (int k = first - 1; k < SERIES_TERMS; ++k) {
        const double next = -(drag * (k + 1) * term + pull * previous) / ((k + 2) * (k + 1.0));
        previous = term;
        term = next;
        sum += term;
        *rate += (k + 2) * term;
    }
    *rate = t > 0 ? *rate / t : 0;
    return sum;
}

static responses by_series(const sn_fourier_solution *s, double t)
{
    const double scale = exp(-s->growth);
    responses r;
    r.ramp = scale * sum_series(s, t, 3, t * t * t / (6 * s->density), &r.ramp_rate);
    r.impulse = scale * sum_series(s, t, 1, t, &r.impulse_rate);
    r.ramp_rate *= scale;
    r.impulse_rate = t > 0 ? scale * r.impulse_rate : scale;
    return r;
}

/* Returns e^{alpha t} sin(beta t) / beta, or sinh for real roots; *cosine: the same with the cosine. Divided by
 * e^growth. */
static double damped_sine(const sn_fourier_solution *s, double t, double *cosine)
{
    if (s->type == SN_FOURIER_OSCILLATING) {
        const double envelope = exp(s->alpha * t);
        *cosine = envelope * cos(s->beta * t);
        return envelope * sin(s->beta * t) / s->beta;
    }
    const double high = exp(s->root_high * t - s->growth), x = 2 * s->beta * t;
    *cosine = 0.5 * high * (1 + exp(-x));
    return x > 0 ? high * (-expm1(-x) / (2 * s->beta)) : high * t;
}

static responses by_textbook(const sn_fourier_solution *s, double t)
{
    double cosine;
    const double sine = damped_sine(s, t, &cosine), h = s->stiffness, eta = s->damping;
    return (responses){.ramp = (h * t - eta + eta * cosine - (h + s->alpha * eta) * sine) / (h * h),
                       .ramp_rate = (1 - cosine + s->alpha * sine) / h,
                       .impulse = sine,
                       .impulse_rate = cosine + s->alpha * sine};
}

static responses by_differences(const sn_fourier_solution *s, double t)
{
    const double high = s->root_high * t, low = s->root_low * t, width = 2 * s->beta * s->density;
    double cosine;
    return (responses){.ramp = t * t * (phi2(high, s->growth) - phi2(low, s->growth)) / width,
                       .ramp_rate = t * (phi1(high, s->growth) - phi1(low, s->growth)) / width,
                       .impulse = damped_sine(s, t, &cosine),
                       .impulse_rate =
                           (s->root_high * exp(high - s->growth) - s->root_low * exp(low - s->growth)) / (2 * s->beta)};
}

static responses evaluate(const sn_fourier_solution *s, double t)
{
    if (s->type == SN_FOURIER_STATIC) {
        return (responses){.ramp = t, .ramp_rate = 1};
    }
    if (s->type == SN_FOURIER_FIRST_ORDER) {
        const double x = s->root_high * t;
        return (responses){.ramp = t * t * phi2(x, s->growth) / s->damping,
                           .ramp_rate = t * phi1(x, s->growth) / s->damping};
    }
    if (s->damping * t + fabs(s->stiffness) * t * t <= s->density) {
        return by_series(s, t);
    }
    return s->type == SN_FOURIER_SEPARATED ? by_differences(s, t) : by_textbook(s, t);
}

/* Computes the roots. Real roots are well separated if they differ by more than 1/3 of the larger sum. */
static void find_roots(sn_fourier_solution *s)
{
    if (s->density == 0) {
        s->type = s->damping == 0 ? SN_FOURIER_STATIC : SN_FOURIER_FIRST_ORDER;
        s->root_high = s->damping == 0 ? 0 : -s->stiffness / s->damping;
    } else {
        const double discriminant = s->damping * s->damping - 4 * s->density * s->stiffness;
        const double width = sqrt(fabs(discriminant));
        s->alpha = -s->damping / (2 * s->density);
        s->beta = width / (2 * s->density);
        s->type = discriminant < 0                            ? SN_FOURIER_OSCILLATING
                  : s->beta < -0.5 * s->alpha || s->beta == 0 ? SN_FOURIER_CRITICAL
                                                              : SN_FOURIER_SEPARATED;
        s->root_high = s->damping + width > 0 ? -2 * s->stiffness / (s->damping + width) : 0;
        s->root_low = s->alpha - s->beta;
    }
    s->growth = s->type == SN_FOURIER_OSCILLATING ? 0 : fmax(s->root_high, 0);
}

/* Returns whether the solution is finite. */
static bool solve(const sn_fourier_mode *mode, sn_fourier_solution *solution)
{
    const double max_coefficient = fmax(fmax(mode->density, mode->damping), fabs(mode->stiffness));
    const double unit = max_coefficient > 0 ? max_coefficient : 1;
    *solution = (sn_fourier_solution){
        .density = mode->density / unit, .damping = mode->damping / unit, .stiffness = mode->stiffness / unit};
    find_roots(solution);
    const responses end = evaluate(solution, 1);
    solution->ramp_end = end.ramp;
    solution->impulse_end = end.impulse;
    return isfinite(solution->beta) && isfinite(solution->root_high) && isfinite(end.ramp) && end.ramp > 0;
}

static bool is_finite(const sn_fourier_mode *mode)
{
    return isfinite(mode->density) && isfinite(mode->damping) && isfinite(mode->stiffness);
}

bool sn_fourier_mode_is_in_range(const sn_fourier_mode *mode)
{
    sn_fourier_solution solution;
    return is_finite(mode) && mode->density >= 0 && mode->damping >= 0 && solve(mode, &solution);
}

sn_result sn_fourier_solution_init(const sn_fourier_mode *mode, sn_fourier_solution *solution)
{
    if (!is_finite(mode)) {
        return sn_fail_within(SN_ERROR_ARGUMENT, "a mode of density %g, damping %g, stiffness %g: not finite",
                              mode->density, mode->damping, mode->stiffness);
    }
    if (mode->density < 0 || mode->damping < 0) {
        return sn_fail_within(SN_ERROR_ARGUMENT, "a mode of density %g and damping %g: neither may be negative",
                              mode->density, mode->damping);
    }
    return solve(mode, solution)
               ? SN_OK
               : sn_fail_within(SN_ERROR_ARGUMENT, "a mode of density %g, damping %g, stiffness %g: out of range",
                                mode->density, mode->damping, mode->stiffness);
}

/* Computes sigma of a growing mode as (s(t) r(1) - r(t) s(1)) / r(1), expanded analytically, because both terms are of
 * size e^{2 growth}. With stiffness h and damping d, h^2 times the numerator is (h - d) s(t) - (h t - d) s(1) - d e^{2
 * alpha t} s(1 - t). */
static void find_sigma_of_growth(const sn_fourier_solution *s, double t, const responses *current,
                                 sn_fourier_response *out)
{
    const double h = s->stiffness, d = s->damping, end = s->impulse_end;
    const double remainder = exp(s->root_low * t) * -expm1(-2 * s->beta * (1 - t)) / (2 * s->beta);
    const double remainder_rate = s->root_low * remainder - exp(s->root_low * t - 2 * s->beta * (1 - t));
    out->sigma = ((h - d) * current->impulse - (h * t - d) * end - d * remainder) / (h * h) / s->ramp_end;
    out->sigma_rate = ((h - d) * current->impulse_rate - h * end - d * remainder_rate) / (h * h) / s->ramp_end;
}

sn_fourier_response sn_fourier_solution_at(const sn_fourier_solution *s, double t)
{
    SN_ASSERT(t >= 0 && t <= 1);
    const responses current = evaluate(s, t);
    sn_fourier_response out = {.gamma = current.ramp / s->ramp_end, .gamma_rate = current.ramp_rate / s->ramp_end};
    if (s->density == 0) {
        return out;
    }
    if (s->growth > 1) {
        find_sigma_of_growth(s, t, &current, &out);
    } else {
        const double scale = exp(s->growth);
        out.sigma = scale * (current.impulse - out.gamma * s->impulse_end);
        out.sigma_rate = scale * (current.impulse_rate - out.gamma_rate * s->impulse_end);
    }
    return out;
}

void sn_fourier_impulse_at(const sn_fourier_solution *s, double t, double *value, double *rate)
{
    SN_ASSERT(t >= 0 && t <= 1);
    const responses current = evaluate(s, t);
    *value = current.impulse * exp(s->growth);
    *rate = current.impulse_rate * exp(s->growth);
}

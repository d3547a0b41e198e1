/* SPDX-License-Identifier: MIT */
/* Optimises durations. An interval's part of the objective depends only on its own duration, so two additional
 * evaluations give all first and second derivatives by central differences, including the change of the projections.
 * (In the authors' program, the paper's (13) has the derivative of the tangent with the wrong sign and omits the change
 * of the projections.) */
#include "author/spacetime/timing.h"

#include <math.h>
#include <string.h>

#define STEP 1e-3        /* relative to a duration */
#define SHRINK_LIMIT 0.4 /* max. relative change of a duration in one step */
#define HALVING_LIMIT 10
/* If the sum may change, durations stay between 1/3 and 3 times their input values. The inertial part of the objective
 * falls with the cube of an interval's length, so without gravity or fixed shapes durations would grow without bound.
 */
#define RANGE 3

/* Computes W_i of each interval with durations scaled by 1 + share. */
static void measure(sn_spacetime_problem *p, const double *durations, double fraction, double *parts)
{
    const int intervals = p->trajectory.key_count - 1;
    for (int i = 0; i < intervals; ++i) {
        p->trajectory.durations[i] = durations[i] * (1 + fraction);
        parts[i] = 0;
    }
    sn_spacetime_evaluate(p);
    for (int s = 0; s < p->trajectory.sample_count; ++s) {
        parts[p->trajectory.intervals[s]] += sn_spacetime_trajectory_weight(&p->trajectory, s) * p->objectives[s];
    }
}

/* Newton step if the curvature is positive, otherwise 10% of the duration downhill. */
static double newton(double slope, double curvature, double duration)
{
    return curvature > 0 ? -slope / curvature : slope > 0 ? -0.1 * duration : slope < 0 ? 0.1 * duration : 0;
}

/* Computes steps (count) of intervals with a duration. `curvatures` is replaced by magnitudes. */
static void choose_steps(sn_spacetime_timing timing, int count, const double *durations, const double *slopes,
                         double *curvatures, double *steps)
{
    double slope = 0, curvature = 0, total = 0, inverse = 0, slope_sum = 0;
    int interval_count = 0;
    for (int i = 0; i < count; ++i) {
        if (durations[i] > 0) {
            slope += slopes[i];
            curvature += curvatures[i];
            total += durations[i];
            ++interval_count;
            curvatures[i] = fmax(fabs(curvatures[i]), 1e-12 * fabs(slopes[i]) / durations[i] + 1e-300);
            inverse += 1 / curvatures[i];
            slope_sum += slopes[i] / curvatures[i];
        }
    }
    for (int i = 0; i < count; ++i) {
        if (!(durations[i] > 0)) {
            steps[i] = 0;
        } else if (timing == SN_SPACETIME_TIMES_UNIFORM) {
            steps[i] = newton(slope, curvature, total / interval_count);
        } else if (timing == SN_SPACETIME_TOTAL_FIXED) {
            steps[i] = (slope_sum / inverse - slopes[i]) / curvatures[i]; /* a Lagrange multiplier makes their sum 0 */
        } else {
            steps[i] = -slopes[i] / curvatures[i];
        }
    }
}

/* Returns the largest fraction of the steps that no interval limits. */
static double max_fraction(int count, const double *durations, const double *steps)
{
    double fraction = 1;
    for (int i = 0; i < count; ++i) {
        if (fabs(steps[i]) > SHRINK_LIMIT * durations[i]) {
            fraction = fmin(fraction, SHRINK_LIMIT * durations[i] / fabs(steps[i]));
        }
    }
    return fraction;
}

/* Clamps the common change so that no duration leaves its range. */
static void clamp_uniform(const sn_spacetime_problem *p, const double *durations, double *steps)
{
    double low = -INFINITY, high = INFINITY;
    for (int i = 0; i + 1 < p->trajectory.key_count; ++i) {
        const double input_duration = p->input->keys[i].duration;
        if (durations[i] > 0) {
            low = fmax(low, fmin(input_duration / RANGE - durations[i], 0));
            high = fmin(high, fmax(RANGE * input_duration - durations[i], 0));
        }
    }
    for (int i = 0; i + 1 < p->trajectory.key_count; ++i) {
        steps[i] = durations[i] > 0 ? fmin(fmax(steps[i], low), high) : 0;
    }
}

static void move_durations(sn_spacetime_problem *p, const double *durations, const double *steps, double fraction)
{
    for (int i = 0; i + 1 < p->trajectory.key_count; ++i) {
        double *duration = &p->trajectory.durations[i];
        *duration = durations[i] + fraction * steps[i];
        if (p->desc->timing == SN_SPACETIME_TIMES_FREE) {
            const double input_duration = p->input->keys[i].duration;
            *duration = fmin(fmax(*duration, input_duration / RANGE), RANGE * input_duration);
        }
    }
}

static void search(sn_spacetime_problem *p, const double *durations, const double *steps, double *objective,
                   double *change)
{
    const int count = p->trajectory.key_count - 1;
    double fraction = max_fraction(count, durations, steps);
    for (int halving = 0; halving < HALVING_LIMIT; ++halving, fraction /= 2) {
        move_durations(p, durations, steps, fraction);
        const double new_objective = sn_spacetime_evaluate(p);
        if (new_objective < *objective) {
            *objective = new_objective;
            for (int i = 0; i < count; ++i) {
                const double step = fabs(p->trajectory.durations[i] - durations[i]);
                *change = durations[i] > 0 ? fmax(*change, step / durations[i]) : *change;
            }
            return;
        }
    }
    memcpy(p->trajectory.durations, durations, (size_t)count * sizeof *durations);
    sn_spacetime_evaluate(p);
}

sn_result sn_spacetime_retime(sn_spacetime_problem *p, double *objective, double *change)
{
    sn_arena scratch = {0};
    const int count = p->trajectory.key_count - 1;
    double *durations = SN_NEW(&scratch, double, count), *steps = SN_NEW(&scratch, double, count);
    double *parts[3];
    bool is_ok = durations && steps;
    for (int k = 0; k < 3; ++k) {
        parts[k] = SN_NEW(&scratch, double, count);
        is_ok = is_ok && parts[k];
    }
    *change = 0;
    if (is_ok) {
        memcpy(durations, p->trajectory.durations, (size_t)count * sizeof *durations);
        for (int k = 0; k < 3; ++k) {
            measure(p, durations, (k - 1) * STEP, parts[k]);
        }
        for (int i = 0; i < count; ++i) {
            const double h = STEP * durations[i];
            const double slope = durations[i] > 0 ? (parts[2][i] - parts[0][i]) / (2 * h) : 0;
            parts[1][i] = durations[i] > 0 ? (parts[2][i] - 2 * parts[1][i] + parts[0][i]) / (h * h) : 0;
            parts[0][i] = slope;
        }
        choose_steps(p->desc->timing, count, durations, parts[0], parts[1], steps);
        if (p->desc->timing == SN_SPACETIME_TIMES_UNIFORM) {
            clamp_uniform(p, durations, steps);
        }
        search(p, durations, steps, objective, change);
    }
    sn_arena_finish(&scratch);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

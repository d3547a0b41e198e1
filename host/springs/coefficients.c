/* SPDX-License-Identifier: MIT */
/* Step coefficients for any step length.
 *
 * Let y be the tail's displacement across its bone, x that of the rest position g to which stiffness and gravity pull
 * it, L the bone's length and c the pull per frame. For small swings VRM's frame is y' = (1 - q) x' + q (y + k (y -
 * y_before)), with k = 1 - drag and q = L / (L + c), because the length is restored after the pull. Its characteristic
 * polynomial z^2 - q (1 + k) z + q k has roots a and b. A step of t frames must have the roots a^t and b^t: it then
 * samples the same swing more often. Their product and sum determine k and q of the step, and q determines its pull.
 *
 * The response to a driving motion x must match VRM's as well, at least where x changes slowly: its delay in a steady
 * motion is q (1 - k) / (1 - q) frames. A step that only matches the roots has a larger delay. Therefore the step also
 * moves the tail by a fraction (follow) of the displacement of g in the step, and by another one (bend) of the change
 * of that displacement. They are chosen so that both responses to x = exp(s time) have the same value, slope and
 * curvature at s = 0. */
#include <math.h>

#include "host/springs/springs.h"

#define MAX_FORCE_FACTOR 1e9 /* moves directly to the rest position */
#define NO_PULL 1e-7         /* relative to the length: below, q rounds to 1, and its limit is used */

/* z^2 - (a + b) z + a b with roots a and b; (1 - a exp(-s t)) (1 - b exp(-s t)) = constant + slope s + .... For small
 * pulls the roots are near 1, where 1 - a and 1 - b have more significant digits than a and b. */
typedef struct recurrence {
    double constant, fall, product; /* (1 - a) (1 - b), a (1 - b) + b (1 - a), a b */
    double slope, curvature;
} recurrence;

static recurrence expand(double constant, double fall, double product, double t)
{
    return (recurrence){.constant = constant,
                        .fall = fall,
                        .product = product,
                        .slope = fall * t,
                        .curvature = (product - fall / 2) * t * t};
}

/* Logarithms of both roots, or of their modulus and their angle. */
typedef struct roots {
    bool is_oscillating;
    double larger, smaller; /* complex roots: log of the modulus, and the angle */
} roots;

/* complement: 1 - root. */
static double log_of(double root, double rest)
{
    return rest < 0.5 ? log1p(-rest) : log(root);
}

static roots find_roots(double drag, double pull)
{
    const double k = 1 - drag, q = 1 / (1 + pull), half = q * (1 + k) / 2;
    const double square = drag * drag / 4 - k * pull, distance = q * sqrt(fabs(square));
    if (square < 0) {
        return (roots){true, (log1p(-drag) - log1p(pull)) / 2, atan2(distance, half)};
    }
    const double larger = half + distance, rest = q * (pull + drag / 2) + distance; /* 1 - smaller root */
    return (roots){false, log_of(larger, q * pull / rest), log_of(q * k / larger, rest)};
}

/* The recurrence of the t-th powers of the roots. */
static recurrence raise_roots(const roots *r, double t)
{
    const double rest = -expm1(t * r->larger), larger = 1 - rest;
    if (r->is_oscillating) {
        const double angle = t * r->smaller, half = sin(angle / 2), versine = 2 * half * half; /* 1 - cosine */
        return expand(rest * rest + 2 * larger * versine, 2 * larger * (rest - versine), larger * larger, t);
    }
    const double smaller_complement = -expm1(t * r->smaller), smaller = exp(t * r->smaller);
    return expand(rest * smaller_complement, larger * smaller_complement + smaller * rest, larger * smaller, t);
}

/* Steps of more than one frame are too long for a swing; they come to rest at the same rate. */
static sn_spring_coefficients overdamped_coefficients(const roots *frame, double t, double pull)
{
    return (sn_spring_coefficients){.force_factor = fmin(expm1(-t * frame->larger) / pull, MAX_FORCE_FACTOR / pull)};
}

sn_spring_coefficients sn_spring_compute_coefficients(double t, double drag, double pull)
{
    const double k = 1 - drag, q = 1 / (1 + pull);
    if (t == 1) {
        return (sn_spring_coefficients){.inertia_factor = k, .force_factor = 1};
    }
    if (!(pull > NO_PULL)) {
        const double inertia_factor = pow(k, t);
        return (sn_spring_coefficients){.inertia_factor = inertia_factor,
                                        .force_factor = k < 1 ? t * (1 - inertia_factor) / (1 - k) : t * t};
    }
    const roots roots_of_frame = find_roots(drag, pull);
    if (t > 1) {
        return overdamped_coefficients(&roots_of_frame, t, pull);
    }
    const recurrence frame = expand(q * pull, q * drag, q * k, 1), step = raise_roots(&roots_of_frame, t);
    const double q_t = step.fall + step.product, ratio = step.constant / frame.constant;
    const double slope = step.slope - ratio * frame.slope;
    const double curvature = step.curvature - ratio * frame.curvature - slope * frame.slope / frame.constant;
    const double follow_factor = slope / (q_t * t);
    return (sn_spring_coefficients){.inertia_factor = fmin(step.product / q_t, 1),
                                    .force_factor = step.constant / (q_t * pull),
                                    .follow_factor = follow_factor,
                                    .follow_change_factor = curvature / (q_t * t * t) + follow_factor / 2};
}

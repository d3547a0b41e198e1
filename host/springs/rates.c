/* SPDX-License-Identifier: MIT */
/* One set of numbers for steps of any length.
 *
 * Let y be a tail's way across its bone, x that of the place g that stiffness and gravity pull it to, L the bone's
 * length and c the way that they pull in a frame. For small swings VRM's frame is y' = (1 - q) x' + q (y + k (y -
 * y_before)), k = 1 - drag, q = L / (L + c), as the length is put right after the pull: with the roots a, b of z^2 - q
 * (1 + k) z + q k. A step of t frames is to have the roots a^t, b^t: then the swing is the same one, sampled more
 * often. Their product and sum give k and q of the step, and q gives its pull.
 *
 * Driven by x, it should go as VRM's does, too, at least where x changes slowly: that falls behind a steady motion by
 * q (1 - k) / (1 - q) frames. A step that had only the roots would fall behind farther. So it takes the tail along by a
 * share of the way of g in the step, and by one of how that has changed: two numbers, by which both responses to
 * x = exp(s time) have the same value, slope and curvature at s = 0. */
#include <math.h>

#include "host/springs/springs.h"

#define MOST_KICK 1e9 /* straight to where it is pulled */
#define NO_PULL 1e-7  /* of the length: q is 1 but for rounding, and its limit stands in */

/* z^2 - (a + b) z + a b, of roots a and b; (1 - a exp(-s t)) (1 - b exp(-s t)) begins with constant + slope s. Near 1,
 * as the roots are of a small pull, 1 - a and 1 - b say more than a and b do: all is told by them. */
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

/* Logarithms of the roots: of both, or of their modulus and their angle. */
typedef struct roots {
    bool is_turning;
    double larger, smaller; /* turning: the modulus's, the angle */
} roots;

/* rest: 1 - root. */
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
    const double larger = half + distance, rest = q * (pull + drag / 2) + distance; /* of the smaller, up to 1 */
    return (roots){false, log_of(larger, q * pull / rest), log_of(q * k / larger, rest)};
}

/* The powers of the roots. */
static recurrence raise(const roots *r, double t)
{
    const double rest = -expm1(t * r->larger), larger = 1 - rest;
    if (r->is_turning) {
        const double angle = t * r->smaller, half = sin(angle / 2), apart = 2 * half * half; /* 1 - cosine */
        return expand(rest * rest + 2 * larger * apart, 2 * larger * (rest - apart), larger * larger, t);
    }
    const double rest_of_smaller = -expm1(t * r->smaller), smaller = exp(t * r->smaller);
    return expand(rest * rest_of_smaller, larger * rest_of_smaller + smaller * rest, larger * smaller, t);
}

/* Too long for a swing: it comes to rest as fast. */
static sn_spring_rates rest_of(const roots *frame, double t, double pull)
{
    return (sn_spring_rates){.kick = fmin(expm1(-t * frame->larger) / pull, MOST_KICK / pull)};
}

sn_spring_rates sn_spring_rates_of(double t, double drag, double pull)
{
    const double k = 1 - drag, q = 1 / (1 + pull);
    if (t == 1) {
        return (sn_spring_rates){.keep = k, .kick = 1};
    }
    if (!(pull > NO_PULL)) {
        const double keep = pow(k, t);
        return (sn_spring_rates){.keep = keep, .kick = k < 1 ? t * (1 - keep) / (1 - k) : t * t};
    }
    const roots roots_of_frame = find_roots(drag, pull);
    if (t > 1) {
        return rest_of(&roots_of_frame, t, pull);
    }
    const recurrence frame = expand(q * pull, q * drag, q * k, 1), step = raise(&roots_of_frame, t);
    const double q_t = step.fall + step.product, share = step.constant / frame.constant;
    const double slope = step.slope - share * frame.slope;
    const double curvature = step.curvature - share * frame.curvature - slope * frame.slope / frame.constant;
    const double follow = slope / (q_t * t);
    return (sn_spring_rates){.keep = fmin(step.product / q_t, 1),
                             .kick = step.constant / (q_t * pull),
                             .follow = follow,
                             .bend = curvature / (q_t * t * t) + follow / 2};
}

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

/* z^2 - sum z + product; the series of 1 - sum exp(-s t) + product exp(-2 s t) begins with constant + slope s. */
typedef struct recurrence {
    double sum, product, constant, slope, curvature;
} recurrence;

static recurrence expand(double sum, double product, double t)
{
    return (recurrence){.sum = sum,
                        .product = product,
                        .constant = 1 - sum + product,
                        .slope = (sum - 2 * product) * t,
                        .curvature = (2 * product - sum / 2) * t * t};
}

/* The powers of the roots. */
static recurrence raise(const recurrence *r, double t)
{
    const double half = r->sum / 2, square = half * half - r->product, product = pow(r->product, t);
    if (square < 0) {
        return expand(2 * sqrt(product) * cos(t * acos(fmin(half / sqrt(r->product), 1))), product, t);
    }
    return expand(pow(half + sqrt(square), t) + pow(fmax(half - sqrt(square), 0), t), product, t);
}

/* Too long for a swing: it comes to rest as fast. */
static sn_spring_rates rest_of(const recurrence *frame, double t, double pull)
{
    const double half = frame->sum / 2, square = half * half - frame->product;
    const double left = pow(square < 0 ? sqrt(frame->product) : half + sqrt(square), t);
    return (sn_spring_rates){.kick = fmin((1 / left - 1) / pull, MOST_KICK / pull)};
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
    const recurrence frame = expand(q * (1 + k), q * k, 1), step = raise(&frame, t);
    if (t > 1) {
        return rest_of(&frame, t, pull);
    }
    const double q_t = step.sum - step.product, share = step.constant / frame.constant;
    const double slope = step.slope - share * frame.slope;
    const double curvature = step.curvature - share * frame.curvature - slope * frame.slope / frame.constant;
    const double follow = slope / (q_t * t);
    return (sn_spring_rates){.keep = fmin(step.product / q_t, 1),
                             .kick = fmax((1 / q_t - 1) / pull, 0),
                             .follow = follow,
                             .bend = curvature / (q_t * t * t) + follow / 2};
}

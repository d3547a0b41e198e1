/* SPDX-License-Identifier: MIT */
/* Monotone cubic Hermite splines (Fritsch and Carlson): smooth, and without overshoot between keys. */
#ifndef SN_AUTHOR_MOTIONS_MONOTONE_CUBIC_H
#define SN_AUTHOR_MOTIONS_MONOTONE_CUBIC_H

/* The slope at a key between the secants on its two sides: 0 at an extremum. */
static inline double sn_monotone_slope(double previous, double next)
{
    return previous * next <= 0 ? 0 : 2 * previous * next / (previous + next);
}

/* The cubic over an interval of this width, with values and slopes at its ends; t is 0 .. 1. */
static inline double sn_hermite(double t, double width, const double values[2], const double slopes[2])
{
    const double t2 = t * t, t3 = t2 * t;
    return (2 * t3 - 3 * t2 + 1) * values[0] + (t3 - 2 * t2 + t) * width * slopes[0] + (3 * t2 - 2 * t3) * values[1] +
           (t3 - t2) * width * slopes[1];
}

#endif

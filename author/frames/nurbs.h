/* SPDX-License-Identifier: MIT */
/* Rational B-spline curves in space (Piegl and Tiller, The NURBS Book, 1997). */
#ifndef SN_AUTHOR_FRAMES_NURBS_H
#define SN_AUTHOR_FRAMES_NURBS_H

#include <stdbool.h>

#include "host/base/arena.h"

#define SN_NURBS_DEGREE_LIMIT 7

typedef struct sn_nurbs {
    int degree; /* 1 .. SN_NURBS_DEGREE_LIMIT */
    int point_count;
    const double *points;  /* (point_count x 3) control points */
    const double *weights; /* (point_count) > 0 */
    const double *knots;   /* (point_count + degree + 1) ascending */
} sn_nurbs;

/* What is wrong with it, or null: fewer points than degree + 1, weights that are not positive, knots that descend, or
 * of which more than degree + 1 at an end, degree between, are one, so that the curve is torn; a range of no length. */
const char *sn_nurbs_fault(const sn_nurbs *curve);

/* Clamped knots at even distances: the curve begins and ends at its outer control points, u in [0, 1]. knots
 * (point_count + degree + 1). */
void sn_nurbs_clamped_knots(int degree, int point_count, double *knots);

/* Where the curve is at u, and its derivative there (3 each; or null), by de Boor's algorithm in homogeneous
 * coordinates. u is taken into the curve's range. The curve has no fault. */
void sn_nurbs_evaluate(const sn_nurbs *curve, double u, double *point, double *derivative);

/* A curve as places along it. */
typedef struct sn_nurbs_samples {
    int count;        /* >= 2 */
    double *points;   /* (count x 3) */
    double *tangents; /* (count x 3) unit */
} sn_nurbs_samples;

/* Both ends, and places between, of each span of knots as many as keep them about `spacing` apart, 8 to 128. */
sn_result sn_nurbs_sample(const sn_nurbs *curve, double spacing, sn_arena *arena, sn_nurbs_samples *samples);

#endif

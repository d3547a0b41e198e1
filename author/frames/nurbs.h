/* SPDX-License-Identifier: MIT */
/* Rational B-spline curves in space (Piegl and Tiller, The NURBS Book, 1997). */
#ifndef SN_AUTHOR_FRAMES_NURBS_H
#define SN_AUTHOR_FRAMES_NURBS_H

#include <stdbool.h>

#include "host/base/arena.h"

#define SN_NURBS_DEGREE_LIMIT 7

typedef struct sn_nurbs {
    int degree; /* 1 to SN_NURBS_DEGREE_LIMIT */
    int point_count;
    const double *points;  /* (point_count x 3) control points */
    const double *weights; /* (point_count) > 0 */
    const double *knots;   /* (point_count + degree + 1) ascending */
} sn_nurbs;

/* Returns a description of what is wrong with the curve, or null if it is valid. Checks: enough points for the degree,
 * positive weights, ascending knots of nonzero range, and knot multiplicity of at most degree + 1 at the ends and
 * degree in between, so that the curve is continuous. */
const char *sn_nurbs_fault(const sn_nurbs *curve);

/* Computes uniform clamped knots (point_count + degree + 1) in [0, 1]. The curve starts and ends at its outer control
 * points. */
void sn_nurbs_clamped_knots(int degree, int point_count, double *knots);

/* Computes the curve's position and its derivative (3 each; derivative may be null) at u by de Boor's algorithm in
 * homogeneous coordinates. u is clamped to the curve's range. The curve must be valid. */
void sn_nurbs_evaluate(const sn_nurbs *curve, double u, double *point, double *derivative);

/* Samples along a curve. */
typedef struct sn_nurbs_samples {
    int count;        /* >= 2 */
    double *points;   /* (count x 3) */
    double *tangents; /* (count x 3) unit */
} sn_nurbs_samples;

/* Samples both ends and 8 to 128 points per knot span, about `spacing` apart. */
sn_result sn_nurbs_sample(const sn_nurbs *curve, double spacing, sn_arena *arena, sn_nurbs_samples *samples);

#endif

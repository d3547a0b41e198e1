/* SPDX-License-Identifier: MIT */
/* Vectors of three doubles, for cooking and references; cglm is float. */
#ifndef SN_HOST_MATH_VEC3_H
#define SN_HOST_MATH_VEC3_H

#include <math.h>

static inline double sn_dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void sn_cross3(const double *a, const double *b, double *result)
{
    result[0] = a[1] * b[2] - a[2] * b[1];
    result[1] = a[2] * b[0] - a[0] * b[2];
    result[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void sn_subtract3(const double *a, const double *b, double *result)
{
    for (int d = 0; d < 3; ++d) {
        result[d] = a[d] - b[d];
    }
}

static inline double sn_length3(const double *a)
{
    return sqrt(sn_dot3(a, a));
}

static inline double sn_distance3(const double *a, const double *b)
{
    double difference[3];
    sn_subtract3(a, b, difference);
    return sn_length3(difference);
}

/* Parameter of the nearest point on the segment from a to b: 0 at a, 1 at b; 0 for a segment of zero length. */
static inline double sn_segment_nearest(const double *point, const double *a, const double *b)
{
    double along[3], to_point[3];
    sn_subtract3(b, a, along);
    sn_subtract3(point, a, to_point);
    const double square = sn_dot3(along, along);
    return square > 0 ? fmin(fmax(sn_dot3(along, to_point) / square, 0), 1) : 0;
}

/* Vector from a point to the nearest point on the segment from a to b. */
static inline double sn_segment_distance(const double *point, const double *a, const double *b)
{
    const double parameter = sn_segment_nearest(point, a, b);
    double nearest[3];
    for (int d = 0; d < 3; ++d) {
        nearest[d] = a[d] + parameter * (b[d] - a[d]);
    }
    return sn_distance3(point, nearest);
}

/* Normalises a vector; a zero vector becomes `otherwise`. */
static inline void sn_normalize3(double *vector, const double *otherwise)
{
    const double length = sn_length3(vector);
    for (int d = 0; d < 3; ++d) {
        vector[d] = length > 0 ? vector[d] / length : otherwise[d];
    }
}

#endif

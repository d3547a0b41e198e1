/* SPDX-License-Identifier: MIT */
/* Motion as a linear function of the keys: position x = sum_j b_j(t) q_j, with two temporal functions per key, for its
 * position and its velocity. The end keys of a cycle, and the keys of a hit, share functions. */
#ifndef SN_AUTHOR_SPACETIME_TRAJECTORY_H
#define SN_AUTHOR_SPACETIME_TRAJECTORY_H

#include "author/spacetime/spacetime.h"

/* Evaluates the cubic Bernstein polynomials and their first and second derivatives; each array has 4 entries. */
void sn_bernstein(double theta, double *value, double *first, double *second);

/* Coefficients of an interval's four functions: x_i, v_i, x_i+1, v_i+1. */
typedef struct sn_spacetime_span {
    double position[4], velocity[4], acceleration[4];
} sn_spacetime_span;

sn_spacetime_span sn_spacetime_span_at(double theta, double duration);

/* Samples in the order of time. Interval i has K_i samples at theta = k / K_i with weight T_i / K_i. The very last
 * sample is at theta = 1 instead of (K - 1) / K, as in the authors' program. Intervals without duration have no
 * samples. */
typedef struct sn_spacetime_trajectory {
    int key_count, function_count, sample_count;
    int32_t *position_functions; /* (key_count) */
    int32_t *velocity_functions; /* (key_count) */
    double *durations;           /* (key_count - 1) */
    int32_t *intervals;          /* (sample_count) */
    double *thetas;              /* (sample_count) */
    double *fractions;           /* (sample_count) 1 / K */
} sn_spacetime_trajectory;

sn_result sn_spacetime_trajectory_build(const sn_spacetime_input *input, sn_arena *arena,
                                        sn_spacetime_trajectory *trajectory);

/* Returns the coefficients of a sample; functions (4) receives the functions that they apply to. */
sn_spacetime_span sn_spacetime_trajectory_span(const sn_spacetime_trajectory *trajectory, int sample,
                                               int32_t *functions);
/* T_i / K_i */
double sn_spacetime_trajectory_weight(const sn_spacetime_trajectory *trajectory, int sample);

#endif

/* SPDX-License-Identifier: MIT */
/* Motion as a linear function of what keys have: position x = sum_j b_j(t) q_j, with two temporal functions a key, its
 * position's and its velocity's. Keys of a cycle's ends, and of a hit, share functions. */
#ifndef SN_AUTHOR_SPACETIME_TRAJECTORY_H
#define SN_AUTHOR_SPACETIME_TRAJECTORY_H

#include "author/spacetime/spacetime.h"

/* Bernstein polynomials of degree 3 and their first and second derivatives; each (4). */
void sn_bernstein(double theta, double *value, double *first, double *second);

/* Coefficients of the four functions of an interval: x_i, v_i, x_i+1, v_i+1. */
typedef struct sn_spacetime_span {
    double position[4], velocity[4], acceleration[4];
} sn_spacetime_span;

sn_spacetime_span sn_spacetime_span_at(double theta, double duration);

/* Samples in the order of time. Interval i has K_i of them at theta = k / K_i, weight T_i / K_i; the last sample of all
 * stands at theta = 1 (in place of (K - 1) / K, as the authors' program has it). Intervals of no duration have none. */
typedef struct sn_spacetime_trajectory {
    int key_count, function_count, sample_count;
    int32_t *position_functions; /* (key_count) */
    int32_t *velocity_functions; /* (key_count) */
    double *durations;           /* (key_count - 1) */
    int32_t *intervals;          /* (sample_count) */
    double *thetas;              /* (sample_count) */
    double *shares;              /* (sample_count) 1 / K */
} sn_spacetime_trajectory;

sn_result sn_spacetime_trajectory_build(const sn_spacetime_input *input, sn_arena *arena,
                                        sn_spacetime_trajectory *trajectory);

/* Of a sample: its coefficients, and the (4) functions that they are of. */
sn_spacetime_span sn_spacetime_trajectory_span(const sn_spacetime_trajectory *trajectory, int sample,
                                               int32_t *functions);
/* T_i / K_i */
double sn_spacetime_trajectory_weight(const sn_spacetime_trajectory *trajectory, int sample);

#endif

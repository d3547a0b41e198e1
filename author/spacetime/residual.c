/* SPDX-License-Identifier: MIT */
/* Residual forces of all samples, eight at a time. A block of samples is one task, and a range of vertices is one task
 * of the gradient, so every sum has a fixed order. With Y_j = sum w a_j M N f and Z_j = sum w b_j N f, where a_j and
 * b_j are the coefficients of acceleration (with damping) and position, the gradient is Y_j + L Z_j, which needs two
 * products with L per key. */
#include "author/spacetime/residual.h"

#include <math.h>
#include <string.h>

#define LANES SN_SPACETIME_LANES
#define VERTEX_GRAIN 64

static int count_blocks(const sn_spacetime_problem *p)
{
    return (p->trajectory.sample_count + LANES - 1) / LANES;
}

/* Returns the sample of a lane. Unused lanes of the last block repeat the last sample and are not counted. */
static int sample_of(const sn_spacetime_problem *p, int block, int lane)
{
    const int sample = block * LANES + lane, last = p->trajectory.sample_count - 1;
    return sample < last ? sample : last;
}

/* Blends the functions with the coefficients into a lane of out (vertex_count x 3 x LANES). If scale is not null, adds
 * scale[v] times the blend instead. */
static void blend(const sn_spacetime_problem *p, const double *coefficients, const int32_t *functions,
                  const double *scale, int lane, double *out)
{
    const size_t n = (size_t)p->elastic.vertex_count, width = 3 * n;
    const double *a = p->q + (size_t)functions[0] * width, *b = p->q + (size_t)functions[1] * width;
    const double *c = p->q + (size_t)functions[2] * width, *d = p->q + (size_t)functions[3] * width;
    for (size_t i = 0; i < width; ++i) {
        const double value =
            coefficients[0] * a[i] + coefficients[1] * b[i] + coefficients[2] * c[i] + coefficients[3] * d[i];
        out[i * LANES + (size_t)lane] = scale ? out[i * LANES + (size_t)lane] + scale[i / 3] * value : value;
    }
}

static void add_inertia(const sn_spacetime_problem *p, int block, double *forces)
{
    const double damping = p->input->damping, *gravity = p->input->gravity;
    for (int lane = 0; lane < LANES; ++lane) {
        int32_t functions[4];
        double inertial[4];
        const sn_spacetime_span span =
            sn_spacetime_trajectory_span(&p->trajectory, sample_of(p, block, lane), functions);
        for (int k = 0; k < 4; ++k) {
            inertial[k] = span.acceleration[k] + damping * span.velocity[k];
        }
        blend(p, inertial, functions, p->elastic.mass, lane, forces);
    }
    for (size_t i = 0; i < 3 * (size_t)p->elastic.vertex_count; ++i) {
        for (int lane = 0; lane < LANES; ++lane) {
            forces[i * LANES + (size_t)lane] -= p->elastic.mass[i / 3] * gravity[i % 3];
        }
    }
}

static void sum_squares(sn_spacetime_problem *p, int block, const double *forces)
{
    double sums[LANES] = {0};
    for (size_t i = 0; i < 3 * (size_t)p->elastic.vertex_count; ++i) {
        for (int lane = 0; lane < LANES; ++lane) {
            const double f = forces[i * LANES + (size_t)lane];
            sums[lane] += p->norm[i / 3] * f * f;
        }
    }
    for (int lane = 0; lane < LANES && block * LANES + lane < p->trajectory.sample_count; ++lane) {
        p->objectives[block * LANES + lane] = sums[lane] / 2;
    }
}

static void evaluate_blocks(int first, int last, int worker, void *user)
{
    sn_spacetime_problem *p = user;
    const size_t size = (size_t)p->elastic.vertex_count * 3 * LANES;
    (void)worker;
    for (int block = first; block < last; ++block) {
        double *positions = p->positions + (size_t)block * size, *forces = p->residuals + (size_t)block * size;
        for (int lane = 0; lane < LANES; ++lane) {
            int32_t functions[4];
            const sn_spacetime_span span =
                sn_spacetime_trajectory_span(&p->trajectory, sample_of(p, block, lane), functions);
            blend(p, span.position, functions, NULL, lane, positions);
        }
        sn_spacetime_elastic_forces(&p->elastic, positions, forces);
        add_inertia(p, block, forces);
        sum_squares(p, block, forces);
    }
}

double sn_spacetime_evaluate(sn_spacetime_problem *p)
{
    double objective = 0;
    sn_parallel_for(p->desc->jobs, count_blocks(p), 1, evaluate_blocks, p);
    for (int s = 0; s < p->trajectory.sample_count; ++s) {
        objective += sn_spacetime_trajectory_weight(&p->trajectory, s) * p->objectives[s];
    }
    return objective;
}

typedef struct gather {
    sn_spacetime_problem *problem;
    double *gradient;
} gather;

/* Accumulates Y and Z of some vertices. */
static void gather_vertices(int first, int last, int worker, void *user)
{
    const gather *g = user;
    const sn_spacetime_problem *p = g->problem;
    const size_t n = (size_t)p->elastic.vertex_count, block_size = n * 3 * LANES;
    (void)worker;
    for (int s = 0; s < p->trajectory.sample_count; ++s) {
        int32_t functions[4];
        const sn_spacetime_span span = sn_spacetime_trajectory_span(&p->trajectory, s, functions);
        const double w = sn_spacetime_trajectory_weight(&p->trajectory, s);
        const double *forces = p->residuals + (size_t)(s / LANES) * block_size + s % LANES;
        for (int k = 0; k < 4; ++k) {
            const double y = w * (span.acceleration[k] + p->input->damping * span.velocity[k]);
            const double z = w * span.position[k];
            for (size_t d = 0; d < 3; ++d) {
                const size_t column = d * (size_t)p->trajectory.function_count + (size_t)functions[k];
                double *to_y = g->gradient + column * n, *to_z = p->damped + column * n;
                for (size_t v = (size_t)first; v < (size_t)last; ++v) {
                    const double f = p->norm[v] * forces[(3 * v + d) * LANES];
                    to_y[v] += y * p->elastic.mass[v] * f;
                    to_z[v] += z * f;
                }
            }
        }
    }
}

/* Adds L Z to a column of one function; 0 at fixed vertices. */
static void add_stiffness(int first, int last, int worker, void *user)
{
    const gather *g = user;
    const sn_spacetime_problem *p = g->problem;
    const size_t n = (size_t)p->elastic.vertex_count;
    (void)worker;
    for (int column = first; column < last; ++column) {
        double *gradient = g->gradient + (size_t)column * n;
        double *product = p->positions + (size_t)column * n;
        const bool *is_free = p->is_free + (size_t)(column % p->trajectory.function_count) * n;
        sn_sparse_multiply(&p->stiffness, p->damped + (size_t)column * n, product);
        for (size_t v = 0; v < n; ++v) {
            gradient[v] = is_free[v] ? gradient[v] + product[v] : 0;
        }
    }
}

void sn_spacetime_gradient(sn_spacetime_problem *p, double *gradient)
{
    const size_t size = (size_t)p->trajectory.function_count * 3 * (size_t)p->elastic.vertex_count;
    gather g = {p, gradient};
    memset(gradient, 0, size * sizeof *gradient);
    memset(p->damped, 0, size * sizeof *gradient);
    sn_parallel_for(p->desc->jobs, p->elastic.vertex_count, VERTEX_GRAIN, gather_vertices, &g);
    sn_parallel_for(p->desc->jobs, 3 * p->trajectory.function_count, 1, add_stiffness, &g);
}

/* SPDX-License-Identifier: MIT */
/* Sets up the data of an optimisation: operators, temporal functions, masks, and the input keys. */
#include <string.h>

#include "author/spacetime/residual.h"
#include "author/sparse/laplacian.h"

#define VALUE_LIMIT 2e8 /* max. doubles of each of the two arrays with an entry per sample */

/* Builds V grad . grad with the elements' weights, which are volumes times k. */
static sn_result build_stiffness(sn_spacetime_problem *p, sn_arena *arena)
{
    return sn_laplacian_build(p->input->mesh, p->elastic.gradients, p->elastic.weights, NULL, NULL, arena,
                              &p->stiffness);
}

static bool is_fixed(const bool *mask, size_t vertex)
{
    return mask && mask[vertex];
}

/* A function shared by several keys is free where none of them fixes it. Its values are those of the first key. */
static void fill_functions(sn_spacetime_problem *p)
{
    const size_t n = (size_t)p->elastic.vertex_count;
    memset(p->is_free, 1, (size_t)p->trajectory.function_count * n * sizeof *p->is_free);
    for (int i = p->input->key_count - 1; i >= 0; --i) {
        const sn_spacetime_key *key = &p->input->keys[i];
        const size_t position = (size_t)p->trajectory.position_functions[i] * n;
        const size_t velocity = (size_t)p->trajectory.velocity_functions[i] * n;
        memcpy(p->q + 3 * position, key->positions, 3 * n * sizeof *p->q);
        if (key->velocities) {
            memcpy(p->q + 3 * velocity, key->velocities, 3 * n * sizeof *p->q);
        } else {
            memset(p->q + 3 * velocity, 0, 3 * n * sizeof *p->q);
        }
        for (size_t v = 0; v < n; ++v) {
            p->is_free[position + v] = p->is_free[position + v] && !is_fixed(key->is_fixed, v);
            p->is_free[velocity + v] = p->is_free[velocity + v] && !is_fixed(key->is_velocity_fixed, v);
        }
    }
}

static void fill_norm(sn_spacetime_problem *p)
{
    const size_t n = (size_t)p->elastic.vertex_count;
    for (size_t v = 0; v < n; ++v) {
        bool is_free = p->desc->has_reactions;
        for (size_t j = 0; j < (size_t)p->trajectory.function_count; ++j) {
            is_free = is_free || p->is_free[j * n + v];
        }
        p->norm[v] = !is_free ? 0 : p->desc->norm == SN_SPACETIME_IDENTITY ? 1 : 1 / p->elastic.mass[v];
    }
}

/* Checks the size of the arrays with an entry per sample and vertex. */
static sn_result check_size(const sn_spacetime_problem *p)
{
    const double values = 3.0 * p->elastic.vertex_count * (p->trajectory.sample_count + SN_SPACETIME_LANES);
    return values <= VALUE_LIMIT
               ? SN_OK
               : sn_fail_within(SN_ERROR_UNSUPPORTED,
                                "%d samples of %d vertices are too many; use fewer samples or a coarser mesh",
                                p->trajectory.sample_count, p->elastic.vertex_count);
}

sn_result sn_spacetime_problem_build(const sn_spacetime_input *input, const sn_spacetime_desc *desc, sn_arena *arena,
                                     sn_spacetime_problem *p)
{
    *p = (sn_spacetime_problem){.input = input, .desc = desc};
    sn_result result = sn_spacetime_elastic_build(input->mesh, &input->material, arena, &p->elastic);
    if (result == SN_OK) {
        result = build_stiffness(p, arena);
    }
    if (result == SN_OK) {
        result = sn_spacetime_trajectory_build(input, arena, &p->trajectory);
    }
    result = result == SN_OK ? check_size(p) : result;
    if (result != SN_OK) {
        return result;
    }
    const size_t n = (size_t)input->mesh->vertex_count, functions = (size_t)p->trajectory.function_count;
    const size_t samples = (size_t)p->trajectory.sample_count;
    const size_t blocks = (samples + SN_SPACETIME_LANES - 1) / SN_SPACETIME_LANES;
    const size_t values = blocks * SN_SPACETIME_LANES > functions ? blocks * SN_SPACETIME_LANES : functions;
    p->is_free = SN_NEW(arena, bool, functions *n);
    p->norm = SN_NEW(arena, double, n);
    p->q = SN_NEW(arena, double, 3 * functions * n);
    p->residuals = SN_NEW(arena, double, 3 * blocks * SN_SPACETIME_LANES * n);
    p->positions = SN_NEW(arena, double, 3 * values * n);
    p->objectives = SN_NEW(arena, double, samples);
    p->damped = SN_NEW(arena, double, 3 * functions * n);
    if (!p->is_free || !p->norm || !p->q || !p->residuals || !p->positions || !p->objectives || !p->damped) {
        return SN_ERROR_MEMORY;
    }
    fill_functions(p);
    fill_norm(p);
    return SN_OK;
}

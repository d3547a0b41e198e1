/* SPDX-License-Identifier: MIT */
/* Alternates between weights for fixed motions and motions for fixed weights. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "author/bake/decomposition.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"

#define ROUNDS 18
#define RESEED_ROUNDS 3
#define SEED_VERTICES 12
#define CANDIDATE_JOINTS 8 /* added joints that a vertex may choose from */

/* Lists the vertex's strongest bones and the added joints that fit it best. Returns their number. */
static int find_candidates(const sn_decomposition *d, int vertex, int32_t *candidates)
{
    double unused_weights[SN_BAKE_INFLUENCE_LIMIT], candidate_errors[CANDIDATE_JOINTS];
    const int bones = sn_baker_rig_weights(d->baker, vertex, d->baker->influence_count, candidates, unused_weights);
    int32_t *joint_candidates = candidates + bones;
    int count = 0;
    for (int k = 0; k < d->count; ++k) {
        const double limit = count == CANDIDATE_JOINTS ? candidate_errors[count - 1] : DBL_MAX;
        const double error = sn_joint_error(d, vertex, d->bone_count + k, limit);
        if (error >= limit) {
            continue;
        }
        count += count < CANDIDATE_JOINTS;
        int at = count - 1;
        for (; at > 0 && candidate_errors[at - 1] > error; --at) {
            candidate_errors[at] = candidate_errors[at - 1];
            joint_candidates[at] = joint_candidates[at - 1];
        }
        candidate_errors[at] = error;
        joint_candidates[at] = d->bone_count + k;
    }
    return bones + count;
}

static void fit_vertex_weights(sn_decomposition *d, int vertex)
{
    int32_t candidates[SN_BAKE_INFLUENCE_LIMIT + CANDIDATE_JOINTS];
    double gram[SN_SIMPLEX_LIMIT * SN_SIMPLEX_LIMIT], weights[SN_SIMPLEX_LIMIT], differences[3 * SN_SIMPLEX_LIMIT];
    const int count = find_candidates(d, vertex, candidates);
    memset(gram, 0, (size_t)(count * count) * sizeof(double));
    for (int i = 0; i < d->sample_count; ++i) {
        double rest_position[3], target[3];
        sn_baker_rest(d->baker, d->samples[i], vertex, rest_position);
        sn_joint_target(d, d->samples[i], vertex, target);
        for (int k = 0; k < count; ++k) {
            sn_affine_apply(sn_joint_motion(d, d->samples[i], candidates[k]), rest_position, differences + 3 * k);
            sn_subtract3(differences + 3 * k, target, differences + 3 * k);
            for (int j = 0; j <= k; ++j) {
                gram[k * count + j] += sn_dot3(differences + 3 * k, differences + 3 * j);
            }
        }
    }
    for (int k = 0; k < count; ++k) {
        for (int j = 0; j < k; ++j) {
            gram[j * count + k] = gram[k * count + j];
        }
    }
    sn_simplex_weights(count, gram, d->baker->influence_count, weights);
    int used_count = 0;
    for (int k = 0; k < count; ++k) {
        if (weights[k] > 0) {
            candidates[used_count] = candidates[k];
            weights[used_count++] = weights[k];
        }
    }
    sn_baker_set_weights(d->baker, vertex, used_count, candidates, weights);
}

static void list_vertices(const sn_decomposition *d, sn_joint_lists *lists)
{
    const sn_baker *b = d->baker;
    const size_t width = (size_t)b->influence_count;
    memset(lists->starts, 0, ((size_t)d->count + 2) * sizeof(int32_t));
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < d->displaced_count; ++i) {
            for (size_t k = 0; k < width; ++k) {
                const size_t at = (size_t)d->displaced[i] * width + k;
                const int32_t own = b->influences[at] - d->bone_count;
                if (own < 0 || b->weights[at] <= 0) {
                    continue;
                }
                if (pass == 0) {
                    ++lists->starts[own + 2];
                } else {
                    lists->weights[lists->starts[own + 1]] = b->weights[at];
                    lists->vertices[lists->starts[own + 1]++] = d->displaced[i];
                }
            }
        }
        for (int k = 0; k < d->count && pass == 0; ++k) {
            lists->starts[k + 2] += lists->starts[k + 1];
        }
    }
}

void sn_joints_fit(sn_decomposition *d, const sn_joint_lists *lists, int frame)
{
    for (int k = 0; k < d->count; ++k) {
        double *motion = sn_motion_source(d, frame, k);
        sn_similarity_moments moments = {0};
        for (int i = lists->starts[k]; i < lists->starts[k + 1]; ++i) {
            const double weight = (double)lists->weights[i];
            double rest_position[3], residual[3], moved[3];
            sn_baker_rest(d->baker, frame, lists->vertices[i], rest_position);
            sn_joint_residual(d, frame, lists->vertices[i], rest_position, residual);
            sn_affine_apply(motion, rest_position, moved);
            for (int c = 0; c < 3; ++c) {
                residual[c] += weight * moved[c];
            }
            const double vertex_weight = d->vertex_weights[lists->vertices[i]];
            for (int c = 0; c < 3; ++c) {
                residual[c] *= vertex_weight;
            }
            sn_similarity_add(&moments, vertex_weight * weight, rest_position, residual);
        }
        sn_similarity_solve(&moments, motion);
    }
}

/* Computes the errors of all vertices. Returns the largest. */
static double find_errors(sn_decomposition *d)
{
    double max_error = 0;
    for (int i = 0; i < d->displaced_count; ++i) {
        d->errors[i] = 0;
        for (int k = 0; k < d->sample_count; ++k) {
            double rest_position[3], residual[3];
            sn_baker_rest(d->baker, d->samples[k], d->displaced[i], rest_position);
            sn_joint_residual(d, d->samples[k], d->displaced[i], rest_position, residual);
            d->errors[i] = fmax(d->errors[i], sn_dot3(residual, residual));
        }
        max_error = fmax(max_error, d->errors[i]);
    }
    return max_error;
}

/* Saves weights and motions as the best ones, or restores them. */
static void copy_best(sn_decomposition *d, bool is_restore)
{
    const sn_baker *b = d->baker;
    const size_t width = (size_t)b->influence_count, joints = 12 * (size_t)d->count;
    for (int i = 0; i < d->displaced_count; ++i) {
        int32_t *influences = b->influences + (size_t)d->displaced[i] * width;
        float *weights = b->weights + (size_t)d->displaced[i] * width;
        int32_t *best_influences = d->best_influences + (size_t)i * width;
        float *best_weights = d->best_weights + (size_t)i * width;
        memcpy(is_restore ? influences : best_influences, is_restore ? best_influences : influences,
               width * sizeof(int32_t));
        memcpy(is_restore ? weights : best_weights, is_restore ? best_weights : weights, width * sizeof(float));
    }
    for (int i = 0; i < d->sample_count; ++i) {
        double *motion = sn_motion_source(d, d->samples[i], 0), *best = d->best_motion + (size_t)i * joints;
        memcpy(is_restore ? motion : best, is_restore ? best : motion, joints * sizeof(double));
    }
}

/* Saves the round if its maximum error is the smallest so far, and increases the fit weight of vertices with large
 * errors. */
static void update_best_round(sn_decomposition *d, double *best)
{
    const double max_error = find_errors(d);
    if (max_error < *best) {
        *best = max_error;
        copy_best(d, false);
    }
    for (int i = 0; i < d->displaced_count && max_error > 0; ++i) {
        d->vertex_weights[d->displaced[i]] *= 0.5 + sqrt(sqrt(d->errors[i] / max_error));
    }
}

/* Restarts the joint with the smallest contribution at the vertices around the worst vertex. */
static void reseed(sn_decomposition *d, const sn_joint_lists *lists)
{
    double min_contribution = INFINITY, max_distance2 = INFINITY;
    int weakest = 0, worst = 0;
    for (int k = 0; k < d->count; ++k) {
        double sum = 0;
        for (int i = lists->starts[k]; i < lists->starts[k + 1]; ++i) {
            sum += (double)lists->weights[i] * sqrt(d->energies[lists->vertices[i]]);
        }
        weakest = sum < min_contribution ? k : weakest;
        min_contribution = fmin(min_contribution, sum);
    }
    for (int i = 1; i < d->displaced_count; ++i) {
        worst = d->errors[i] > d->errors[worst] ? i : worst;
    }
    for (double limit = 1e-4; limit < 1; limit *= 2) { /* the smallest ball with enough vertices to define a rotation */
        int count = 0;
        max_distance2 = limit * d->baker->diagonal * d->baker->diagonal;
        for (int i = 0; i < d->displaced_count; ++i) {
            count += sn_joint_distance2(d->baker, d->displaced[i], d->displaced[worst]) <= max_distance2;
        }
        if (count >= SEED_VERTICES) {
            break;
        }
    }
    for (int s = 0; s < d->sample_count; ++s) {
        sn_similarity_moments moments = {0};
        for (int i = 0; i < d->displaced_count; ++i) {
            if (sn_joint_distance2(d->baker, d->displaced[i], d->displaced[worst]) <= max_distance2) {
                double rest_position[3], target[3];
                sn_baker_rest(d->baker, d->samples[s], d->displaced[i], rest_position);
                sn_joint_target(d, d->samples[s], d->displaced[i], target);
                sn_similarity_add(&moments, 1, rest_position, target);
            }
        }
        sn_similarity_solve(&moments, sn_motion_source(d, d->samples[s], weakest));
    }
}

static sn_result prepare(sn_decomposition *d, sn_joint_lists *lists)
{
    sn_baker *b = d->baker;
    const size_t displaced = (size_t)d->displaced_count, capacity = displaced * (size_t)b->influence_count;
    d->vertex_weights = SN_NEW(&b->scratch, double, b->vertex_count);
    d->errors = SN_NEW(&b->scratch, double, displaced);
    d->best_influences = SN_NEW(&b->scratch, int32_t, capacity);
    d->best_weights = SN_NEW(&b->scratch, float, capacity);
    d->best_motion = SN_NEW(&b->scratch, double, 12 * (size_t)d->sample_count * (size_t)d->count);
    for (int v = 0; d->vertex_weights && v < b->vertex_count; ++v) {
        d->vertex_weights[v] = 1;
    }
    lists->starts = SN_NEW(&b->scratch, int32_t, d->count + 2);
    lists->vertices = SN_NEW(&b->scratch, int32_t, capacity);
    lists->weights = SN_NEW(&b->scratch, float, capacity);
    return d->vertex_weights && d->errors && d->best_influences && d->best_weights && d->best_motion && lists->starts &&
                   lists->vertices && lists->weights
               ? SN_OK
               : SN_ERROR_MEMORY;
}

sn_result sn_joints_alternate(sn_decomposition *d, sn_joint_lists *lists)
{
    double best = INFINITY;
    SN_TRY(prepare(d, lists));
    for (int round = 0; round < ROUNDS; ++round) {
        for (int i = 0; i < d->displaced_count; ++i) {
            fit_vertex_weights(d, d->displaced[i]);
        }
        list_vertices(d, lists);
        for (int i = 0; i < d->sample_count; ++i) {
            sn_joints_fit(d, lists, d->samples[i]);
        }
        update_best_round(d, &best);
        if (round % RESEED_ROUNDS == RESEED_ROUNDS - 1 && round + RESEED_ROUNDS < ROUNDS) {
            reseed(d, lists);
        }
    }
    copy_best(d, true);
    list_vertices(d, lists);
    return SN_OK;
}

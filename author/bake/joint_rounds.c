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
#define NEAR_JOINTS 8 /* added joints that a vertex may choose from */

/* Lists the vertex's strongest bones and the added joints that fit it best. Returns their number. */
static int find_candidates(const sn_decomposition *d, int vertex, int32_t *candidates)
{
    double ignored[SN_BAKE_INFLUENCE_LIMIT], misfits[NEAR_JOINTS];
    const int bones = sn_baker_rig_weights(d->baker, vertex, d->baker->influence_count, candidates, ignored);
    int32_t *near = candidates + bones;
    int count = 0;
    for (int k = 0; k < d->count; ++k) {
        const double limit = count == NEAR_JOINTS ? misfits[count - 1] : DBL_MAX;
        const double found = sn_joint_misfit(d, vertex, d->bone_count + k, limit);
        if (found >= limit) {
            continue;
        }
        count += count < NEAR_JOINTS;
        int at = count - 1;
        for (; at > 0 && misfits[at - 1] > found; --at) {
            misfits[at] = misfits[at - 1];
            near[at] = near[at - 1];
        }
        misfits[at] = found;
        near[at] = d->bone_count + k;
    }
    return bones + count;
}

static void weigh_vertex(sn_decomposition *d, int vertex)
{
    int32_t candidates[SN_BAKE_INFLUENCE_LIMIT + NEAR_JOINTS];
    double gram[SN_SIMPLEX_LIMIT * SN_SIMPLEX_LIMIT], weights[SN_SIMPLEX_LIMIT], misses[3 * SN_SIMPLEX_LIMIT];
    const int count = find_candidates(d, vertex, candidates);
    memset(gram, 0, (size_t)(count * count) * sizeof(double));
    for (int i = 0; i < d->sample_count; ++i) {
        double place[3], goal[3];
        sn_baker_rest(d->baker, d->samples[i], vertex, place);
        sn_joint_goal(d, d->samples[i], vertex, goal);
        for (int k = 0; k < count; ++k) {
            sn_affine_apply(sn_joint_motion(d, d->samples[i], candidates[k]), place, misses + 3 * k);
            sn_subtract3(misses + 3 * k, goal, misses + 3 * k);
            for (int j = 0; j <= k; ++j) {
                gram[k * count + j] += sn_dot3(misses + 3 * k, misses + 3 * j);
            }
        }
    }
    for (int k = 0; k < count; ++k) {
        for (int j = 0; j < k; ++j) {
            gram[j * count + k] = gram[k * count + j];
        }
    }
    sn_simplex_weights(count, gram, d->baker->influence_count, weights);
    int kept = 0;
    for (int k = 0; k < count; ++k) {
        if (weights[k] > 0) {
            candidates[kept] = candidates[k];
            weights[kept++] = weights[k];
        }
    }
    sn_baker_set_weights(d->baker, vertex, kept, candidates, weights);
}

static void list_vertices(const sn_decomposition *d, sn_joint_lists *lists)
{
    const sn_baker *b = d->baker;
    const size_t width = (size_t)b->influence_count;
    memset(lists->starts, 0, ((size_t)d->count + 2) * sizeof(int32_t));
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < d->soft_count; ++i) {
            for (size_t k = 0; k < width; ++k) {
                const size_t at = (size_t)d->soft[i] * width + k;
                const int32_t own = b->influences[at] - d->bone_count;
                if (own < 0 || b->weights[at] <= 0) {
                    continue;
                }
                if (pass == 0) {
                    ++lists->starts[own + 2];
                } else {
                    lists->weights[lists->starts[own + 1]] = b->weights[at];
                    lists->vertices[lists->starts[own + 1]++] = d->soft[i];
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
        double *motion = sn_own_motion(d, frame, k);
        sn_similarity_sums sums = {0};
        for (int i = lists->starts[k]; i < lists->starts[k + 1]; ++i) {
            const double weight = (double)lists->weights[i];
            double place[3], rest[3], moved[3];
            sn_baker_rest(d->baker, frame, lists->vertices[i], place);
            sn_joint_rest(d, frame, lists->vertices[i], place, rest);
            sn_affine_apply(motion, place, moved);
            for (int c = 0; c < 3; ++c) {
                rest[c] += weight * moved[c];
            }
            const double say = d->says[lists->vertices[i]];
            for (int c = 0; c < 3; ++c) {
                rest[c] *= say;
            }
            sn_similarity_add(&sums, say * weight, place, rest);
        }
        sn_similarity_solve(&sums, motion);
    }
}

/* Computes the errors of all vertices. Returns the largest. */
static double find_errors(sn_decomposition *d)
{
    double largest = 0;
    for (int i = 0; i < d->soft_count; ++i) {
        d->errors[i] = 0;
        for (int k = 0; k < d->sample_count; ++k) {
            double place[3], rest[3];
            sn_baker_rest(d->baker, d->samples[k], d->soft[i], place);
            sn_joint_rest(d, d->samples[k], d->soft[i], place, rest);
            d->errors[i] = fmax(d->errors[i], sn_dot3(rest, rest));
        }
        largest = fmax(largest, d->errors[i]);
    }
    return largest;
}

/* Saves weights and motions as the best ones, or restores them. */
static void copy_best(sn_decomposition *d, bool is_back)
{
    const sn_baker *b = d->baker;
    const size_t width = (size_t)b->influence_count, joints = 12 * (size_t)d->count;
    for (int i = 0; i < d->soft_count; ++i) {
        int32_t *influences = b->influences + (size_t)d->soft[i] * width;
        float *weights = b->weights + (size_t)d->soft[i] * width;
        int32_t *best_influences = d->best_influences + (size_t)i * width;
        float *best_weights = d->best_weights + (size_t)i * width;
        memcpy(is_back ? influences : best_influences, is_back ? best_influences : influences, width * sizeof(int32_t));
        memcpy(is_back ? weights : best_weights, is_back ? best_weights : weights, width * sizeof(float));
    }
    for (int i = 0; i < d->sample_count; ++i) {
        double *motion = sn_own_motion(d, d->samples[i], 0), *best = d->best_motion + (size_t)i * joints;
        memcpy(is_back ? motion : best, is_back ? best : motion, joints * sizeof(double));
    }
}

/* Saves the round if its maximum error is the smallest so far, and increases the fit weight of vertices with large
 * errors. */
static void judge_round(sn_decomposition *d, double *best)
{
    const double largest = find_errors(d);
    if (largest < *best) {
        *best = largest;
        copy_best(d, false);
    }
    for (int i = 0; i < d->soft_count && largest > 0; ++i) {
        d->says[d->soft[i]] *= 0.5 + sqrt(sqrt(d->errors[i] / largest));
    }
}

/* Restarts the joint with the smallest contribution at the vertices around the worst vertex. */
static void reseed(sn_decomposition *d, const sn_joint_lists *lists)
{
    double least = INFINITY, reach = INFINITY;
    int chosen = 0, worst = 0;
    for (int k = 0; k < d->count; ++k) {
        double sum = 0;
        for (int i = lists->starts[k]; i < lists->starts[k + 1]; ++i) {
            sum += (double)lists->weights[i] * sqrt(d->energies[lists->vertices[i]]);
        }
        chosen = sum < least ? k : chosen;
        least = fmin(least, sum);
    }
    for (int i = 1; i < d->soft_count; ++i) {
        worst = d->errors[i] > d->errors[worst] ? i : worst;
    }
    for (double limit = 1e-4; limit < 1; limit *= 2) { /* the smallest ball with enough vertices to define a rotation */
        int count = 0;
        reach = limit * d->baker->diagonal * d->baker->diagonal;
        for (int i = 0; i < d->soft_count; ++i) {
            count += sn_joint_distance2(d->baker, d->soft[i], d->soft[worst]) <= reach;
        }
        if (count >= SEED_VERTICES) {
            break;
        }
    }
    for (int s = 0; s < d->sample_count; ++s) {
        sn_similarity_sums sums = {0};
        for (int i = 0; i < d->soft_count; ++i) {
            if (sn_joint_distance2(d->baker, d->soft[i], d->soft[worst]) <= reach) {
                double place[3], goal[3];
                sn_baker_rest(d->baker, d->samples[s], d->soft[i], place);
                sn_joint_goal(d, d->samples[s], d->soft[i], goal);
                sn_similarity_add(&sums, 1, place, goal);
            }
        }
        sn_similarity_solve(&sums, sn_own_motion(d, d->samples[s], chosen));
    }
}

static sn_result prepare(sn_decomposition *d, sn_joint_lists *lists)
{
    sn_baker *b = d->baker;
    const size_t soft = (size_t)d->soft_count, room = soft * (size_t)b->influence_count;
    d->says = SN_NEW(&b->scratch, double, b->vertex_count);
    d->errors = SN_NEW(&b->scratch, double, soft);
    d->best_influences = SN_NEW(&b->scratch, int32_t, room);
    d->best_weights = SN_NEW(&b->scratch, float, room);
    d->best_motion = SN_NEW(&b->scratch, double, 12 * (size_t)d->sample_count * (size_t)d->count);
    for (int v = 0; d->says && v < b->vertex_count; ++v) {
        d->says[v] = 1;
    }
    lists->starts = SN_NEW(&b->scratch, int32_t, d->count + 2);
    lists->vertices = SN_NEW(&b->scratch, int32_t, room);
    lists->weights = SN_NEW(&b->scratch, float, room);
    return d->says && d->errors && d->best_influences && d->best_weights && d->best_motion && lists->starts &&
                   lists->vertices && lists->weights
               ? SN_OK
               : SN_ERROR_MEMORY;
}

sn_result sn_joints_alternate(sn_decomposition *d, sn_joint_lists *lists)
{
    double best = INFINITY;
    const sn_result result = prepare(d, lists);
    for (int round = 0; round < ROUNDS && result == SN_OK; ++round) {
        for (int i = 0; i < d->soft_count; ++i) {
            weigh_vertex(d, d->soft[i]);
        }
        list_vertices(d, lists);
        for (int i = 0; i < d->sample_count; ++i) {
            sn_joints_fit(d, lists, d->samples[i]);
        }
        judge_round(d, &best);
        if (round % RESEED_ROUNDS == RESEED_ROUNDS - 1 && round + RESEED_ROUNDS < ROUNDS) {
            reseed(d, lists);
        }
    }
    if (result == SN_OK) {
        copy_best(d, true);
        list_vertices(d, lists);
    }
    return result;
}

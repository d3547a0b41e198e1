/* SPDX-License-Identifier: MIT */
/* Initializes the added joints: clusters the displaced vertices by how well one similarity transform moves them all. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "author/bake/decomposition.h"

#define CLUSTER_ROUNDS 8

static double seed_priority(const sn_decomposition *d, int i, const double *nearest)
{
    return sqrt(d->energies[d->displaced[i]]) * nearest[i];
}

/* Chooses seeds far from each other where displacements are large. Each vertex joins the nearest seed. */
sn_result sn_joints_seed(sn_decomposition *d)
{
    const sn_baker *b = d->baker;
    double *nearest = SN_NEW(&d->baker->scratch, double, d->displaced_count);
    if (!nearest) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < d->displaced_count; ++i) {
        nearest[i] = b->diagonal * b->diagonal;
    }
    for (int k = 0; k < d->count; ++k) {
        int best = 0;
        for (int i = 1; i < d->displaced_count; ++i) {
            best = seed_priority(d, i, nearest) > seed_priority(d, best, nearest) ? i : best;
        }
        for (int i = 0; i < d->displaced_count; ++i) {
            const double error = sn_joint_distance2(b, d->displaced[i], d->displaced[best]);
            if (error < nearest[i]) {
                nearest[i] = error;
                d->labels[i] = k;
            }
        }
    }
    return SN_OK;
}

/* Fits one transform per cluster. */
static void fit_clusters(sn_decomposition *d, int frame)
{
    memset(d->moments, 0, (size_t)d->count * sizeof *d->moments);
    for (int i = 0; i < d->displaced_count; ++i) {
        double rest_position[3], target[3];
        sn_baker_rest(d->baker, frame, d->displaced[i], rest_position);
        sn_joint_target(d, frame, d->displaced[i], target);
        sn_similarity_add(&d->moments[d->labels[i]], 1, rest_position, target);
    }
    for (int k = 0; k < d->count; ++k) {
        sn_similarity_solve(&d->moments[k], sn_motion_source(d, frame, k));
    }
}

void sn_joints_cluster(sn_decomposition *d)
{
    for (int round = 0; round < CLUSTER_ROUNDS; ++round) {
        for (int i = 0; i < d->sample_count; ++i) {
            fit_clusters(d, d->samples[i]);
        }
        for (int i = 0; i < d->displaced_count && round + 1 < CLUSTER_ROUNDS; ++i) {
            double best = sn_joint_error(d, d->displaced[i], d->bone_count + d->labels[i], DBL_MAX);
            for (int k = 0; k < d->count; ++k) {
                const double error = sn_joint_error(d, d->displaced[i], d->bone_count + k, best);
                if (error < best) {
                    best = error;
                    d->labels[i] = k;
                }
            }
        }
    }
}

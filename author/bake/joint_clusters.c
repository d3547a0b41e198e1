/* SPDX-License-Identifier: MIT */
/* Initializes the added joints: clusters the displaced vertices by how well one similarity transform moves them all. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "author/bake/decomposition.h"

#define CLUSTER_ROUNDS 8

static double pull(const sn_decomposition *d, int i, const double *nearest)
{
    return sqrt(d->energies[d->soft[i]]) * nearest[i];
}

/* Chooses seeds far from each other where displacements are large. Each vertex joins the nearest seed. */
sn_result sn_joints_seed(sn_decomposition *d)
{
    const sn_baker *b = d->baker;
    double *nearest = SN_NEW(&d->baker->scratch, double, d->soft_count);
    if (!nearest) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < d->soft_count; ++i) {
        nearest[i] = b->diagonal * b->diagonal;
    }
    for (int k = 0; k < d->count; ++k) {
        int best = 0;
        for (int i = 1; i < d->soft_count; ++i) {
            best = pull(d, i, nearest) > pull(d, best, nearest) ? i : best;
        }
        for (int i = 0; i < d->soft_count; ++i) {
            const double found = sn_joint_distance2(b, d->soft[i], d->soft[best]);
            if (found < nearest[i]) {
                nearest[i] = found;
                d->labels[i] = k;
            }
        }
    }
    return SN_OK;
}

/* Fits one transform per cluster. */
static void fit_clusters(sn_decomposition *d, int frame)
{
    memset(d->sums, 0, (size_t)d->count * sizeof *d->sums);
    for (int i = 0; i < d->soft_count; ++i) {
        double place[3], goal[3];
        sn_baker_rest(d->baker, frame, d->soft[i], place);
        sn_joint_goal(d, frame, d->soft[i], goal);
        sn_similarity_add(&d->sums[d->labels[i]], 1, place, goal);
    }
    for (int k = 0; k < d->count; ++k) {
        sn_similarity_solve(&d->sums[k], sn_own_motion(d, frame, k));
    }
}

void sn_joints_cluster(sn_decomposition *d)
{
    for (int round = 0; round < CLUSTER_ROUNDS; ++round) {
        for (int i = 0; i < d->sample_count; ++i) {
            fit_clusters(d, d->samples[i]);
        }
        for (int i = 0; i < d->soft_count && round + 1 < CLUSTER_ROUNDS; ++i) {
            double best = sn_joint_misfit(d, d->soft[i], d->bone_count + d->labels[i], DBL_MAX);
            for (int k = 0; k < d->count; ++k) {
                const double found = sn_joint_misfit(d, d->soft[i], d->bone_count + k, best);
                if (found < best) {
                    best = found;
                    d->labels[i] = k;
                }
            }
        }
    }
}

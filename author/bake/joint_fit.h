/* SPDX-License-Identifier: MIT */
/* The two small problems that the decomposition solves repeatedly: similarity transforms and simplex weights. */
#ifndef SN_AUTHOR_BAKE_JOINT_FIT_H
#define SN_AUTHOR_BAKE_JOINT_FIT_H

/* Accumulated moments for the similarity m that minimizes sum |w m(p) - q|^2. */
typedef struct sn_similarity_moments {
    double square, source[3], target[3], cross[9], length2;
} sn_similarity_moments;

void sn_similarity_add(sn_similarity_moments *moments, double weight, const double *source, const double *target);
/* Replaces m (3 x 4) by rotation, uniform scale and translation. The previous m regularizes the fit; m is unchanged if
 * nothing was added. */
void sn_similarity_solve(const sn_similarity_moments *moments, double *m);

#define SN_SIMPLEX_LIMIT 80

/* Computes weights >= 0 that sum to 1, at most `limit` of them nonzero, with small w^T gram w. Starts with the minimum
 * under the sum constraint and removes the smallest weight repeatedly while it is negative or too small, or there are
 * too many. gram is (count x count). */
void sn_simplex_weights(int count, const double *gram, int limit, double *weights);

#endif

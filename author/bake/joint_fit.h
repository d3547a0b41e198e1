/* SPDX-License-Identifier: MIT */
/* Private to the joints' decomposition: the two small problems that it solves over and over. */
#ifndef SN_AUTHOR_BAKE_JOINT_FIT_H
#define SN_AUTHOR_BAKE_JOINT_FIT_H

/* Sums over vertices for the similarity m that makes sum |w m(p) - q|^2 smallest. */
typedef struct sn_similarity_sums {
    double square, place[3], goal[3], cross[9], length2;
} sn_similarity_sums;

void sn_similarity_add(sn_similarity_sums *sums, double weight, const double *place, const double *goal);
/* Rotation, uniform scale and translation in place of `m` (3 x 4), which what the sums leave open is taken from; m
 * stays where nothing was added. */
void sn_similarity_solve(const sn_similarity_sums *sums, double *m);

#define SN_SIMPLEX_LIMIT 80

/* Weights >= 0 that sum to 1, at most `limit` of them not 0, which make w^T gram w small: the minimum on the sum alone,
 * from which what is negative, then what is smallest, is left out one after the other. gram is (count x count). */
void sn_simplex_weights(int count, const double *gram, int limit, double *weights);

#endif

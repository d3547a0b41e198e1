/* SPDX-License-Identifier: MIT */
/* Private to author/bake: smooth skinning decomposition while it is made. joints.c has the paper and the order. */
#ifndef SN_AUTHOR_BAKE_DECOMPOSITION_H
#define SN_AUTHOR_BAKE_DECOMPOSITION_H

#include "author/bake/baker.h"
#include "author/bake/joint_fit.h"

typedef struct sn_decomposition {
    sn_baker *baker;
    int bone_count, count; /* joints of our own: bone_count + k */
    int soft_count;
    int32_t *soft;    /* (soft_count) vertices */
    int32_t *labels;  /* (soft_count) clusters */
    double *energies; /* (vertex_count): squared displacement, summed over the samples */
    int sample_count;
    int32_t *samples;         /* (sample_count) frames */
    double *motion;           /* (frame_count x count x 12) */
    sn_similarity_sums *sums; /* (count) */
    double *says;             /* (vertex_count): how much each counts where motions are fitted */
    double *errors;           /* (soft_count): largest squared distances over the samples */
    int32_t *best_influences; /* (soft_count x influence_count): of the round whose largest error is least */
    float *best_weights;
    int32_t *parents;    /* (count): the bone whose flesh each joint moves, or -1 */
    double *best_motion; /* (sample_count x count x 12) */
} sn_decomposition;

/* Vertices of each joint of our own, one after the other. */
typedef struct sn_joint_lists {
    int32_t *starts;   /* (count + 1) */
    int32_t *vertices; /* (starts[count]) */
    float *weights;
} sn_joint_lists;

/* 3 x 4, of a joint of our own in a frame. */
static inline double *sn_own_motion(const sn_decomposition *d, int frame, int k)
{
    return d->motion + 12 * ((size_t)frame * (size_t)d->count + (size_t)k);
}

/* The same of any: bones first. */
static inline const double *sn_joint_motion(const sn_decomposition *d, int frame, int joint)
{
    return joint < d->bone_count ? d->baker->poses + 12 * ((size_t)frame * (size_t)d->bone_count + (size_t)joint)
                                 : sn_own_motion(d, frame, joint - d->bone_count);
}

/* Where the motion has a vertex. */
static inline void sn_joint_goal(const sn_decomposition *d, int frame, int vertex, double *goal)
{
    const float *x = d->baker->surface + 3 * ((size_t)frame * (size_t)d->baker->vertex_count + (size_t)vertex);
    for (int k = 0; k < 3; ++k) {
        goal[k] = (double)x[k];
    }
}

/* At rest, squared. */
static inline double sn_joint_distance2(const sn_baker *b, int32_t v, int32_t w)
{
    double sum = 0;
    for (size_t k = 0; k < 3; ++k) {
        const double difference = (double)b->rest[3 * (size_t)v + k] - (double)b->rest[3 * (size_t)w + k];
        sum += difference * difference;
    }
    return sum;
}

/* decomposition.c: what the joints of a vertex, which rests at `place`, leave of its goal in a frame. */
void sn_joint_rest(const sn_decomposition *d, int frame, int vertex, const double *place, double *rest);
/* Squared distance of a vertex from where a joint takes it, over some of the samples; gives up above `limit`. */
double sn_joint_misfit(const sn_decomposition *d, int vertex, int joint, double limit);

/* joint_clusters.c: labels far from each other where much is to be done; then one motion for each, in turns. */
sn_result sn_joints_seed(sn_decomposition *d);
void sn_joints_cluster(sn_decomposition *d);

/* joint_rounds.c: weights and motions in turns, for the samples; the round whose largest error is least. */
sn_result sn_joints_alternate(sn_decomposition *d, sn_joint_lists *lists);
/* In a frame each joint in turn takes up what the others leave (Gauss-Seidel). */
void sn_joints_fit(sn_decomposition *d, const sn_joint_lists *lists, int frame);

#endif

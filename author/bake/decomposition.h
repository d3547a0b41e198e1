/* SPDX-License-Identifier: MIT */
/* Private to author/bake: state of the smooth skinning decomposition. joints.c cites the paper and lists the steps. */
#ifndef SN_AUTHOR_BAKE_DECOMPOSITION_H
#define SN_AUTHOR_BAKE_DECOMPOSITION_H

#include "author/bake/baker.h"
#include "author/bake/joint_fit.h"

typedef struct sn_decomposition {
    sn_baker *baker;
    int bone_count, count; /* number of added joints; added joint k has index bone_count + k */
    int displaced_count;
    int32_t *displaced; /* (displaced_count) vertices with displacement beyond the rig */
    int32_t *labels;    /* (displaced_count) clusters */
    double *energies;   /* (vertex_count) squared displacement, summed over the sample frames */
    int sample_count;
    int32_t *samples;               /* (sample_count) frames */
    double *motion;                 /* (frame_count x count x 12) motions of the added joints */
    sn_similarity_moments *moments; /* (count) */
    double *vertex_weights;         /* (vertex_count) weight of each vertex when motions are fitted */
    double *errors;                 /* (displaced_count) largest squared distance over the samples */
    int32_t *best_influences;       /* (displaced_count x influence_count) result of the best round */
    float *best_weights;
    int32_t *parents;    /* (count) bone whose flesh each joint moves, or -1 */
    double *best_motion; /* (sample_count x count x 12) */
} sn_decomposition;

/* Lists the vertices of each added joint. */
typedef struct sn_joint_lists {
    int32_t *starts;   /* (count + 1) */
    int32_t *vertices; /* (starts[count]) */
    float *weights;
} sn_joint_lists;

/* The 3 x 4 transform of an added joint in a frame. */
static inline double *sn_motion_source(const sn_decomposition *d, int frame, int k)
{
    return d->motion + 12 * ((size_t)frame * (size_t)d->count + (size_t)k);
}

/* The 3 x 4 transform of any joint in a frame; bones come first. */
static inline const double *sn_joint_motion(const sn_decomposition *d, int frame, int joint)
{
    return joint < d->bone_count ? d->baker->poses + 12 * ((size_t)frame * (size_t)d->bone_count + (size_t)joint)
                                 : sn_motion_source(d, frame, joint - d->bone_count);
}

/* The target position of a vertex in a frame. */
static inline void sn_joint_target(const sn_decomposition *d, int frame, int vertex, double *target)
{
    const float *x = d->baker->surface + 3 * ((size_t)frame * (size_t)d->baker->vertex_count + (size_t)vertex);
    for (int k = 0; k < 3; ++k) {
        target[k] = (double)x[k];
    }
}

/* Squared distance of two vertices at rest. */
static inline double sn_joint_distance2(const sn_baker *b, int32_t v, int32_t w)
{
    double sum = 0;
    for (size_t k = 0; k < 3; ++k) {
        const double difference = (double)b->rest[3 * (size_t)v + k] - (double)b->rest[3 * (size_t)w + k];
        sum += difference * difference;
    }
    return sum;
}

/* decomposition.c: computes the residual of a vertex in a frame: its target position minus its skinned position.
 * `rest_position` is its rest position. */
void sn_joint_residual(const sn_decomposition *d, int frame, int vertex, const double *rest_position, double *rest);
/* Returns the squared distance between a vertex's target and its position if moved by one joint only, summed over some
 * of the samples. Stops early above `limit`. */
double sn_joint_error(const sn_decomposition *d, int vertex, int joint, double limit);

/* joint_clusters.c: seeds clusters far from each other where displacements are large; then alternates between motions
 * and labels. */
sn_result sn_joints_seed(sn_decomposition *d);
void sn_joints_cluster(sn_decomposition *d);

/* joint_rounds.c: alternates between weights and motions of the sample frames, and keeps the round with the smallest
 * maximum error. */
sn_result sn_joints_alternate(sn_decomposition *d, sn_joint_lists *lists);
/* Fits each joint in turn to the residual of the others in a frame (Gauss-Seidel). */
void sn_joints_fit(sn_decomposition *d, const sn_joint_lists *lists, int frame);

#endif

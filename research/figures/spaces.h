/* SPDX-License-Identifier: MIT */
/* The subspaces that most comparisons show, of one dimension; runs in them, and in the full space. */
#ifndef SN_RESEARCH_FIGURES_SPACES_H
#define SN_RESEARCH_FIGURES_SPACES_H

#include "research/figures/bodies.h"

typedef struct sn_spaces {
    sn_subspace displacement;
    sn_subspace derivatives; /* the first modes and derivatives of their pairs; none where a rigid motion is free */
    sn_subspace skinning;
    sn_subspace late; /* of held ones: weights without the rig's constraint, which the displacement has instead */
} sn_spaces;

/* dimension is a multiple of 12; `primary` modes have derivatives. Held: complementary to the rig. Pins hold always. */
sn_result sn_spaces_build(const sn_subject *subject, bool is_held, int dimension, int primary, sn_arena *arena,
                          sn_spaces *spaces);

/* Positions of a subject's vertices under its bones, (bone_count x 12). */
void sn_subject_pose(const sn_subject *subject, const double *pose, double *positions);

/* Frames of a motion in a subspace, or, where that is null, in the full space (which knows the rig by its poses). */
typedef struct sn_motion_desc {
    void (*pose)(int frame, double turn, double *pose); /* (bone_count x 12), all of it turned about z */
    double turn;
    int frame_count;
    double time_step, gravity[3];
    bool is_free; /* the full space without the rig's constraint */
} sn_motion_desc;

/* displacements (frame_count x vertex_count x 3) of frames 1 and on, turned back. */
sn_result sn_spaces_run(const sn_subject *subject, const sn_subspace *subspace, const sn_motion_desc *desc,
                        double *displacements);

/* Elastic energy and that of weight where the body hangs still; gravity and rig are turned about z, the displacements
 * turned back. */
sn_result sn_spaces_settle(const sn_subject *subject, const sn_subspace *subspace, double turn, const double *gravity,
                           double *displacements, double *energy);

/* a - b in the mass, relative to b, over all frames of both, (frame_count x vertex_count x 3). */
double sn_relative_difference(const double *mass, int vertex_count, int frame_count, const double *a, const double *b);

#endif

/* SPDX-License-Identifier: MIT */
/* What the figures deform. */
#ifndef SN_RESEARCH_FIGURES_BODIES_H
#define SN_RESEARCH_FIGURES_BODIES_H

#include "author/modes/clusters/clusters.h"
#include "research/baselines/baselines.h"
#include "research/figures/figures.h"

/* A box of cubes, each cut into six tets, centred at the origin. */
sn_result sn_bar_build(const int counts[3], double cell, sn_arena *arena, sn_tet_mesh *mesh);

/* The body of most figures: the data's elephant; else a procedural body of the same size; a bar when quick. says (64)
 * is how a page calls it. */
sn_result sn_figure_body(const sn_figures *figures, sn_arena *arena, sn_tet_mesh *mesh, char says[64]);
/* A tet mesh of the data, by its path there; SN_OK with no tets where there is none. */
sn_result sn_figure_data(const sn_figures *figures, const char *path, sn_arena *arena, sn_tet_mesh *mesh);

/* Every tet becomes eight, along its edges' midpoints and the shortest inner diagonal. */
sn_result sn_tet_refine(const sn_tet_mesh *mesh, sn_arena *arena, sn_tet_mesh *refined);

/* A mesh of unit diagonal about the origin, with all that subspaces are made of: E = mu = 1e4 Pa, nu = 0, 1e3 kg/m^3.
 */
typedef struct sn_subject {
    sn_tet_mesh mesh;
    double *gradients, *volumes, *mass, *mu, *leak, *rig_weights;
    int bone_count;
    int32_t *neighbours, *boundary;
    int boundary_count;
    sn_baseline_body body; /* of the arrays above; without constraint and pins */
} sn_subject;

/* With one affine handle. The mesh is scaled in place. */
sn_result sn_subject_build(sn_tet_mesh *mesh, sn_arena *arena, sn_subject *subject);
/* Vertices at the least x do not move. */
sn_result sn_subject_pin_end(sn_subject *subject, sn_arena *arena);
/* A long bar whose vertices at the least x do not move. */
sn_result sn_subject_clamped_bar(const sn_figures *figures, sn_arena *arena, sn_subject *subject);
/* Other weights: bumps around `bone_count` points that are far from each other. */
sn_result sn_subject_add_bones(sn_subject *subject, int bone_count, sn_arena *arena);
/* Skinning eigenmodes, with the rig's constraint or without any. */
sn_result sn_subject_modes(const sn_subject *subject, bool is_constrained, int mode_count, sn_arena *arena,
                           sn_modes *modes);
/* Median of the seconds that these take under the rig's constraint, `repeat_count` (at most 8) times. */
sn_result sn_subject_time_modes(const sn_subject *subject, int mode_count, int repeat_count, double *seconds);
/* x -> R(angle about axis) x of all vertices. */
void sn_rotate_all(const double *positions, int vertex_count, const double *axis, double angle, double *rotated);

#endif

/* SPDX-License-Identifier: MIT */
/* Force-dual skinning modes of anchored flesh: the principal directions of the flesh's response to the inertial loads
 * that the accelerations of its bones cause (load-dependent Ritz vectors, Wilson, Yuan and Dickens 1982; for skinning
 * modes Benchekroun et al. 2025, "Force-Dual Modes"). */
#ifndef SN_AUTHOR_MODES_REDUCED_FORCE_DUAL_MODES_H
#define SN_AUTHOR_MODES_REDUCED_FORCE_DUAL_MODES_H

#include "author/modes/modes.h"

typedef struct sn_force_dual_input {
    const char *name; /* for messages */
    const sn_tet_mesh *mesh;
    const double *gradients, *volumes; /* as in sn_modes_build */
    const double *mass;                /* (vertex_count) */
    const double *stiffness;           /* (tet_count) mu_t / mean mu */
    const bool *is_anchored;           /* (vertex_count) w = 0 there; at least one is anchored */
    const double *rig_weights;         /* (vertex_count x bone_count) */
    int bone_count;
    const double *bone_origins; /* (bone_count x 3) */
    int mode_count;             /* at least 1 */
} sn_force_dual_input;

/* For each bone b with weights g_b, solves L phi = M [g_b, g_b (x - x_b) / r_b, ...] with phi = 0 on the anchors, and
 * once more L phi' = M phi, which adds what dynamics needs; r_b is the radius of gyration of the bone's flesh. Patches
 * of the surface are further loads, for contacts and grabs. The modes are the leading left singular vectors in the mass
 * inner product, rotated to stationary vectors of w^T H w; fewer than mode_count if the responses span fewer. Modes and
 * `eigenvalues` are as of sn_modes_build. Errors: SN_ERROR_ARGUMENT if no flesh is free or no load moves it. */
sn_result sn_modes_build_force_dual(const sn_force_dual_input *input, sn_arena *arena, sn_modes *modes);

#endif

/* SPDX-License-Identifier: MIT */
/* A leg that jumps, solved in several ways: what the layered paper compares solvers by. */
#ifndef SN_RESEARCH_FIGURES_JUMP_H
#define SN_RESEARCH_FIGURES_JUMP_H

#include "research/figures/limb.h"

#define SN_JUMP_RATE 30.0 /* steps a second */
#define SN_JUMP_FRAMES 10

typedef struct sn_jump_solve {
    sn_layered_mode mode;
    bool is_coloured;
    int substeps, sweeps, consolidating;
    double factor;
} sn_jump_solve;

typedef struct sn_jump {
    sn_limb limb;
    double *exact;  /* (SN_JUMP_FRAMES x vertex_count x 3) after many sweeps in each step */
    double *places; /* the same size, of the last run */
} sn_jump;

/* A leg of cubes across and along, with flesh of 1 MPa: nearly as stiff as the paper's, which is as stiff as its
 * iterations make it. */
sn_result sn_jump_make(int across, int along, int exact_sweeps, sn_arena *arena, sn_jump *jump);
/* places are (SN_JUMP_FRAMES x vertex_count x 3). */
sn_result sn_jump_play(const sn_jump *jump, const sn_jump_solve *solve, double *places);
/* Where vertices are after the last step. */
double *sn_jump_end(const sn_jump *jump, double *places);

#endif

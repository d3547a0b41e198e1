/* SPDX-License-Identifier: MIT */
/* Private to author/modes: a lattice much coarser than the mesh, its small problem, and the two-grid preconditioner. */
#ifndef SN_AUTHOR_MODES_EIGEN_TWO_GRID_H
#define SN_AUTHOR_MODES_EIGEN_TWO_GRID_H

#include "author/modes/constraint/matrix_rows.h"
#include "author/modes/constraint/problem.h"

#define SN_CORNERS 8 /* lattice nodes around a vertex */
#define SN_TWO_GRID_LANES 4

typedef struct sn_coarse_space {
    size_t size, coarse_size, axis_count;
    int32_t *nodes;  /* (size x SN_CORNERS) */
    double *weights; /* (size x SN_CORNERS) p: trilinear, in x = M^1/2 w of the mesh and of the lattice */
} sn_coarse_space;

/* Trilinear functions of a lattice with about `target_count` nodes in the body; a node whose support mesh edges do not
 * connect is split. The functions are the same on each axis. positions (vertex_count x 3). coarse_size is 0 if no
 * lattice fits. */
sn_result sn_coarse_space_build(const sn_mode_problem *problem, const double *positions, const sn_matrix_rows *k,
                                size_t target_count, sn_arena *arena, sn_coarse_space *space);

/* p^T (K - 1) p + 1 (coarse_size); its size is 0 if it has too many entries for 32-bit indices. */
sn_result sn_coarse_space_matrix(const sn_coarse_space *space, const sn_matrix_rows *k, sn_arena *arena,
                                 sn_sparse *matrix);
/* fine (size x width) = p coarse (coarse_size x width), row-major; width is a multiple of SN_TWO_GRID_LANES. */
void sn_coarse_space_prolong(const sn_coarse_space *space, size_t width, const double *coarse, float *fine);
/* fine += p coarse. */
void sn_coarse_space_prolong_add(const sn_coarse_space *space, size_t width, const double *coarse, float *fine);
/* coarse = p^T fine. */
void sn_coarse_space_restrict(const sn_coarse_space *space, size_t width, const float *fine, double *coarse);
/* coarse += p^T fine for `count` rows of fine (count x width) from `first` on, with the other rows 0. */
void sn_coarse_space_restrict_add(const sn_coarse_space *space, size_t first, size_t count, size_t width,
                                  const float *fine, double *coarse);

typedef struct sn_two_grid {
    const sn_matrix_rows *k;
    const sn_coarse_space *space;
    sn_factor *factor;       /* of the coarse matrix */
    double low, high;        /* range of eigenvalues of D^-1 K that the smoother reduces */
    float *values;           /* of K */
    float *inverse_diagonal; /* (size) */
    float *residual;         /* (size x max_width) input of a cycle */
    float *solution;         /* (size x max_width) */
    float *other;            /* (size x max_width) intermediate solution */
    float *tile;             /* rows of a residual */
    double *coarse;          /* (coarse_size x max_width) */
} sn_two_grid;

/* The caller keeps ownership of `factor`. For blocks of at most `max_width` columns. */
sn_result sn_two_grid_init(const sn_matrix_rows *k, const sn_coarse_space *space, sn_factor *factor, size_t max_width,
                           sn_arena *arena, sn_two_grid *grid);
/* solution ~ K^-1 residual, (size x width) row-major: symmetric and positive definite up to float rounding. width is a
 * multiple of SN_TWO_GRID_LANES. */
sn_result sn_two_grid_apply(const sn_two_grid *grid, size_t width);
/* x (count x width) = the solution's rows from `first` on. */
void sn_two_grid_solution(const sn_two_grid *grid, size_t first, size_t count, size_t width, double *x);

#endif

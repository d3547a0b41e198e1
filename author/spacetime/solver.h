/* SPDX-License-Identifier: MIT */
/* The global step: N dq = -gradient over what is free, the same matrix for x, y and z, with
 *   N = P0 (x) M N M + P1 (x) M N L + P1^T (x) L N M + P2 (x) L N L + P2 (x) M / h_r^2,
 *   P0 = sum w a a^T,  P1 = sum w a b^T,  P2 = sum w b b^T (function_count x function_count). */
#ifndef SN_AUTHOR_SPACETIME_SOLVER_H
#define SN_AUTHOR_SPACETIME_SOLVER_H

#include "author/spacetime/residual.h"

/* Of a problem, at its present durations; all arrays are borrowed but the three Gram matrices. */
typedef struct sn_spacetime_system {
    int vertex_count, function_count;
    const double *mass, *norm;  /* (vertex_count) */
    const sn_sparse *stiffness; /* L */
    const bool *is_free;        /* (function_count x vertex_count) */
    double *p0, *p1, *p2;       /* (function_count x function_count), row-major */
    double regularisation;      /* 1 / h_r^2 */
    double memory_limit;        /* bytes of factors, or 0: none */
} sn_spacetime_system;

sn_result sn_spacetime_system_build(const sn_spacetime_problem *problem, sn_arena *arena, sn_spacetime_system *system);

typedef struct sn_spacetime_modal sn_spacetime_modal;
typedef struct sn_spacetime_sparse sn_spacetime_sparse;
typedef struct sn_spacetime_rational sn_spacetime_rational;

/* modal.c: eigenmodes L Phi = M Phi Lambda of what is free anywhere make N block-diagonal; held values are constraints
 * on that, by a dense Schur complement. The norm is the inverse mass, and 0 where nothing is free. The modes depend on
 * masks and mesh alone: they are kept where durations change. */
sn_result sn_spacetime_modal_create(const sn_spacetime_system *system, sn_spacetime_modal **modal);
/* For other Gram matrices and regularisation; to be called once before the first solve. */
sn_result sn_spacetime_modal_factor(sn_spacetime_modal *modal, const sn_spacetime_system *system);
/* columns (column_count x function_count x vertex_count), in place; 0 comes out where nothing is free. */
sn_result sn_spacetime_modal_solve(const sn_spacetime_modal *modal, int column_count, double *columns);
void sn_spacetime_modal_destroy(sn_spacetime_modal **modal);
/* How many held values it has to constrain. */
int sn_spacetime_modal_constraint_count(const sn_spacetime_system *system);

/* sparse.c: N itself, the functions of a vertex side by side. */
sn_result sn_spacetime_sparse_create(const sn_spacetime_system *system, sn_spacetime_sparse **sparse);
sn_result sn_spacetime_sparse_solve(const sn_spacetime_sparse *sparse, int column_count, double *columns);
/* Bytes of its factor's values. */
double sn_spacetime_sparse_bytes(const sn_spacetime_sparse *sparse);
void sn_spacetime_sparse_destroy(sn_spacetime_sparse **sparse);

/* rational.c: N^-1 as a sum of one-ring inverses at the roots of its temporal part, each pair of conjugate roots a
 * sparse system of one function. The norm is the inverse mass, there is regularisation, and in all functions that are
 * free anywhere the same vertices are. SN_ERROR_UNSUPPORTED where the factors, all as large as the first, would take
 * more than the limit: the other ways take more yet. */
bool sn_spacetime_rational_is_possible(const sn_spacetime_system *system);
sn_result sn_spacetime_rational_create(const sn_spacetime_system *system, sn_spacetime_rational **rational);
sn_result sn_spacetime_rational_solve(const sn_spacetime_rational *rational, int column_count, double *columns);
void sn_spacetime_rational_destroy(sn_spacetime_rational **rational);

/* One of the three. */
typedef struct sn_spacetime_solver {
    sn_spacetime_method method;
    sn_spacetime_modal *modal;
    sn_spacetime_rational *rational;
    sn_spacetime_sparse *sparse;
} sn_spacetime_solver;

/* Makes or, where durations have changed, refactors it; a zeroed solver is empty. */
sn_result sn_spacetime_solver_prepare(const sn_spacetime_problem *problem, sn_spacetime_solver *solver);
/* See sn_spacetime_modal_solve. */
sn_result sn_spacetime_solver_solve(const sn_spacetime_solver *solver, int column_count, double *columns);
void sn_spacetime_solver_finish(sn_spacetime_solver *solver);

#endif

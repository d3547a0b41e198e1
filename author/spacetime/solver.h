/* SPDX-License-Identifier: MIT */
/* The global step: N dq = -gradient over the free values, with the same matrix for x, y and z:
 *   N = P0 (x) M N M + P1 (x) M N L + P1^T (x) L N M + P2 (x) L N L + P2 (x) M / h_r^2,
 *   P0 = sum w a a^T,  P1 = sum w a b^T,  P2 = sum w b b^T (function_count x function_count). */
#ifndef SN_AUTHOR_SPACETIME_SOLVER_H
#define SN_AUTHOR_SPACETIME_SOLVER_H

#include "author/spacetime/residual.h"

/* The system of a problem at its current durations. References the problem's arrays, except for the three Gram
 * matrices. */
typedef struct sn_spacetime_system {
    int vertex_count, function_count;
    const double *mass, *norm;  /* (vertex_count) */
    const sn_sparse *stiffness; /* L */
    const bool *is_free;        /* (function_count x vertex_count) */
    double *p0, *p1, *p2;       /* (function_count x function_count), row-major */
    double regularisation;      /* 1 / h_r^2 */
    double memory_limit;        /* max. bytes of factors; 0: no limit */
} sn_spacetime_system;

sn_result sn_spacetime_system_build(const sn_spacetime_problem *problem, sn_arena *arena, sn_spacetime_system *system);

typedef struct sn_spacetime_modal sn_spacetime_modal;
typedef struct sn_spacetime_sparse sn_spacetime_sparse;
typedef struct sn_spacetime_rational sn_spacetime_rational;

/* modal.c: eigenmodes L Phi = M Phi Lambda of the vertices that are free in any function make N block-diagonal; fixed
 * values are constraints, handled by a dense Schur complement. The norm must be the inverse mass, and 0 at fixed
 * vertices. The modes depend only on masks and mesh, so they are reused if durations change. */
sn_result sn_spacetime_modal_create(const sn_spacetime_system *system, sn_spacetime_modal **modal);
/* Factors for new Gram matrices and regularisation. Must be called before the first solve. */
sn_result sn_spacetime_modal_factor(sn_spacetime_modal *modal, const sn_spacetime_system *system);
/* Solves for columns (column_count x function_count x vertex_count) in place; the result is 0 at fixed vertices. */
sn_result sn_spacetime_modal_solve(const sn_spacetime_modal *modal, int column_count, double *columns);
void sn_spacetime_modal_destroy(sn_spacetime_modal **modal);
/* Returns the number of fixed values that need constraints. */
int sn_spacetime_modal_constraint_count(const sn_spacetime_system *system);

/* sparse.c: N itself, with the functions of a vertex stored together. */
sn_result sn_spacetime_sparse_create(const sn_spacetime_system *system, sn_spacetime_sparse **sparse);
sn_result sn_spacetime_sparse_solve(const sn_spacetime_sparse *sparse, int column_count, double *columns);
/* Returns the size of the factor's values in bytes. */
double sn_spacetime_sparse_bytes(const sn_spacetime_sparse *sparse);
void sn_spacetime_sparse_destroy(sn_spacetime_sparse **sparse);

/* rational.c: N^-1 as a sum of inverses at the roots of its temporal part; each pair of conjugate roots needs a sparse
 * system of one function. Requires the inverse mass norm, regularisation, and the same free vertices in all functions
 * that have any. Returns SN_ERROR_UNSUPPORTED if the factors, which all have the same size, would exceed the limit; the
 * other solvers need even more. */
bool sn_spacetime_rational_is_possible(const sn_spacetime_system *system);
sn_result sn_spacetime_rational_create(const sn_spacetime_system *system, sn_spacetime_rational **rational);
sn_result sn_spacetime_rational_solve(const sn_spacetime_rational *rational, int column_count, double *columns);
void sn_spacetime_rational_destroy(sn_spacetime_rational **rational);

/* The selected solver; the other pointers are null. */
typedef struct sn_spacetime_solver {
    sn_spacetime_method method;
    sn_spacetime_modal *modal;
    sn_spacetime_rational *rational;
    sn_spacetime_sparse *sparse;
} sn_spacetime_solver;

/* Creates the solver, or refactors it if durations have changed. Initialize a new solver to zero. */
sn_result sn_spacetime_solver_prepare(const sn_spacetime_problem *problem, sn_spacetime_solver *solver);
/* See sn_spacetime_modal_solve. */
sn_result sn_spacetime_solver_solve(const sn_spacetime_solver *solver, int column_count, double *columns);
void sn_spacetime_solver_finish(sn_spacetime_solver *solver);

#endif

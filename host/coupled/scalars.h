/* SPDX-License-Identifier: MIT */
/* The small system over the scalars of rotating handles, after everything linear has been eliminated. */
#ifndef SN_HOST_COUPLED_SCALARS_H
#define SN_HOST_COUPLED_SCALARS_H

#include "host/coupled/solver.h"

/* result -= S y, (dimension x basis_count) each; gram: S of the rig, of the fit, or of the unpinned vertices. */
void sn_coupled_subtract_product(const sn_coupled_body *body, const double *gram, const double *y, double *result);

/* dy / dscalar of every scalar, (scalars x dimension^2): [d][e], without the factor L. */
void sn_coupled_compute_generators(const sn_coupled_body *body, const sn_coupled_system *system, double *generators);
/* Assembles N S' N^T (lower half) into body->matrix, with N times the reduced residual as its last row.
 * reduced_residual: (dimension x columns in Q). */
void sn_coupled_assemble(sn_coupled_body *body, const sn_coupled_system *system);
/* Eliminates the free functions: free_solution = S_FF^-1 residual_F (free), reduced_residual -= S_QF free_solution
 * (columns in Q). */
void sn_coupled_reduce(const sn_coupled_rig *rig, const sn_coupled_elimination *e, const sn_coupled_system *system,
                       const double *residual, double *free_solution, double *reduced_residual);
/* Back-substitution: free_solution -= S_FF^-1 S_FQ changed (columns in Q). */
void sn_coupled_back_substitute(const sn_coupled_rig *rig, const sn_coupled_elimination *e,
                                const sn_coupled_system *system, const double *changed, double *free_solution);
/* reduced_residual -= S' changes of the columns in Q, with all free functions eliminated. */
void sn_coupled_update_residual(const sn_coupled_body *body, const sn_coupled_system *system, const double *changes,
                                double *reduced_residual);
/* Regularises the diagonal of a matrix (count rows, `stride` apart); returns its trace before. */
double sn_coupled_regularize(int count, size_t stride, double *matrix);
/* Regularises and solves body->matrix into body->right; false if it is not positive definite. */
bool sn_coupled_solve(sn_coupled_body *body, const sn_coupled_system *system);

/* The parts of the fit. sn_coupled_fit_begin computes the residual with the linear part at its optimum.
 * sn_coupled_linearise assembles the Newton step's matrix and gradient in body->matrix from the generators; is_bounded:
 * with second-order terms that keep it positive definite. */
void sn_coupled_fit_begin(sn_coupled_body *body);
void sn_coupled_linearise(sn_coupled_body *body, bool is_bounded);

#endif

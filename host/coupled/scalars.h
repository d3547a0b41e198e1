/* SPDX-License-Identifier: MIT */
/* The small system over scalars of handles that turn, after everything linear has been eliminated. */
#ifndef SN_HOST_COUPLED_SCALARS_H
#define SN_HOST_COUPLED_SCALARS_H

#include "host/coupled/solver.h"

/* result -= S y, (dimension x basis_count) each; gram: the rig's, the fit's, or of what is not pinned. */
void sn_coupled_subtract_product(const sn_coupled_body *body, const double *gram, const double *y, double *result);

/* dy / dscalar of every scalar, (scalars x dimension^2): [d][e], L away. */
void sn_coupled_generate(const sn_coupled_body *body, const sn_coupled_system *system, double *generators);
/* N S' N^T, lower half, and N missing as its last row, into body->matrix. missing: (dimension x columns in Q). */
void sn_coupled_assemble(sn_coupled_body *body, const sn_coupled_system *system);
/* What is eliminated: found = S_FF^-1 residual_F (free), missing -= S_QF found (columns in Q). */
void sn_coupled_reduce(const sn_coupled_rig *rig, const sn_coupled_elimination *e, const sn_coupled_system *system,
                       const double *residual, double *found, double *missing);
/* found -= S_FF^-1 S_FQ changed (columns in Q). */
void sn_coupled_restore(const sn_coupled_rig *rig, const sn_coupled_elimination *e, const sn_coupled_system *system,
                        const double *changed, double *found);
/* missing -= S' changes of the columns in Q, with all that is free eliminated. */
void sn_coupled_follow(const sn_coupled_body *body, const sn_coupled_system *system, const double *changes,
                       double *missing);
/* Adds to the diagonal what keeps a matrix (count, of rows so far apart) regular; returns its sum before. */
double sn_coupled_lift(int count, size_t stride, double *matrix);
/* Lifts and solves body->matrix, to body->right; false where that is not positive. */
bool sn_coupled_solve(sn_coupled_body *body, const sn_coupled_system *system);

/* The fit's parts: what is missing, with the linear part at its best; then the Newton step's matrix and gradient, in
 * body->matrix, from generators. is_bounded: with terms of second order that keep it positive. */
void sn_coupled_fit_begin(sn_coupled_body *body);
void sn_coupled_linearise(sn_coupled_body *body, bool is_bounded);

#endif

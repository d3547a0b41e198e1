/* SPDX-License-Identifier: MIT */
/* The constraint J^T M D u = 0. Its rows are the same on every axis, so the KKT system [K A^T; A 0] splits by axis.
 * With K factored, the rows need one small dense matrix, A K^-1 A^T. */
#include <string.h>

#include "author/fullspace/solver.h"
#include "author/modes/constraint/rig_rows.h"

/* Number of right-hand sides solved at once. */
#define PANEL 64

static sn_result build_rows(sn_fullspace_solver *solver)
{
    const sn_fullspace_input *in = &solver->input;
    const sn_rig_rows_input rig = {.mesh = &in->mesh,
                                   .mass = in->mass,
                                   .leak = in->leak,
                                   .rig_weights = in->rig_weights,
                                   .bone_count = in->bone_count,
                                   .is_translated = in->is_translated};
    sn_constraint rows;
    const sn_result result = sn_rig_rows_build(&rig, &solver->arena, &rows);
    solver->constraint.row_count = result == SN_OK ? rows.row_count : 0;
    solver->constraint.rows = result == SN_OK ? rows.rows : NULL;
    return result;
}

sn_result sn_fullspace_constraint_init(sn_fullspace_solver *solver)
{
    sn_fullspace_constraint *c = &solver->constraint;
    const size_t n = (size_t)solver->input.mesh.vertex_count;
    sn_result result = build_rows(solver);
    if (result != SN_OK) {
        return result;
    }
    const size_t rows = (size_t)c->row_count;
    c->solved = SN_NEW(&solver->arena, double, n *rows);
    c->schur = SN_NEW(&solver->arena, double, rows *rows);
    c->products = SN_NEW(&solver->arena, double, 3 * rows);
    if (!c->solved || !c->schur || !c->products) {
        return SN_ERROR_MEMORY;
    }
    memcpy(c->solved, c->rows, n * rows * sizeof *c->rows);
    for (int first = 0; first < c->row_count && result == SN_OK; first += PANEL) {
        const int left = c->row_count - first;
        result = sn_factor_solve(solver->factor, left < PANEL ? left : PANEL, c->solved + (size_t)first * n);
    }
    if (result != SN_OK) {
        return result;
    }
    sn_dense_gram(c->rows, c->solved, solver->input.mesh.vertex_count, c->row_count, c->schur);
    return sn_dense_cholesky(c->row_count, c->schur)
               ? SN_OK
               : sn_fail(SN_ERROR_NUMERIC, "%s: the constraint's Schur complement of size %d is singular",
                         solver->input.name, c->row_count);
}

void sn_fullspace_constrain(sn_fullspace_solver *solver, double *x)
{
    const sn_fullspace_constraint *c = &solver->constraint;
    const int n = solver->input.mesh.vertex_count;
    if (c->row_count == 0) {
        return;
    }
    sn_dense_multiply(&(sn_gemm){.transpose_a = true,
                                 .m = c->row_count,
                                 .n = 3,
                                 .k = n,
                                 .alpha = 1,
                                 .a = c->rows,
                                 .lda = n,
                                 .b = x,
                                 .ldb = n,
                                 .c = c->products,
                                 .ldc = c->row_count});
    sn_dense_cholesky_solve(c->row_count, c->schur, 3, c->products);
    sn_dense_multiply(&(sn_gemm){.m = n,
                                 .n = 3,
                                 .k = c->row_count,
                                 .alpha = -1,
                                 .beta = 1,
                                 .a = c->solved,
                                 .lda = n,
                                 .b = c->products,
                                 .ldb = c->row_count,
                                 .c = x,
                                 .ldc = n});
}

/* SPDX-License-Identifier: MIT */
/* J^T M D u = 0. J = [g_b x, g_b y, g_b z, g_b], and three columns for each pair of a morph field and a bone, is the
 * same on every axis, so that its rows are four a bone (one for a bone that is only translated: g_b) and three a pair
 * on a third of the unknowns, and the KKT system [K A^T; A 0] splits by axis too. K being factored, the rows cost one
 * small dense matrix, A K^-1 A^T. They are taken about each bone's centre and of unit norm in M^-1, which changes no
 * span, so that a pivoted Cholesky factor can tell the rank whatever the bones' sizes and places. */
#include <math.h>
#include <string.h>

#include "author/fullspace/solver.h"

#define ROWS_PER_BONE 4

/* The square of a unit row's part outside the others, below which it is dropped: above the rounding of weights that
 * were stored as floats, so that bones with equal weights count once. */
#define DROP_TOLERANCE 1e-10

/* Right-hand sides solved at once. */
#define PANEL 64

/* Of the flesh that a bone moves, as the constraint weighs it; false where that is nothing. */
static bool find_center(const sn_fullspace_input *in, size_t bone, double *center)
{
    double total = 0;
    center[0] = center[1] = center[2] = 0;
    for (size_t v = 0; v < (size_t)in->mesh.vertex_count; ++v) {
        const double weight = in->leak[v] * in->rig_weights[v * (size_t)in->bone_count + bone];
        const double share = in->mass[v] * weight * weight;
        total += share;
        for (int d = 0; d < 3; ++d) {
            center[d] += share * in->mesh.positions[3 * v + (size_t)d];
        }
    }
    for (int d = 0; d < 3 && total > 0; ++d) {
        center[d] /= total;
    }
    return total > 0;
}

/* Of unit norm or zero. */
static void normalise(double *column, size_t n)
{
    double square = 0;
    for (size_t v = 0; v < n; ++v) {
        square += column[v] * column[v];
    }
    for (size_t v = 0; v < n; ++v) {
        column[v] = square > 0 ? column[v] / sqrt(square) : 0;
    }
}

/* sqrt(m) D E[., column] */
static void fill_morph(const sn_fullspace_input *in, size_t column, double *values)
{
    const size_t n = (size_t)in->mesh.vertex_count, columns = 3 * (size_t)in->pair_count;
    for (size_t v = 0; v < n; ++v) {
        values[v] = sqrt(in->mass[v]) * in->leak[v] * in->morph_columns[v * columns + column];
    }
    normalise(values, n);
}

/* sqrt(m) D g (x - center), the last one without the x, of unit norm or zero. Returns their number. */
static int fill_columns(const sn_fullspace_input *in, size_t bone, const double *center, double *columns)
{
    const size_t n = (size_t)in->mesh.vertex_count;
    const size_t first = in->is_translated && in->is_translated[bone] ? ROWS_PER_BONE - 1 : 0;
    for (size_t k = first; k < ROWS_PER_BONE; ++k, columns += n) {
        for (size_t v = 0; v < n; ++v) {
            const double weight = sqrt(in->mass[v]) * in->leak[v] * in->rig_weights[v * (size_t)in->bone_count + bone];
            columns[v] = weight * (k < 3 ? in->mesh.positions[3 * v + k] - center[k] : 1);
        }
        normalise(columns, n);
    }
    return (int)(ROWS_PER_BONE - first);
}

/* Moves the independent columns to the front, in their order; returns their number, or -1. */
static int keep_independent(double *columns, int vertex_count, int count)
{
    sn_arena scratch = {0};
    const size_t n = (size_t)vertex_count, size = (size_t)count;
    double *gram = SN_NEW(&scratch, double, size *size), *work = SN_NEW(&scratch, double, 2 * size);
    int32_t *pivots = SN_NEW(&scratch, int32_t, size);
    bool *is_kept = SN_NEW(&scratch, bool, size);
    int kept = -1;
    if (gram && work && pivots && is_kept) {
        sn_dense_gram(columns, columns, vertex_count, count, gram);
        const int rank = sn_pivoted_cholesky(count, gram, DROP_TOLERANCE, work, pivots);
        for (int i = 0; i < rank; ++i) {
            is_kept[pivots[i]] = true;
        }
        kept = 0;
        for (size_t i = 0; i < size; ++i) {
            if (is_kept[i]) {
                memmove(columns + (size_t)kept++ * n, columns + i * n, n * sizeof *columns);
            }
        }
    }
    sn_arena_finish(&scratch);
    return kept;
}

static sn_result build_rows(sn_fullspace_solver *solver)
{
    const sn_fullspace_input *in = &solver->input;
    sn_fullspace_constraint *c = &solver->constraint;
    const size_t n = (size_t)in->mesh.vertex_count;
    int count = 0;
    c->rows = SN_NEW(&solver->arena, double, n *((size_t)in->bone_count * ROWS_PER_BONE + 3 * (size_t)in->pair_count));
    if (!c->rows) {
        return SN_ERROR_MEMORY;
    }
    for (int bone = 0; bone < in->bone_count; ++bone) {
        double center[3];
        if (find_center(in, (size_t)bone, center)) {
            count += fill_columns(in, (size_t)bone, center, c->rows + (size_t)count * n);
        }
    }
    for (int column = 0; column < 3 * in->pair_count; ++column, ++count) {
        fill_morph(in, (size_t)column, c->rows + (size_t)count * n);
    }
    c->row_count = keep_independent(c->rows, in->mesh.vertex_count, count);
    for (int i = 0; i < c->row_count; ++i) {
        for (size_t v = 0; v < n; ++v) {
            c->rows[(size_t)i * n + v] *= sqrt(in->mass[v]);
        }
    }
    return c->row_count >= 0 ? SN_OK : SN_ERROR_MEMORY;
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

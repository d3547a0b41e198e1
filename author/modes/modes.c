/* SPDX-License-Identifier: MIT */
/* Constrained skinning eigenmodes (fast complementary dynamics, the eigenproblem of the weight-space Hessian): the
 * smallest pairs of H w = E M w with A w = 0, as the largest of a projected inverse. With x = M^1/2 w, Q = M^-1/2 A^T,
 * s the squared diagonal of the model and K = s M^-1/2 H M^-1/2 + I: P = K^-1 - K^-1 Q S^-1 Q^T K^-1,   S = Q^T K^-1 Q,
 * P x = theta x,   E = (1 / theta - 1) / s. The shift of 1 at unit size keeps K definite where H has a null space and
 * costs no accuracy; a shift of 1e-10 was tried and loses every digit. Small problems are solved densely in a basis of
 * the complement of Q. */
#include "author/modes/modes.h"

#include <math.h>
#include <string.h>

#include "author/modes/lanczos.h"

/* Below this many vertices the dense problem is the faster one; below so many dimensions a mode Lanczos runs dry. */
#define DENSE_SIZE 200
#define DENSE_DIMENSIONS_PER_MODE 4

#define SIGN_TIE 1e-6 /* entries this close, relatively, count as equally large */

/* K in place of H. */
static void scale_hessian(const sn_sparse *hessian, const double *mass, double unit)
{
    for (int column = 0; column < hessian->size; column++) {
        for (int32_t i = hessian->column_starts[column]; i < hessian->column_starts[column + 1]; i++) {
            hessian->values[i] *= unit / sqrt(mass[column] * mass[hessian->rows[i]]);
            hessian->values[i] += hessian->rows[i] == column ? 1 : 0;
        }
    }
}

/* ---- the constraint's columns ---- */

static int count_filled(size_t n, const double *row)
{
    int count = 0;
    for (size_t v = 0; v < n; v++) {
        count += row[v] != 0;
    }
    return count;
}

static bool has_pattern(const double *row, int filled, const sn_column_block *block)
{
    bool is_same = filled == block->row_count;
    for (int i = 0; is_same && i < filled; i++) {
        is_same = row[block->rows[i]] != 0;
    }
    return is_same;
}

static sn_result start_block(size_t n, const double *row, int filled, sn_arena *scratch, sn_column_block *block)
{
    *block = (sn_column_block){.row_count = filled, .rows = SN_NEW(scratch, int32_t, filled)};
    for (size_t v = 0, next = 0; block->rows && v < n; v++) {
        if (row[v] != 0) {
            block->rows[next++] = (int32_t)v;
        }
    }
    return block->rows ? SN_OK : SN_ERROR_MEMORY;
}

/* The block's values from its rows of A. */
static sn_result fill_block(size_t n, const double *rows, const double *mass, sn_arena *scratch, sn_column_block *block)
{
    const size_t filled = (size_t)block->row_count, count = filled * (size_t)block->column_count;
    block->values = SN_NEW(scratch, double, count);
    for (size_t i = 0; block->values && i < count; i++) {
        const size_t v = (size_t)block->rows[i % filled];
        block->values[i] = rows[i / filled * n + v] / sqrt(mass[v]);
    }
    return block->values ? SN_OK : SN_ERROR_MEMORY;
}

/* Q = M^-1/2 A^T: rows of A that are not zero at the same vertices, as those of a bone, in a block. */
static sn_result list_columns(const sn_constraint *constraint, size_t n, const double *mass, sn_arena *scratch,
                              sn_sparse_columns *columns)
{
    const size_t count = (size_t)constraint->row_count;
    sn_column_block *blocks = SN_NEW(scratch, sn_column_block, count);
    *columns = (sn_sparse_columns){.column_count = constraint->row_count, .blocks = blocks};
    sn_result result = blocks ? SN_OK : SN_ERROR_MEMORY;
    for (size_t r = 0; r < count && result == SN_OK; r++) {
        const double *row = constraint->rows + r * n;
        const int filled = count_filled(n, row);
        if (r == 0 || !has_pattern(row, filled, &blocks[columns->block_count - 1])) {
            result = start_block(n, row, filled, scratch, &blocks[columns->block_count++]);
        }
        blocks[columns->block_count - 1].column_count++;
    }
    const double *rows = constraint->rows;
    for (int b = 0; b < columns->block_count && result == SN_OK; b++) {
        result = fill_block(n, rows, mass, scratch, &blocks[b]);
        rows += (size_t)blocks[b].column_count * n;
    }
    return result;
}

/* ---- the dense problem ---- */

static void multiply(int rows, int columns, int inner, const double *a, bool transpose_a, const double *b, double *c)
{
    sn_dense_multiply(&(sn_gemm){.transpose_a = transpose_a,
                                 .m = rows,
                                 .n = columns,
                                 .k = inner,
                                 .alpha = 1,
                                 .a = a,
                                 .lda = transpose_a ? inner : rows,
                                 .b = b,
                                 .ldb = inner,
                                 .c = c,
                                 .ldc = rows});
}

/* basis (size x (size - column_count)): orthonormal, and orthogonal to the constraints. */
static sn_result complement(const sn_projected_problem *problem, double *work, double *basis)
{
    const sn_sparse_columns *q = &problem->constraints;
    memset(work, 0, sizeof *work * (size_t)problem->size * (size_t)q->column_count);
    sn_columns_expand(q, problem->size, work);
    return sn_dense_complement(problem->size, q->column_count, work, basis);
}

static void expand_matrix(const sn_sparse *matrix, double *dense)
{
    const size_t n = (size_t)matrix->size;
    for (size_t column = 0; column < n; column++) {
        for (int32_t i = matrix->column_starts[column]; i < matrix->column_starts[column + 1]; i++) {
            const size_t row = (size_t)matrix->rows[i];
            dense[column * n + row] = matrix->values[i];
            dense[row * n + column] = matrix->values[i];
        }
    }
}

static sn_result solve_dense(const sn_projected_problem *problem, const sn_sparse *matrix, int wanted,
                             sn_arena *scratch, sn_pair_list *pairs)
{
    const int n = problem->size, kept = n - problem->constraints.column_count;
    const size_t square = (size_t)n * (size_t)n;
    double *basis = SN_NEW(scratch, double, square), *dense = SN_NEW(scratch, double, square);
    double *product = SN_NEW(scratch, double, square), *values = SN_NEW(scratch, double, n);
    *pairs = (sn_pair_list){.count = wanted, .values = SN_NEW(scratch, double, wanted), .vectors = product};
    if (!basis || !dense || !product || !values || !pairs->values) {
        return SN_ERROR_MEMORY;
    }
    sn_result result = complement(problem, product, basis);
    if (result == SN_OK) {
        expand_matrix(matrix, dense);
        multiply(n, kept, n, dense, false, basis, product);
        multiply(kept, kept, n, basis, true, product, dense);
        result = sn_symmetric_eigen(kept, dense, values);
        multiply(n, wanted, kept, basis, false, dense, product);
    }
    for (int i = 0; i < wanted; i++) {
        pairs->values[i] = 1 / values[i];
    }
    return result;
}

/* ---- all modes ---- */

static sn_result solve_sparse(sn_projected_problem *problem, const sn_sparse *matrix, int wanted, sn_arena *scratch,
                              sn_pair_list *pairs)
{
    sn_result result = sn_factor_create(matrix, "modes", &problem->factor);
    if (result == SN_OK) {
        result = sn_lanczos_largest(problem, wanted, scratch, pairs);
    }
    sn_factor_destroy(&problem->factor);
    return result;
}

static double sign_of_largest(size_t n, size_t stride, const double *w)
{
    double largest = 0;
    size_t first = 0;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(w[i * stride]));
    }
    while (first + 1 < n && fabs(w[first * stride]) < (1 - SIGN_TIE) * largest) {
        first++;
    }
    return w[first * stride] < 0 ? -1 : 1;
}

/* w = M^-1/2 x, with the sign of the docstring. */
static void write_mode(size_t n, const double *mass, const double *x, const sn_modes *modes, int mode)
{
    const size_t stride = (size_t)modes->mode_count;
    double *w = modes->weights + mode, square = 0;
    for (size_t i = 0; i < n; i++) {
        square += x[i] * x[i];
    }
    for (size_t i = 0; i < n; i++) {
        w[i * stride] = x[i] / sqrt(square * mass[i]);
    }
    const double sign = sign_of_largest(n, stride, w);
    for (size_t i = 0; i < n; i++) {
        w[i * stride] *= sign;
    }
}

static sn_result solve_modes(sn_projected_problem *problem, const sn_sparse *hessian, const double *mass, double unit,
                             sn_arena *scratch, const sn_modes *modes)
{
    const int kept = problem->size - problem->constraints.column_count, wanted = modes->mode_count;
    const bool is_dense = problem->size <= DENSE_SIZE || kept < DENSE_DIMENSIONS_PER_MODE * wanted;
    sn_pair_list pairs = {0};
    scale_hessian(hessian, mass, unit);
    const sn_result result = is_dense ? solve_dense(problem, hessian, wanted, scratch, &pairs)
                                      : solve_sparse(problem, hessian, wanted, scratch, &pairs);
    if (result != SN_OK) {
        return result;
    }
    for (int i = 0; i < wanted; i++) {
        modes->eigenvalues[i] = fmax(0, (1 / pairs.values[i] - 1) / unit);
        write_mode((size_t)problem->size, mass, pairs.vectors + (size_t)i * (size_t)problem->size, modes, i);
    }
    return SN_OK;
}

sn_result sn_modes_build(const sn_tet_mesh *mesh, const double *gradients, const double *volumes, const double *mass,
                         const double *stiffness, const sn_constraint *constraint, int mode_count, sn_arena *arena,
                         sn_modes *modes)
{
    const int n = mesh->vertex_count, kept = n - constraint->row_count;
    if (mode_count <= 0 || mode_count > kept) {
        return sn_fail(SN_ERROR_ARGUMENT, "%d modes asked for; %d vertices less %d constraint rows leave %d",
                       mode_count, n, constraint->row_count, kept);
    }
    double low[3], high[3];
    const double diagonal = sn_tet_mesh_box(mesh, low, high);
    sn_arena scratch = {0};
    sn_sparse hessian = {0};
    *modes = (sn_modes){.mode_count = mode_count,
                        .eigenvalues = SN_NEW(arena, double, mode_count),
                        .weights = SN_NEW(arena, double, (size_t)n *(size_t)mode_count)};
    sn_projected_problem problem = {.size = n};
    sn_result result = modes->eigenvalues && modes->weights ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = list_columns(constraint, (size_t)n, mass, &scratch, &problem.constraints);
    }
    if (result == SN_OK) {
        result = sn_laplacian_build(mesh, gradients, volumes, stiffness, NULL, &scratch, &hessian);
    }
    if (result == SN_OK) {
        result = solve_modes(&problem, &hessian, mass, diagonal * diagonal, &scratch, modes);
    }
    sn_arena_finish(&scratch);
    return result;
}

/* SPDX-License-Identifier: MIT */
/* Constrained skinning eigenmodes (fast complementary dynamics, the eigenproblem of the weight-space Hessian): the
 * smallest eigenpairs of H w = E M w with A w = 0, computed as the largest of a projected inverse. With x = M^1/2 w, Q
 * = M^-1/2 A^T, s = the squared diagonal of the model times its density, and K = s M^-1/2 H M^-1/2 + I: P = K^-1 - K^-1
 * Q S^-1 Q^T K^-1, S = Q^T K^-1 Q, P x = theta x, E = (1 / theta - 1) / s. The shift of 1 at unit size keeps K definite
 * where H has a null space, at no cost of accuracy; a tiny shift would lose all digits. Pinned vertices are not
 * unknowns. Small problems are solved densely in a basis of the complement of Q. */
#include "author/modes/modes.h"

#include <math.h>
#include <string.h>

#include "author/modes/constraint/problem.h"
#include "author/modes/eigen/large.h"
#include "author/sparse/laplacian.h"

/* The dense solver is used up to this many vertices, or if there are fewer dimensions per mode than this, which is too
 * few for Lanczos. */
#define DENSE_SIZE 200
#define DENSE_DIMENSIONS_PER_MODE 4

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

/* basis (size x (size - column_count)): orthonormal and orthogonal to the constraints. */
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

static sn_result solve_dense(const sn_projected_problem *problem, const sn_sparse *matrix, int requested,
                             sn_arena *scratch, sn_pair_list *pairs)
{
    const int n = problem->size, free_dimensions = n - problem->constraints.column_count;
    const size_t square = (size_t)n * (size_t)n;
    double *basis = SN_NEW(scratch, double, square), *dense = SN_NEW(scratch, double, square);
    double *product = SN_NEW(scratch, double, square), *values = SN_NEW(scratch, double, n);
    *pairs = (sn_pair_list){.count = requested, .values = SN_NEW(scratch, double, requested), .vectors = product};
    if (!basis || !dense || !product || !values || !pairs->values) {
        return SN_ERROR_MEMORY;
    }
    sn_result result = complement(problem, product, basis);
    if (result == SN_OK) {
        expand_matrix(matrix, dense);
        multiply(n, free_dimensions, n, dense, false, basis, product);
        multiply(free_dimensions, free_dimensions, n, basis, true, product, dense);
        result = sn_symmetric_eigen(free_dimensions, dense, values);
        multiply(n, requested, free_dimensions, basis, false, dense, product);
    }
    for (int i = 0; i < requested; i++) {
        pairs->values[i] = 1 / values[i];
    }
    return result;
}

/* ---- all modes ---- */

static sn_result solve_sparse(sn_projected_problem *problem, const sn_sparse *matrix, int requested, sn_arena *scratch,
                              sn_pair_list *pairs)
{
    sn_result result = sn_factor_create(matrix, "modes", &problem->factor);
    if (result == SN_OK) {
        result = sn_lanczos_largest(problem, requested, scratch, pairs);
    }
    sn_factor_destroy(&problem->factor);
    return result;
}

static sn_result solve_modes(sn_projected_problem *problem, const sn_sparse *matrix, int requested, sn_arena *scratch,
                             sn_pair_list *pairs)
{
    const int free_dimensions = problem->size - problem->constraints.column_count;
    const bool is_dense = problem->size <= DENSE_SIZE || free_dimensions < DENSE_DIMENSIONS_PER_MODE * requested;
    return is_dense ? solve_dense(problem, matrix, requested, scratch, pairs)
                    : solve_sparse(problem, matrix, requested, scratch, pairs);
}

/* Large problems are first solved without a factor; if that does not converge, with one. */
static sn_result find_pairs(const sn_mode_problem *p, const double *positions, int requested, sn_arena *scratch,
                            sn_pair_list *pairs)
{
    sn_projected_problem problem = {.size = (int)p->unknowns.count, .constraints = p->constraints};
    bool is_solved = false;
    if (sn_modes_is_large(p) && requested <= SN_LARGE_MODE_LIMIT) {
        const sn_result result = sn_modes_compute_large(p, positions, requested, scratch, pairs, &is_solved);
        if (result != SN_OK) {
            return result;
        }
    }
    return is_solved ? SN_OK : solve_modes(&problem, &p->matrix, requested, scratch, pairs);
}

static sn_result find_modes(const sn_mode_problem *p, const double *positions, sn_arena *scratch, const sn_modes *modes)
{
    sn_pair_list pairs = {0};
    SN_TRY(find_pairs(p, positions, modes->mode_count, scratch, &pairs));
    for (int i = 0; i < modes->mode_count; i++) {
        modes->eigenvalues[i] = fmax(0, (1 / pairs.values[i] - 1) / p->unit);
        sn_mode_write(p, pairs.vectors + (size_t)i * p->unknowns.count, modes, i);
    }
    return SN_OK;
}

sn_result sn_modes_build(const sn_tet_mesh *mesh, const double *gradients, const double *volumes, const double *mass,
                         const double *stiffness, const sn_constraint *constraint, int mode_count, sn_arena *arena,
                         sn_modes *modes)
{
    const size_t n = (size_t)mesh->vertex_count;
    sn_sparse hessian = {0};
    const sn_mode_elements e = {mesh, gradients, volumes, stiffness, &hessian};
    sn_arena scratch = {0};
    sn_mode_problem problem = {0};
    sn_result result = sn_laplacian_build(mesh, gradients, volumes, stiffness, NULL, arena, &hessian);
    result = result == SN_OK ? sn_mode_problem_build(&e, mass, constraint, &scratch, &problem) : result;
    const size_t free_count = problem.unknowns.count;
    const int free_dimensions = (int)free_count - constraint->row_count;
    if (result == SN_OK && (mode_count <= 0 || mode_count > free_dimensions)) {
        result = sn_fail_within(SN_ERROR_ARGUMENT,
                                "%d modes requested, but %zu vertices minus %zu pinned and %d constraint rows leave %d",
                                mode_count, n, n - free_count, constraint->row_count, free_dimensions);
    }
    if (result == SN_OK) {
        *modes = (sn_modes){.mode_count = mode_count,
                            .eigenvalues = SN_NEW(arena, double, mode_count),
                            .weights = SN_NEW(arena, double, n *(size_t)mode_count),
                            .hessian = hessian};
        result = modes->eigenvalues && modes->weights ? SN_OK : SN_ERROR_MEMORY;
    }
    if (result == SN_OK) {
        result = find_modes(&problem, mesh->positions, &scratch, modes);
    }
    sn_arena_finish(&scratch);
    return result;
}

/* SPDX-License-Identifier: MIT */
/* Constrained skinning eigenmodes (fast complementary dynamics, the eigenproblem of the weight-space Hessian): the
 * smallest pairs of H w = E M w with A w = 0, as the largest of a projected inverse. With x = M^1/2 w, Q = M^-1/2 A^T,
 * s the squared diagonal of the model and K = s M^-1/2 H M^-1/2 + I: P = K^-1 - K^-1 Q S^-1 Q^T K^-1,   S = Q^T K^-1 Q,
 * P x = theta x,   E = (1 / theta - 1) / s. The shift of 1 at unit size keeps K definite where H has a null space and
 * costs no accuracy; a shift of 1e-10 was tried and loses every digit. Pinned vertices are no unknowns. Small problems
 * are solved densely in a basis of the complement of Q. */
#include "author/modes/modes.h"

#include <math.h>
#include <string.h>

#include "author/modes/lanczos.h"

/* Below this many vertices the dense problem is the faster one; below so many dimensions a mode Lanczos runs dry. */
#define DENSE_SIZE 200
#define DENSE_DIMENSIONS_PER_MODE 4

#define SIGN_TIE 1e-6 /* entries this close, relatively, count as equally large */

/* The vertices that are not pinned. */
typedef struct unknowns {
    size_t count;
    int32_t *vertices; /* (count) ascending */
    int32_t *places;   /* (vertex_count) back, -1: pinned */
    double *mass;      /* (count) */
} unknowns;

static sn_result list_unknowns(const bool *is_pinned, size_t vertex_count, const double *mass, sn_arena *scratch,
                               unknowns *u)
{
    *u = (unknowns){0, SN_NEW(scratch, int32_t, vertex_count), SN_NEW(scratch, int32_t, vertex_count),
                    SN_NEW(scratch, double, vertex_count)};
    if (!u->vertices || !u->places || !u->mass) {
        return SN_ERROR_MEMORY;
    }
    for (size_t v = 0; v < vertex_count; v++) {
        u->places[v] = -1;
        if (!is_pinned || !is_pinned[v]) {
            u->vertices[u->count] = (int32_t)v;
            u->mass[u->count] = mass[v];
            u->places[v] = (int32_t)u->count++;
        }
    }
    return SN_OK;
}

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

static int count_filled(const unknowns *u, const double *row)
{
    int count = 0;
    for (size_t i = 0; i < u->count; i++) {
        count += row[u->vertices[i]] != 0;
    }
    return count;
}

static bool has_pattern(const unknowns *u, const double *row, int filled, const sn_column_block *block)
{
    bool is_same = filled == block->row_count;
    for (int i = 0; is_same && i < filled; i++) {
        is_same = row[u->vertices[block->rows[i]]] != 0;
    }
    return is_same;
}

static sn_result start_block(const unknowns *u, const double *row, int filled, sn_arena *scratch,
                             sn_column_block *block)
{
    *block = (sn_column_block){.row_count = filled, .rows = SN_NEW(scratch, int32_t, filled)};
    for (size_t i = 0, next = 0; block->rows && i < u->count; i++) {
        if (row[u->vertices[i]] != 0) {
            block->rows[next++] = (int32_t)i;
        }
    }
    return block->rows ? SN_OK : SN_ERROR_MEMORY;
}

/* The block's values from its rows of A, each as long as there are vertices. */
static sn_result fill_block(const unknowns *u, const double *rows, size_t vertex_count, sn_arena *scratch,
                            sn_column_block *block)
{
    const size_t filled = (size_t)block->row_count, count = filled * (size_t)block->column_count;
    block->values = SN_NEW(scratch, double, count);
    for (size_t i = 0; block->values && i < count; i++) {
        const size_t place = (size_t)block->rows[i % filled];
        block->values[i] = rows[i / filled * vertex_count + (size_t)u->vertices[place]] / sqrt(u->mass[place]);
    }
    return block->values ? SN_OK : SN_ERROR_MEMORY;
}

/* Q = M^-1/2 A^T: rows of A that are not zero at the same vertices, as those of a bone, in a block. */
static sn_result list_columns(const sn_constraint *constraint, size_t n, const unknowns *u, sn_arena *scratch,
                              sn_sparse_columns *columns)
{
    const size_t count = (size_t)constraint->row_count;
    sn_column_block *blocks = SN_NEW(scratch, sn_column_block, count);
    *columns = (sn_sparse_columns){.column_count = constraint->row_count, .blocks = blocks};
    sn_result result = blocks ? SN_OK : SN_ERROR_MEMORY;
    for (size_t r = 0; r < count && result == SN_OK; r++) {
        const double *row = constraint->rows + r * n;
        const int filled = count_filled(u, row);
        if (r == 0 || !has_pattern(u, row, filled, &blocks[columns->block_count - 1])) {
            result = start_block(u, row, filled, scratch, &blocks[columns->block_count++]);
        }
        blocks[columns->block_count - 1].column_count++;
    }
    const double *rows = constraint->rows;
    for (int b = 0; b < columns->block_count && result == SN_OK; b++) {
        result = fill_block(u, rows, n, scratch, &blocks[b]);
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

/* w = M^-1/2 x, with the sign of the docstring; 0 at pins. */
static void write_mode(const unknowns *u, size_t vertex_count, const double *x, const sn_modes *modes, int mode)
{
    const size_t stride = (size_t)modes->mode_count;
    double *w = modes->weights + mode, square = 0;
    for (size_t i = 0; i < u->count; i++) {
        square += x[i] * x[i];
    }
    for (size_t i = 0; i < u->count; i++) {
        w[(size_t)u->vertices[i] * stride] = x[i] / sqrt(square * u->mass[i]);
    }
    const double sign = sign_of_largest(vertex_count, stride, w);
    for (size_t i = 0; i < u->count; i++) {
        w[(size_t)u->vertices[i] * stride] *= sign;
    }
}

static sn_result solve_modes(sn_projected_problem *problem, const sn_sparse *matrix, int wanted, sn_arena *scratch,
                             sn_pair_list *pairs)
{
    const int kept = problem->size - problem->constraints.column_count;
    const bool is_dense = problem->size <= DENSE_SIZE || kept < DENSE_DIMENSIONS_PER_MODE * wanted;
    return is_dense ? solve_dense(problem, matrix, wanted, scratch, pairs)
                    : solve_sparse(problem, matrix, wanted, scratch, pairs);
}

typedef struct elements {
    const sn_tet_mesh *mesh;
    const double *gradients, *volumes, *stiffness;
} elements;

/* K of the unknowns. */
static sn_result build_matrix(const elements *e, const unknowns *u, double unit, sn_arena *scratch, sn_sparse *matrix)
{
    const sn_result result = sn_laplacian_build(e->mesh, e->gradients, e->volumes, e->stiffness, NULL, scratch, matrix);
    if (result == SN_OK) {
        sn_sparse_keep(matrix, u->places);
        scale_hessian(matrix, u->mass, unit);
    }
    return result;
}

static sn_result find_modes(const elements *e, const unknowns *u, const sn_constraint *constraint, sn_arena *scratch,
                            const sn_modes *modes)
{
    const size_t n = (size_t)e->mesh->vertex_count;
    double low[3], high[3];
    const double diagonal = sn_tet_mesh_box(e->mesh, low, high), unit = diagonal * diagonal;
    sn_projected_problem problem = {.size = (int)u->count};
    sn_sparse matrix = {0};
    sn_pair_list pairs = {0};
    sn_result result = list_columns(constraint, n, u, scratch, &problem.constraints);
    if (result == SN_OK) {
        result = build_matrix(e, u, unit, scratch, &matrix);
    }
    if (result == SN_OK) {
        result = solve_modes(&problem, &matrix, modes->mode_count, scratch, &pairs);
    }
    for (int i = 0; i < modes->mode_count && result == SN_OK; i++) {
        modes->eigenvalues[i] = fmax(0, (1 / pairs.values[i] - 1) / unit);
        write_mode(u, n, pairs.vectors + (size_t)i * u->count, modes, i);
    }
    return result;
}

sn_result sn_modes_build(const sn_tet_mesh *mesh, const double *gradients, const double *volumes, const double *mass,
                         const double *stiffness, const sn_constraint *constraint, int mode_count, sn_arena *arena,
                         sn_modes *modes)
{
    const size_t n = (size_t)mesh->vertex_count;
    const elements e = {mesh, gradients, volumes, stiffness};
    sn_arena scratch = {0};
    unknowns u;
    sn_result result = list_unknowns(constraint->is_pinned, n, mass, &scratch, &u);
    const int kept = (int)u.count - constraint->row_count;
    if (result == SN_OK && (mode_count <= 0 || mode_count > kept)) {
        result = sn_fail(SN_ERROR_ARGUMENT,
                         "%d modes asked for; %zu vertices less %zu pinned and %d constraint rows leave %d", mode_count,
                         n, n - u.count, constraint->row_count, kept);
    }
    if (result == SN_OK) {
        *modes = (sn_modes){.mode_count = mode_count,
                            .eigenvalues = SN_NEW(arena, double, mode_count),
                            .weights = SN_NEW(arena, double, n *(size_t)mode_count)};
        result = modes->eigenvalues && modes->weights ? SN_OK : SN_ERROR_MEMORY;
    }
    if (result == SN_OK) {
        result = find_modes(&e, &u, constraint, &scratch, modes);
    }
    sn_arena_finish(&scratch);
    return result;
}

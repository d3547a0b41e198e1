/* SPDX-License-Identifier: MIT */
/* Solves pencils as author/modes does, for any matrices: the largest eigenpairs of the projected inverse of unit M^-1/2
 * H M^-1/2 + 1. */
#include "research/baselines/pencil.h"

#include <math.h>
#include <string.h>

#include "author/modes/eigen/large.h"

/* Max. unknowns for a sparse factorization, which needs 7.5 GB for a million unknowns of a thick body. Below,
 * factorization is faster for thin bodies, and for thick bodies if many modes are computed. */
#define LATTICE_SIZE 400000
/* Min. dimensions per pair that Lanczos needs. */
#define DIMENSIONS_PER_PAIR 4

static sn_result number_unknowns(const sn_pencil *pencil, sn_arena *scratch, sn_pencil_system *system)
{
    const size_t axes = (size_t)pencil->axis_count, count = axes * (size_t)pencil->vertex_count;
    const bool *is_pinned = pencil->constraint->is_pinned;
    system->slots = SN_NEW(scratch, int32_t, count);
    for (size_t i = 0; i < count && system->slots; ++i) {
        system->slots[i] = is_pinned && is_pinned[i / axes] ? -1 : (int32_t)system->problem.size++;
    }
    return system->slots ? SN_OK : SN_ERROR_MEMORY;
}

static void scale_matrix(sn_pencil *pencil, double shift)
{
    sn_sparse *m = &pencil->matrix;
    for (int column = 0; column < m->size; ++column) {
        for (int32_t i = m->column_starts[column]; i < m->column_starts[column + 1]; ++i) {
            const double masses =
                pencil->mass[column / pencil->axis_count] * pencil->mass[m->rows[i] / pencil->axis_count];
            m->values[i] *= pencil->unit / sqrt(masses);
            m->values[i] += m->rows[i] == column ? shift : 0;
        }
    }
}

/* Builds M^-1/2 A^T with one block per axis. */
static sn_result list_columns(const sn_pencil *pencil, sn_arena *scratch, sn_pencil_system *system)
{
    const size_t n = (size_t)pencil->vertex_count, rows = (size_t)pencil->constraint->row_count;
    const size_t axes = (size_t)pencil->axis_count, filled = (size_t)system->problem.size / axes;
    sn_column_block *blocks = SN_NEW(scratch, sn_column_block, axes);
    if (!blocks) {
        return SN_ERROR_MEMORY;
    }
    for (size_t d = 0; d < axes && rows > 0; ++d) {
        blocks[d] = (sn_column_block){.column_count = (int)rows,
                                      .row_count = (int)filled,
                                      .rows = SN_NEW(scratch, int32_t, filled),
                                      .values = SN_NEW(scratch, double, filled *rows)};
        if (!blocks[d].rows || !blocks[d].values) {
            return SN_ERROR_MEMORY;
        }
        for (size_t v = 0, next = 0; v < n; ++v) {
            const int32_t slot = system->slots[axes * v + d];
            for (size_t r = 0; r < rows && slot >= 0; ++r) {
                blocks[d].values[r * filled + next] = pencil->constraint->rows[r * n + v] / sqrt(pencil->mass[v]);
            }
            if (slot >= 0) {
                blocks[d].rows[next++] = slot;
            }
        }
    }
    system->problem.constraints = (sn_sparse_columns){
        .column_count = (int)(axes * rows), .block_count = rows > 0 ? (int)axes : 0, .blocks = blocks};
    return SN_OK;
}

/* Prepares everything except the factor. */
static sn_result prepare(sn_pencil *pencil, double shift, sn_arena *scratch, sn_pencil_system *system)
{
    *system = (sn_pencil_system){.slots = NULL};
    SN_TRY(number_unknowns(pencil, scratch, system));
    scale_matrix(pencil, shift);
    sn_sparse_select(&pencil->matrix, system->slots);
    return list_columns(pencil, scratch, system);
}

static sn_result factor(const sn_pencil *pencil, sn_pencil_system *system)
{
    return sn_factor_create(&pencil->matrix, "comparison modes", &system->problem.factor);
}

sn_result sn_pencil_factor(sn_pencil *pencil, double shift, sn_arena *scratch, sn_pencil_system *system)
{
    SN_TRY(prepare(pencil, shift, scratch, system));
    return factor(pencil, system);
}

void sn_pencil_release(sn_pencil_system *system)
{
    sn_factor_destroy(&system->problem.factor);
}

/* Writes backwards, because `vectors` may be the same array as the pairs' vectors. */
static void write_vectors(const sn_pencil *pencil, const sn_pencil_system *system, const sn_pair_list *pairs,
                          double *vectors)
{
    const size_t axes = (size_t)pencil->axis_count, count = axes * (size_t)pencil->vertex_count;
    for (size_t p = (size_t)pairs->count; p-- > 0;) {
        const double *x = pairs->vectors + p * (size_t)system->problem.size;
        for (size_t i = count; i-- > 0;) {
            const int32_t slot = system->slots[i];
            vectors[p * count + i] = slot < 0 ? 0 : x[slot] / sqrt(pencil->mass[i / axes]);
        }
    }
}

/* Finds pairs. Their vectors are stored in `vectors` or in other memory. */
static sn_result find_pairs(const sn_pencil *pencil, sn_pencil_system *system, int pair_count, sn_arena *scratch,
                            double *vectors, sn_pair_list *pairs)
{
    const bool is_on_lattice = pencil->method == SN_EIGEN_LATTICE ||
                               (pencil->method == SN_EIGEN_BY_SIZE && system->problem.size > LATTICE_SIZE &&
                                system->problem.constraints.column_count <= SN_LARGE_ROW_LIMIT);
    bool is_converged = false;
    *pairs = (sn_pair_list){.values = SN_NEW(scratch, double, pair_count), .vectors = vectors};
    if (!pairs->values) {
        return SN_ERROR_MEMORY;
    }
    if (is_on_lattice) {
        SN_TRY(sn_pencil_solve_on_lattice(pencil, system, pair_count, pairs, &is_converged));
    }
    if (!is_converged && pencil->method == SN_EIGEN_LATTICE) {
        return sn_fail(SN_ERROR_NUMERIC, "comparison modes: no convergence on the lattice");
    }
    if (!is_converged) {
        SN_TRY(factor(pencil, system));
        SN_TRY(sn_lanczos_largest(&system->problem, pair_count, scratch, pairs));
    }
    return SN_OK;
}

sn_result sn_pencil_smallest(sn_pencil *pencil, int pair_count, double *eigenvalues, double *vectors)
{
    sn_arena scratch = {0};
    sn_pencil_system system;
    sn_pair_list pairs = {0};
    sn_result result = prepare(pencil, 1, &scratch, &system);
    const int free_dimensions = system.problem.size - system.problem.constraints.column_count;
    if (result == SN_OK && free_dimensions < DIMENSIONS_PER_PAIR * pair_count) {
        result = sn_fail(SN_ERROR_ARGUMENT, "%d comparison modes requested; the problem has only %d dimensions",
                         pair_count, free_dimensions);
    }
    if (result == SN_OK) {
        result = find_pairs(pencil, &system, pair_count, &scratch, vectors, &pairs);
    }
    for (int i = 0; i < pair_count && result == SN_OK; ++i) {
        eigenvalues[i] = fmax(0, (1 / pairs.values[i] - 1) / pencil->unit);
    }
    if (result == SN_OK) {
        write_vectors(pencil, &system, &pairs, vectors);
    }
    sn_pencil_release(&system);
    sn_arena_finish(&scratch);
    return result;
}

/* SPDX-License-Identifier: MIT */
/* If T Q is not stored, T is applied a second time, to the residual without its multipliers. For a rig with many rows,
 * each zero almost everywhere, T Q would need most of the memory, and reading it would take as long as a cycle. It is
 * stored in float, the precision of the cycle. */
#include "author/modes/constraint/complement.h"

#include <string.h>

#include "author/modes/constraint/row_products.h"

#define LANES SN_TWO_GRID_LANES

static size_t tile_rows(const sn_complement *c, size_t first)
{
    const size_t remaining = c->q.size - first;
    return remaining < SN_TILE_ROWS ? remaining : SN_TILE_ROWS;
}

/* ---- the matrices of the constraint ---- */

/* Columns of the chunk that starts at `first`. */
static size_t chunk_width(const sn_complement *c, size_t first)
{
    const size_t remaining = (c->count - first + LANES - 1) / LANES * LANES;
    return remaining < c->max_width ? remaining : c->max_width;
}

/* The lower triangle of Q^T Q. */
static void build_gram(const sn_complement *c)
{
    for (size_t first = 0; first < c->count; first += c->max_width) {
        const size_t width = chunk_width(c, first);
        memset(c->work, 0, c->count * width * sizeof *c->work);
        for (size_t t = 0; t < c->q.tile_count; ++t) {
            sn_tiled_columns_expand(&c->q, t, first, width, c->tile);
            sn_tiled_columns_gather(&c->q, t, first, width, c->tile, c->packed, c->work);
        }
        for (size_t k = first; k < c->count && k < first + width; ++k) {
            for (size_t i = k; i < c->count; ++i) {
                c->gram[k * c->count + i] = c->work[i * width + k - first];
            }
        }
    }
}

/* Writes columns of the basis R = Q change of Q's span into the grid's residual; change (count^2) is upper triangular.
 */
static void load_basis(const sn_complement *c, const double *change, size_t first, size_t width)
{
    for (size_t i = 0; i < c->count * width; ++i) {
        const size_t column = first + i % width, row = i / width;
        c->work[i] = column < c->count && row <= column ? -change[column * c->count + row] : 0;
    }
    for (size_t t = 0; t < c->q.tile_count; ++t) {
        const size_t row = t * SN_TILE_ROWS, count = tile_rows(c, row) * width;
        memset(c->tile, 0, count * sizeof *c->tile);
        sn_tiled_columns_subtract(&c->q, t, first + width, width, c->work, c->packed, c->tile);
        for (size_t i = 0; i < count; ++i) {
            c->grid->residual[row * width + i] = (float)c->tile[i];
        }
    }
}

/* sums = Q^T times the grid's solution. */
static void project_solution(const sn_complement *c, size_t width, double *sums)
{
    memset(sums, 0, c->count * width * sizeof *sums);
    for (size_t t = 0; t < c->q.tile_count; ++t) {
        sn_two_grid_solution(c->grid, t * SN_TILE_ROWS, tile_rows(c, t * SN_TILE_ROWS), width, c->tile);
        sn_tiled_columns_gather(&c->q, t, 0, width, c->tile, c->packed, sums);
    }
}

static void store_solution(const sn_complement *c, size_t first, size_t width)
{
    const size_t stored_count = c->count - first < width ? c->count - first : width;
    for (size_t i = 0; i < c->q.size && c->solved; ++i) {
        for (size_t k = 0; k < stored_count; ++k) {
            c->solved[i * c->count + first + k] = c->grid->solution[i * width + k];
        }
    }
}

/* products (count^2) = Q^T T R */
static sn_result apply_to_basis(const sn_complement *c, const double *change, double *products)
{
    for (size_t first = 0; first < c->count; first += c->max_width) {
        const size_t width = chunk_width(c, first);
        load_basis(c, change, first, width);
        SN_TRY(sn_two_grid_apply(c->grid, width));
        project_solution(c, width, c->work);
        store_solution(c, first, width);
        for (size_t i = 0; i < c->count * width; ++i) {
            if (first + i % width < c->count) {
                products[(first + i % width) * c->count + i / width] = c->work[i];
            }
        }
    }
    return SN_OK;
}

static void clear_upper(size_t count, double *lower)
{
    for (size_t i = 0; i < count * count; ++i) {
        lower[i] = i % count < i / count ? 0 : lower[i];
    }
}

/* Factors Q^T T Q through the orthonormal basis R = Q L^-T, where Q^T Q = L L^T: R^T T R = L^-1 Q^T T R, whose Cholesky
 * factor times L is that of Q^T T Q. In float, T Q itself would lose the directions in which the columns of Q are
 * nearly dependent. */
static sn_result build_schur(sn_complement *c, sn_arena *scratch)
{
    const size_t count = c->count, square = count * count;
    double *change = SN_NEW(scratch, double, square), *products = SN_NEW(scratch, double, square);
    if (!change || !products) {
        return SN_ERROR_MEMORY;
    }
    clear_upper(count, c->gram);
    memcpy(change, c->gram, square * sizeof *change);
    sn_dense_cholesky_solve((int)count, c->gram, (int)count, change); /* L^-T = (L L^T)^-1 L */
    const sn_result result = apply_to_basis(c, change, products);
    sn_dense_cholesky_solve((int)count, c->gram, (int)count, products);
    sn_dense_gram(c->gram, products, (int)count, (int)count, change);
    for (size_t i = 0; i < square; ++i) {
        products[i] = 0.5 * (change[i] + change[i % count * count + i / count]);
    }
    c->is_singular = result == SN_OK && !sn_dense_cholesky((int)count, products);
    clear_upper(count, products);
    sn_dense_product(c->gram, (int)count, (int)count, products, (int)count, c->schur);
    return result;
}

static sn_result build_matrices(sn_complement *c)
{
    sn_arena scratch = {0};
    sn_result result = SN_OK;
    build_gram(c);
    c->is_singular = !sn_dense_cholesky((int)c->count, c->gram);
    if (!c->is_singular) {
        result = build_schur(c, &scratch);
    }
    sn_arena_finish(&scratch);
    return result;
}

sn_result sn_complement_build(const sn_sparse_columns *q, const sn_two_grid *grid, size_t max_width, bool is_stored,
                              sn_arena *arena, sn_complement *complement)
{
    const size_t count = (size_t)q->column_count, size = grid->k->size;
    const bool has_solved = is_stored && count > 0;
    *complement = (sn_complement){.grid = grid,
                                  .count = count,
                                  .max_width = max_width,
                                  .gram = SN_NEW(arena, double, count *count),
                                  .schur = SN_NEW(arena, double, count *count),
                                  .solved = has_solved ? SN_NEW(arena, float, size *count) : NULL,
                                  .solved_tile = has_solved ? SN_NEW(arena, double, SN_TILE_ROWS *count) : NULL,
                                  .parts = SN_NEW(arena, double, count *max_width),
                                  .work = SN_NEW(arena, double, count *max_width),
                                  .tile = SN_NEW(arena, double, SN_TILE_ROWS *max_width),
                                  .packed = SN_NEW(arena, double, SN_TILE_ROWS *max_width)};
    if (!complement->gram || !complement->schur || (has_solved && (!complement->solved || !complement->solved_tile)) ||
        !complement->parts || !complement->work || !complement->tile || !complement->packed) {
        return SN_ERROR_MEMORY;
    }
    const sn_result result = sn_tiled_columns_build(q, size, arena, &complement->q);
    return result == SN_OK && count > 0 ? build_matrices(complement) : result;
}

/* parts = lower^-T lower^-1 parts */
static void solve_parts(const sn_complement *c, const double *lower, size_t width)
{
    for (size_t i = 0; i < c->count * width; ++i) { /* column-major */
        c->work[i % width * c->count + i / width] = c->parts[i];
    }
    sn_dense_cholesky_solve((int)c->count, lower, (int)width, c->work);
    for (size_t i = 0; i < c->count * width; ++i) {
        c->parts[i] = c->work[i % width * c->count + i / width];
    }
}

/* ---- the complement ---- */

void sn_complement_begin(const sn_complement *c, size_t width)
{
    memset(c->parts, 0, c->count * width * sizeof *c->parts);
}

void sn_complement_gather(const sn_complement *c, size_t first, size_t width, const double *x)
{
    sn_tiled_columns_gather(&c->q, first / SN_TILE_ROWS, 0, width, x, c->packed, c->parts);
}

void sn_complement_solve(const sn_complement *c, size_t width)
{
    if (c->count > 0) {
        solve_parts(c, c->gram, width);
    }
}

void sn_complement_subtract(const sn_complement *c, size_t first, size_t width, double *x)
{
    sn_tiled_columns_subtract(&c->q, first / SN_TILE_ROWS, c->count, width, c->parts, c->packed, x);
}

/* solution -= T Q parts, T Q = T R L^T */
static void subtract_solved(const sn_complement *c, size_t width)
{
    memset(c->work, 0, c->count * width * sizeof *c->work);
    for (size_t i = 0; i < c->count; ++i) {
        for (size_t k = i; k < c->count; ++k) {
            for (size_t j = 0; j < width; ++j) {
                c->work[i * width + j] += c->gram[i * c->count + k] * c->parts[k * width + j];
            }
        }
    }
    for (size_t first = 0; first < c->q.size; first += SN_TILE_ROWS) {
        const size_t rows = tile_rows(c, first);
        float *solution = c->grid->solution + first * width;
        for (size_t i = 0; i < rows * c->count; ++i) {
            c->solved_tile[i] = (double)c->solved[first * c->count + i];
        }
        sn_row_multiply(rows, c->solved_tile, c->count, c->count, c->work, width, c->tile);
        for (size_t i = 0; i < rows * width; ++i) {
            solution[i] -= (float)c->tile[i];
        }
    }
}

/* residual -= Q parts */
static void subtract_multipliers(const sn_complement *c, size_t width)
{
    for (size_t t = 0; t < c->q.tile_count; ++t) {
        const size_t row = t * SN_TILE_ROWS, count = tile_rows(c, row) * width;
        float *residual = c->grid->residual + row * width;
        for (size_t i = 0; i < count; ++i) {
            c->tile[i] = (double)residual[i];
        }
        sn_tiled_columns_subtract(&c->q, t, c->count, width, c->parts, c->packed, c->tile);
        for (size_t i = 0; i < count; ++i) {
            residual[i] = (float)c->tile[i];
        }
    }
}

sn_result sn_complement_apply(const sn_complement *c, size_t width)
{
    const sn_result result = sn_two_grid_apply(c->grid, width);
    if (result != SN_OK || c->count == 0) {
        return result;
    }
    project_solution(c, width, c->parts);
    solve_parts(c, c->schur, width);
    if (c->solved) {
        subtract_solved(c, width);
        return SN_OK;
    }
    subtract_multipliers(c, width);
    return sn_two_grid_apply(c->grid, width);
}

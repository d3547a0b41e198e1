/* SPDX-License-Identifier: MIT */
#include "author/modes/complement.h"

#include <string.h>

#include "author/modes/row_products.h"

#define LANES SN_TWO_GRID_LANES
#define REFINEMENTS 3 /* of the multipliers: Q^T T Q is symmetric but for a float's rounding */

static void fill_rows(const sn_sparse_columns *q, const sn_complement *c)
{
    size_t column = 0;
    for (const sn_column_block *b = q->blocks; b < q->blocks + q->block_count; ++b) {
        const size_t rows = (size_t)b->row_count;
        for (size_t k = 0; k < (size_t)b->column_count; ++k, ++column) {
            for (size_t i = 0; i < rows; ++i) {
                c->rows[(size_t)b->rows[i] * c->room + column] = b->values[k * rows + i];
            }
        }
    }
}

/* solved = T Q */
static sn_result solve_rows(const sn_two_grid *grid, size_t widest, const sn_complement *c)
{
    const size_t size = grid->k->size;
    sn_result result = SN_OK;
    for (size_t first = 0; first < c->room && result == SN_OK; first += widest) {
        const size_t width = c->room - first < widest ? c->room - first : widest;
        for (size_t i = 0; i < size; ++i) {
            for (size_t k = 0; k < width; ++k) {
                grid->residual[i * width + k] = (float)c->rows[i * c->room + first + k];
            }
        }
        result = sn_two_grid_apply(grid, width);
        for (size_t i = 0; i < size && result == SN_OK; ++i) {
            for (size_t k = 0; k < width; ++k) {
                c->solved[i * c->room + first + k] = (double)grid->solution[i * width + k];
            }
        }
    }
    return result;
}

static void factor(sn_complement *c)
{
    const size_t room = c->room;
    for (size_t i = c->count; i < room; ++i) { /* columns of zeros */
        c->products[i * room + i] = 1;
    }
    for (size_t i = 0; i < room * room; ++i) {
        c->schur[i] = 0.5 * (c->products[i] + c->products[i % room * room + i / room]);
    }
    c->is_singular = !sn_dense_cholesky((int)room, c->schur);
}

sn_result sn_complement_build(const sn_sparse_columns *q, const sn_two_grid *grid, size_t widest, sn_arena *arena,
                              sn_complement *complement)
{
    const size_t count = (size_t)q->column_count, room = (count + LANES - 1) / LANES * LANES, size = grid->k->size;
    *complement = (sn_complement){.grid = grid,
                                  .count = count,
                                  .room = room,
                                  .rows = SN_NEW(arena, double, size *room),
                                  .solved = SN_NEW(arena, double, size *room),
                                  .products = SN_NEW(arena, double, room *room),
                                  .schur = SN_NEW(arena, double, room *room),
                                  .parts = SN_NEW(arena, double, room *widest),
                                  .work = SN_NEW(arena, double, 3 * room * widest),
                                  .tiles = {SN_NEW(arena, double, SN_COMPLEMENT_ROWS *widest),
                                            SN_NEW(arena, double, SN_COMPLEMENT_ROWS *widest)}};
    if (!complement->rows || !complement->solved || !complement->products || !complement->schur || !complement->parts ||
        !complement->work || !complement->tiles[0] || !complement->tiles[1]) {
        return SN_ERROR_MEMORY;
    }
    fill_rows(q, complement);
    const sn_result result = solve_rows(grid, widest, complement);
    if (result != SN_OK || room == 0) {
        return result;
    }
    sn_row_gram_add(size, complement->rows, room, complement->solved, room, complement->products);
    factor(complement);
    return SN_OK;
}

/* a (room x width) = (Q^T T Q)^-1 b, column-major; b is overwritten, and a has room for as much again. */
static void find_multipliers(const sn_complement *complement, size_t width, double *b, double *a)
{
    const size_t room = complement->room, count = room * width;
    double *step = a + count;
    memset(a, 0, count * sizeof *a);
    for (int i = 0; i < REFINEMENTS; ++i) {
        memcpy(step, b, count * sizeof *b);
        sn_dense_cholesky_solve((int)room, complement->schur, (int)width, step);
        for (size_t c = 0; c < width; ++c) {
            for (size_t j = 0; j < room; ++j) {
                a[c * room + j] += step[c * room + j];
                for (size_t r = 0; r < room; ++r) {
                    b[c * room + r] -= complement->products[j * room + r] * step[c * room + j];
                }
            }
        }
    }
}

void sn_complement_find_parts(const sn_complement *c, size_t width)
{
    const size_t room = c->room, count = room * width, size = c->grid->k->size;
    double *of_rows = c->work, *a = of_rows + count;
    if (room == 0) {
        return;
    }
    memset(of_rows, 0, count * sizeof *of_rows);
    for (size_t first = 0; first < size; first += SN_COMPLEMENT_ROWS) {
        const size_t rows = size - first < SN_COMPLEMENT_ROWS ? size - first : SN_COMPLEMENT_ROWS;
        sn_two_grid_solution(c->grid, first, rows, width, c->tiles[0]);
        sn_row_gram_add(rows, c->rows + first * room, room, c->tiles[0], width, of_rows);
    }
    find_multipliers(c, width, of_rows, a);
    for (size_t i = 0; i < count; ++i) {
        c->parts[i] = a[i % width * room + i / width];
    }
}

const double *sn_complement_take(const sn_complement *c, size_t first, size_t count, size_t width)
{
    SN_ASSERT(count <= SN_COMPLEMENT_ROWS);
    sn_two_grid_solution(c->grid, first, count, width, c->tiles[0]);
    sn_row_multiply(count, c->solved + first * c->room, c->room, c->room, c->parts, width, c->tiles[1]);
    for (size_t i = 0; i < count * width; ++i) {
        c->tiles[0][i] -= c->tiles[1][i];
    }
    return c->tiles[0];
}

const double *sn_complement_rest(const sn_complement *c, size_t first, size_t count, size_t width)
{
    SN_ASSERT(count <= SN_COMPLEMENT_ROWS);
    sn_row_multiply(count, c->rows + first * c->room, c->room, c->room, c->parts, width, c->tiles[1]);
    return c->tiles[1];
}

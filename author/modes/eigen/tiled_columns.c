/* SPDX-License-Identifier: MIT */
/* A rig's rows are zero where the bone moves nothing. The part of a block in a tile is packed, so that all products are
 * of small dense matrices in the cache. */
#include "author/modes/eigen/tiled_columns.h"

#include <string.h>

#include "author/modes/constraint/row_products.h"

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Counts the block's rows in each tile. */
static void count_rows(const sn_column_block *block, size_t tile_count, int32_t *counts)
{
    memset(counts, 0, tile_count * sizeof *counts);
    for (int i = 0; i < block->row_count; ++i) {
        counts[block->rows[i] / SN_TILE_ROWS]++;
    }
}

static sn_result list_parts(const sn_sparse_columns *columns, sn_arena *arena, int32_t *counts, sn_tiled_columns *tiled)
{
    for (int b = 0; b < columns->block_count; ++b) {
        count_rows(&columns->blocks[b], tiled->tile_count, counts);
        for (size_t t = 0; t < tiled->tile_count; ++t) {
            tiled->starts[t + 1] += counts[t] > 0;
        }
    }
    for (size_t t = 0; t < tiled->tile_count; ++t) {
        tiled->starts[t + 1] += tiled->starts[t];
    }
    tiled->parts = SN_NEW(arena, sn_column_part, tiled->starts[tiled->tile_count]);
    return tiled->parts ? SN_OK : SN_ERROR_MEMORY;
}

/* Stores a block's parts at the next slot of their tiles. counts: the block's rows in each tile; overwritten by the
 * start of each part. */
static sn_result fill_block(const sn_column_block *block, int32_t first_column, sn_arena *arena, int32_t *counts,
                            size_t *next, const sn_tiled_columns *tiled)
{
    const size_t height = (size_t)block->row_count, width = (size_t)block->column_count;
    uint8_t *rows = SN_NEW(arena, uint8_t, height);
    double *values = SN_NEW(arena, double, height *width);
    if (!rows || !values) {
        return SN_ERROR_MEMORY;
    }
    int32_t part_start = 0;
    for (size_t t = 0; t < tiled->tile_count; ++t) {
        const int32_t count = counts[t];
        if (count > 0) {
            tiled->parts[next[t]++] = (sn_column_part){first_column, block->column_count, count, rows + part_start,
                                                       values + (size_t)part_start * width};
        }
        counts[t] = part_start;
        part_start += count;
    }
    for (size_t i = 0; i < height; ++i) {
        const size_t slot = (size_t)counts[block->rows[i] / SN_TILE_ROWS]++;
        rows[slot] = (uint8_t)(block->rows[i] % SN_TILE_ROWS);
        for (size_t k = 0; k < width; ++k) {
            values[slot * width + k] = block->values[k * height + i];
        }
    }
    return SN_OK;
}

sn_result sn_tiled_columns_build(const sn_sparse_columns *columns, size_t size, sn_arena *arena,
                                 sn_tiled_columns *tiled)
{
    sn_arena scratch = {0};
    const size_t tile_count = (size + SN_TILE_ROWS - 1) / SN_TILE_ROWS;
    *tiled = (sn_tiled_columns){.size = size,
                                .count = (size_t)columns->column_count,
                                .tile_count = tile_count,
                                .starts = SN_NEW(arena, size_t, tile_count + 1)};
    int32_t *counts = SN_NEW(&scratch, int32_t, tile_count);
    size_t *next = SN_NEW(&scratch, size_t, tile_count);
    sn_result result = tiled->starts && counts && next ? list_parts(columns, arena, counts, tiled) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        memcpy(next, tiled->starts, tile_count * sizeof *next);
    }
    for (int32_t b = 0, column = 0; b < columns->block_count && result == SN_OK; ++b) {
        count_rows(&columns->blocks[b], tile_count, counts);
        result = fill_block(&columns->blocks[b], column, arena, counts, next, tiled);
        column += columns->blocks[b].column_count;
    }
    sn_arena_finish(&scratch);
    return result;
}

void sn_tiled_columns_gather(const sn_tiled_columns *q, size_t tile, size_t from, size_t width, const double *x,
                             double *packed, double *sums)
{
    for (const sn_column_part *p = q->parts + q->starts[tile]; p < q->parts + q->starts[tile + 1]; ++p) {
        if ((size_t)(p->first_column + p->column_count) <= from) {
            continue;
        }
        for (int32_t i = 0; i < p->row_count; ++i) {
            memcpy(packed + (size_t)i * width, x + p->rows[i] * width, width * sizeof *x);
        }
        sn_row_gram_add((size_t)p->row_count, packed, width, p->values, (size_t)p->column_count,
                        sums + (size_t)p->first_column * width);
    }
}

void sn_tiled_columns_subtract(const sn_tiled_columns *q, size_t tile, size_t end, size_t width,
                               const double *coefficients, double *packed, double *x)
{
    for (const sn_column_part *p = q->parts + q->starts[tile]; p < q->parts + q->starts[tile + 1]; ++p) {
        const size_t columns = (size_t)p->column_count;
        if ((size_t)p->first_column >= end) {
            return;
        }
        sn_row_multiply((size_t)p->row_count, p->values, columns, columns,
                        coefficients + (size_t)p->first_column * width, width, packed);
        for (int32_t i = 0; i < p->row_count; ++i) {
            double *row = x + p->rows[i] * width;
            for (size_t c = 0; c < width; ++c) {
                row[c] -= packed[(size_t)i * width + c];
            }
        }
    }
}

void sn_tiled_columns_expand(const sn_tiled_columns *q, size_t tile, size_t first, size_t width, double *x)
{
    memset(x, 0, min_size(SN_TILE_ROWS, q->size - tile * SN_TILE_ROWS) * width * sizeof *x);
    for (const sn_column_part *p = q->parts + q->starts[tile]; p < q->parts + q->starts[tile + 1]; ++p) {
        const size_t part_start = (size_t)p->first_column, end = part_start + (size_t)p->column_count;
        for (size_t c = part_start > first ? part_start : first; c < min_size(end, first + width); ++c) {
            for (int32_t i = 0; i < p->row_count; ++i) {
                x[p->rows[i] * width + c - first] = p->values[(size_t)i * (end - part_start) + c - part_start];
            }
        }
    }
}

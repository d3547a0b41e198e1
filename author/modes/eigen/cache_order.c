/* SPDX-License-Identifier: MIT */
#include "author/modes/eigen/cache_order.h"

#include <math.h>
#include <string.h>

#define CACHED_ROWS 8192    /* rows of vectors that fit into a level 2 cache, at some hundred bytes each */
#define MAX_FETCH_RATIO 0.8 /* required ratio of fetched rows in the new and the present order */
#define MAX_CELLS 1e6       /* along an axis */

typedef struct axis {
    int coordinate;
    double low, extent;
} axis;

/* Root mean square length of the matrix's edges. */
static double edge_length(const sn_mode_problem *problem, const double *positions, const sn_matrix_rows *k)
{
    const int32_t *vertices = problem->unknowns.vertices;
    const size_t axes = (size_t)problem->axis_count;
    double sum = 0;
    size_t count = 1;
    for (size_t i = 0; i < k->size; ++i) {
        const double *x = positions + 3 * (size_t)vertices[i / axes];
        for (size_t e = k->starts[i]; e < k->starts[i + 1]; ++e) {
            const size_t j = (size_t)k->columns[e] / axes;
            const double *y = positions + 3 * (size_t)vertices[j];
            const double edge[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
            sum += edge[0] * edge[0] + edge[1] * edge[1] + edge[2] * edge[2];
            count += j != i / axes;
        }
    }
    return sqrt(sum / (double)count);
}

/* Sorts the axes by extent, ascending. */
static void measure_axes(const sn_mode_unknowns *u, const double *positions, axis *axes)
{
    for (int d = 0; d < 3; ++d) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < u->count; ++i) {
            const double x = positions[3 * (size_t)u->vertices[i] + (size_t)d];
            low = fmin(low, x);
            high = fmax(high, x);
        }
        int at = d;
        for (; at > 0 && axes[at - 1].extent > high - low; --at) {
            axes[at] = axes[at - 1];
        }
        axes[at] = (axis){d, low, high - low};
    }
}

/* Stable counting sort by cells along an axis. */
static sn_result sort_along(const axis *along, double cell, const sn_mode_unknowns *u, const double *positions,
                            sn_arena *arena, int32_t **order)
{
    const double scale = fmin(1 / cell, MAX_CELLS / along->extent);
    const size_t cells = (size_t)(along->extent * scale) + 1;
    int32_t *next = SN_NEW(arena, int32_t, cells + 1), *sorted = SN_NEW(arena, int32_t, u->count);
    int32_t *cells_of = SN_NEW(arena, int32_t, u->count);
    if (!next || !sorted || !cells_of) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < u->count; ++i) {
        const double x = positions[3 * (size_t)u->vertices[i] + (size_t)along->coordinate];
        cells_of[i] = (int32_t)((x - along->low) * scale);
        next[cells_of[i] + 1]++;
    }
    for (size_t c = 0; c < cells; ++c) {
        next[c + 1] += next[c];
    }
    for (size_t i = 0; i < u->count; ++i) {
        const int32_t vertex = (*order)[i];
        sorted[next[cells_of[vertex]]++] = vertex;
    }
    *order = sorted;
    return SN_OK;
}

/* Number of rows that a product fetches in an order (null: the present one), with a direct-mapped cache. */
static size_t count_cache_misses(const sn_matrix_rows *k, const int32_t *order, const int32_t *slots, int32_t *cached)
{
    size_t count = 0;
    memset(cached, -1, CACHED_ROWS * sizeof *cached);
    for (size_t i = 0; i < k->size; ++i) {
        const size_t row = order ? (size_t)order[i] : i;
        for (size_t e = k->starts[row]; e < k->starts[row + 1]; ++e) {
            const int32_t column = order ? slots[k->columns[e]] : k->columns[e];
            count += cached[column % CACHED_ROWS] != column;
            cached[column % CACHED_ROWS] = column;
        }
    }
    return count;
}

static sn_result invert_order(const int32_t *order, size_t size, sn_arena *arena, int32_t **slots)
{
    *slots = SN_NEW(arena, int32_t, size);
    for (size_t i = 0; *slots && i < size; ++i) {
        (*slots)[order[i]] = (int32_t)i;
    }
    return *slots ? SN_OK : SN_ERROR_MEMORY;
}

/* Sorts vertices. */
static sn_result sort(const sn_mode_problem *problem, const double *positions, const sn_matrix_rows *k,
                      sn_arena *scratch, int32_t **order)
{
    const sn_mode_unknowns *u = &problem->unknowns;
    axis axes[3];
    measure_axes(u, positions, axes);
    const double cell = edge_length(problem, positions, k);
    *order = SN_NEW(scratch, int32_t, u->count);
    SN_TRY(*order ? SN_OK : SN_ERROR_MEMORY);
    for (size_t i = 0; i < u->count; ++i) {
        (*order)[i] = (int32_t)i;
    }
    for (int d = 0; d < 3 && axes[d].extent > 0; ++d) {
        SN_TRY(sort_along(&axes[d], cell, u, positions, scratch, order));
    }
    return SN_OK;
}

/* Sorts unknowns; those of a vertex stay together. */
static sn_result sort_unknowns(const sn_mode_problem *problem, const double *positions, const sn_matrix_rows *k,
                               sn_arena *scratch, int32_t **order)
{
    const size_t axes = (size_t)problem->axis_count;
    int32_t *vertices = NULL;
    sn_result result = sort(problem, positions, k, scratch, &vertices);
    *order = axes == 1 ? vertices : SN_NEW(scratch, int32_t, k->size);
    result = result == SN_OK && !*order ? SN_ERROR_MEMORY : result;
    for (size_t i = 0; i < k->size && axes > 1 && result == SN_OK; ++i) {
        (*order)[i] = vertices[i / axes] * (int32_t)axes + (int32_t)(i % axes);
    }
    return result;
}

sn_result sn_mode_order_find(const sn_mode_problem *problem, const double *positions, const sn_matrix_rows *k,
                             sn_arena *arena, int32_t **order)
{
    sn_arena scratch = {0};
    int32_t *sorted = NULL, *slots = NULL, *cached = SN_NEW(&scratch, int32_t, CACHED_ROWS);
    *order = NULL;
    sn_result result = cached ? sort_unknowns(problem, positions, k, &scratch, &sorted) : SN_ERROR_MEMORY;
    result = result == SN_OK ? invert_order(sorted, k->size, &scratch, &slots) : result;
    if (result == SN_OK && (double)count_cache_misses(k, sorted, slots, cached) <
                               MAX_FETCH_RATIO * (double)count_cache_misses(k, NULL, NULL, cached)) {
        *order = SN_NEW(arena, int32_t, k->size);
        result = *order ? SN_OK : SN_ERROR_MEMORY;
    }
    if (*order) {
        memcpy(*order, sorted, k->size * sizeof **order);
    }
    sn_arena_finish(&scratch);
    return result;
}

/* Reorders the rows of k, with ascending columns. */
static sn_result order_rows(const int32_t *order, const int32_t *slots, const sn_matrix_rows *k, sn_arena *arena,
                            sn_matrix_rows *rows)
{
    const size_t filled = k->starts[k->size];
    *rows = (sn_matrix_rows){.size = k->size,
                             .starts = SN_NEW(arena, size_t, k->size + 1),
                             .columns = SN_NEW(arena, int32_t, filled),
                             .values = SN_NEW(arena, double, filled),
                             .inverse_diagonal = SN_NEW(arena, double, k->size)};
    if (!rows->starts || !rows->columns || !rows->values || !rows->inverse_diagonal) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < k->size; ++i) {
        const size_t original = (size_t)order[i];
        rows->starts[i + 1] = rows->starts[i] + k->starts[original + 1] - k->starts[original];
        rows->inverse_diagonal[i] = k->inverse_diagonal[original];
        for (size_t e = k->starts[original]; e < k->starts[original + 1]; ++e) {
            const int32_t column = slots[k->columns[e]];
            size_t at = rows->starts[i] + e - k->starts[original];
            for (; at > rows->starts[i] && rows->columns[at - 1] > column; --at) {
                rows->columns[at] = rows->columns[at - 1];
                rows->values[at] = rows->values[at - 1];
            }
            rows->columns[at] = column;
            rows->values[at] = k->values[e];
        }
    }
    return SN_OK;
}

static sn_result order_unknowns(const int32_t *order, size_t axes, const sn_mode_unknowns *from, sn_arena *arena,
                                sn_mode_unknowns *to)
{
    *to = (sn_mode_unknowns){.count = from->count,
                             .vertices = SN_NEW(arena, int32_t, from->count),
                             .mass = SN_NEW(arena, double, from->count)};
    for (size_t i = 0; i < from->count && to->vertices && to->mass; ++i) {
        const size_t original = (size_t)order[axes * i] / axes;
        to->vertices[i] = from->vertices[original];
        to->mass[i] = from->mass[original];
    }
    return to->vertices && to->mass ? SN_OK : SN_ERROR_MEMORY;
}

/* Reorders the constraint's rows, which are no longer ascending. */
static sn_result order_constraints(const int32_t *slots, const sn_sparse_columns *from, sn_arena *arena,
                                   sn_sparse_columns *to)
{
    *to = *from;
    to->blocks = SN_NEW(arena, sn_column_block, from->block_count);
    for (int b = 0; b < from->block_count && to->blocks; ++b) {
        const sn_column_block *block = &from->blocks[b];
        int32_t *rows = SN_NEW(arena, int32_t, block->row_count);
        for (int i = 0; i < block->row_count && rows; ++i) {
            rows[i] = slots[block->rows[i]];
        }
        to->blocks[b] = *block;
        to->blocks[b].rows = rows;
        if (!rows) {
            return SN_ERROR_MEMORY;
        }
    }
    return to->blocks ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_mode_order_apply(const int32_t *order, const sn_mode_problem *problem, const sn_matrix_rows *k,
                              sn_arena *arena, sn_mode_problem *ordered, sn_matrix_rows *rows)
{
    sn_arena scratch = {0};
    int32_t *slots = NULL;
    *ordered = *problem;
    ordered->matrix = (sn_sparse){0};
    sn_result result = invert_order(order, k->size, &scratch, &slots);
    result = result == SN_OK ? order_rows(order, slots, k, arena, rows) : result;
    result = result == SN_OK
                 ? order_unknowns(order, (size_t)problem->axis_count, &problem->unknowns, arena, &ordered->unknowns)
                 : result;
    result = result == SN_OK ? order_constraints(slots, &problem->constraints, arena, &ordered->constraints) : result;
    sn_arena_finish(&scratch);
    return result;
}

/* SPDX-License-Identifier: MIT */
/* Adds user rows to those of the rig, in the metric of the modes, x = M^1/2 w, without dependent ones. All rows are
 * tested together by a pivoted Cholesky factor of their Gram matrix, as the rig's rows are in constraint.c. */
#include <math.h>
#include <string.h>

#include "author/modes/modes.h"

/* Squared part of a unit row outside of the span of the others and the pins, below which it is dropped; as in
 * constraint.c, it bounds the condition number. */
#define DROP_TOLERANCE 1e-8

typedef struct row_set {
    size_t count, vertex_count;
    double *rows; /* (count x vertex_count) times M^-1/2 */
    const double *mass;
} row_set;

/* Copies a row, of unit norm before the pinned entries are removed, or zero. Divides by the largest entry first, since
 * squares might overflow. */
static void normalise_row(const row_set *set, const double *source, const bool *is_pinned, double *row)
{
    double scale = 0, max_entry = 0, square = 0;
    for (size_t v = 0; v < set->vertex_count; v++) {
        scale = fmax(scale, fabs(source[v]));
    }
    for (size_t v = 0; v < set->vertex_count; v++) {
        row[v] = scale > 0 ? source[v] / scale / sqrt(set->mass[v]) : 0;
        max_entry = fmax(max_entry, fabs(row[v]));
    }
    for (size_t v = 0; v < set->vertex_count && max_entry > 0; v++) {
        square += row[v] / max_entry * (row[v] / max_entry);
    }
    for (size_t v = 0; v < set->vertex_count && max_entry > 0; v++) {
        row[v] = is_pinned && is_pinned[v] ? 0 : row[v] / max_entry / sqrt(square);
    }
}

/* is_independent (count): a maximal set of independent rows. */
static sn_result choose_rows(const row_set *set, sn_arena *scratch, bool *is_independent, int *rank)
{
    double *gram = SN_NEW(scratch, double, set->count * set->count), *work = SN_NEW(scratch, double, 2 * set->count);
    int32_t *pivots = SN_NEW(scratch, int32_t, set->count);
    if (!gram || !work || !pivots) {
        return SN_ERROR_MEMORY;
    }
    sn_dense_gram(set->rows, set->rows, (int)set->vertex_count, (int)set->count, gram);
    *rank = sn_pivoted_cholesky((int)set->count, gram, DROP_TOLERANCE, work, pivots);
    for (int i = 0; i < *rank; i++) {
        is_independent[pivots[i]] = true;
    }
    return SN_OK;
}

/* Scales to unit norm in M^-1. */
static void restore_row(const row_set *set, const double *source, double *row)
{
    double square = 0;
    for (size_t v = 0; v < set->vertex_count; v++) {
        square += source[v] * source[v];
    }
    for (size_t v = 0; v < set->vertex_count; v++) {
        row[v] = source[v] / sqrt(square) * sqrt(set->mass[v]);
    }
}

static sn_result select_rows(const row_set *set, sn_arena *scratch, sn_arena *arena, sn_constraint *constraint)
{
    bool *is_independent = SN_NEW(scratch, bool, set->count);
    int rank = 0;
    const sn_result result = is_independent ? choose_rows(set, scratch, is_independent, &rank) : SN_ERROR_MEMORY;
    double *rows = SN_NEW(arena, double, (size_t)rank * set->vertex_count);
    if (result != SN_OK || !rows) {
        return result == SN_OK ? SN_ERROR_MEMORY : result;
    }
    constraint->row_count = rank;
    constraint->rows = rows;
    for (size_t i = 0; i < set->count; i++) {
        if (is_independent[i]) {
            restore_row(set, set->rows + i * set->vertex_count, rows);
            rows += set->vertex_count;
        }
    }
    return SN_OK;
}

sn_result sn_constraint_add(int vertex_count, const double *mass, const double *rows, int row_count, sn_arena *arena,
                            sn_constraint *constraint)
{
    SN_ASSERT(row_count >= 0 && row_count <= SN_CONSTRAINT_ROW_LIMIT);
    sn_arena scratch = {0};
    const size_t n = (size_t)vertex_count, previous = (size_t)constraint->row_count;
    row_set set = {.count = previous + (size_t)row_count, .vertex_count = n, .mass = mass};
    set.rows = SN_NEW(&scratch, double, set.count *n);
    for (size_t i = 0; i < set.count && set.rows; i++) {
        const double *source = i < previous ? constraint->rows + i * n : rows + (i - previous) * n;
        normalise_row(&set, source, constraint->is_pinned, set.rows + i * n);
    }
    const sn_result result = set.rows ? select_rows(&set, &scratch, arena, constraint) : SN_ERROR_MEMORY;
    sn_arena_finish(&scratch);
    return result;
}

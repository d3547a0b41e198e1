/* SPDX-License-Identifier: MIT */
/* Solves the pencil of a large mesh as author/modes does: LOBPCG preconditioned by a lattice. Each column of the
 * iteration needs memory, so many pairs are found in batches, each in the orthogonal complement of the previous ones.
 * The result is as accurate as the modes that it is compared with, but less accurate than Lanczos in the residual norm,
 * which is dominated by high frequencies. */
#include <string.h>

#include "author/modes/eigen/large.h"
#include "research/baselines/pencil.h"

/* Pairs per batch. More pairs need fewer iterations but more memory: 1 GB for each 16 pairs with a million unknowns. */
#define MAX_PAIRS 48

typedef struct search {
    sn_mode_problem problem;
    const double *positions;
    int32_t *rows; /* (size) 0, 1, ... for dense constraint columns */
    int pair_count;
    sn_pair_list *pairs; /* pairs found so far */
} search;

static sn_result start(const sn_pencil *pencil, const sn_pencil_system *system, sn_arena *scratch, search *s)
{
    const sn_sparse_columns *q = &system->problem.constraints;
    sn_column_block *blocks = SN_NEW(scratch, sn_column_block, q->block_count + s->pair_count / MAX_PAIRS + 1);
    s->rows = SN_NEW(scratch, int32_t, system->problem.size);
    if (!blocks || !s->rows) {
        return SN_ERROR_MEMORY;
    }
    for (int b = 0; b < q->block_count; ++b) {
        blocks[b] = q->blocks[b];
    }
    for (int i = 0; i < system->problem.size; ++i) {
        s->rows[i] = i;
    }
    s->problem = (sn_mode_problem){.name = "comparison modes",
                                   .vertex_count = pencil->vertex_count,
                                   .density = pencil->density,
                                   .unit = pencil->unit,
                                   .axis_count = pencil->axis_count,
                                   .constraints = {q->column_count, q->block_count, blocks},
                                   .matrix = pencil->matrix};
    return sn_mode_unknowns_list(pencil->constraint->is_pinned, (size_t)pencil->vertex_count, pencil->mass, scratch,
                                 &s->problem.unknowns);
}

/* Stores the pairs and restricts the next batch to their complement. */
static void store_pairs(search *s, const sn_pair_list *found)
{
    const size_t size = (size_t)s->problem.matrix.size, count = (size_t)found->count;
    double *vectors = s->pairs->vectors + (size_t)s->pairs->count * size;
    memcpy(s->pairs->values + s->pairs->count, found->values, count * sizeof *found->values);
    memcpy(vectors, found->vectors, count * size * sizeof *vectors);
    s->pairs->count += found->count;
    s->problem.constraints.column_count += found->count;
    s->problem.known_count += found->count;
    s->problem.constraints.blocks[s->problem.constraints.block_count++] =
        (sn_column_block){found->count, s->problem.matrix.size, s->rows, vectors};
}

static sn_result find_more(search *s, bool *is_converged)
{
    const int remaining = s->pair_count - s->pairs->count;
    sn_arena scratch = {0};
    sn_pair_list found;
    const sn_result result = sn_modes_compute_large(
        &s->problem, s->positions, remaining < MAX_PAIRS ? remaining : MAX_PAIRS, &scratch, &found, is_converged);
    if (result == SN_OK && *is_converged) {
        store_pairs(s, &found);
    }
    sn_arena_finish(&scratch);
    return result;
}

/* Sorts by descending value. Only nearly equal pairs of consecutive batches may be out of order. */
static void sort_pairs(size_t size, sn_pair_list *pairs)
{
    for (int end = 1; end < pairs->count; ++end) {
        for (int i = end; i > 0 && pairs->values[i] > pairs->values[i - 1]; --i) {
            double *const b = pairs->vectors + (size_t)i * size, *const a = b - size, value = pairs->values[i];
            pairs->values[i] = pairs->values[i - 1];
            pairs->values[i - 1] = value;
            for (size_t k = 0; k < size; ++k) {
                const double swapped = a[k];
                a[k] = b[k];
                b[k] = swapped;
            }
        }
    }
}

sn_result sn_pencil_solve_on_lattice(const sn_pencil *pencil, const sn_pencil_system *system, int pair_count,
                                     sn_pair_list *pairs, bool *is_converged)
{
    sn_arena scratch = {0};
    search s = {.positions = pencil->positions, .pair_count = pair_count, .pairs = pairs};
    sn_result result = start(pencil, system, &scratch, &s);
    *is_converged = true;
    while (result == SN_OK && *is_converged && pairs->count < pair_count) {
        result = find_more(&s, is_converged);
    }
    sort_pairs((size_t)system->problem.size, pairs);
    sn_arena_finish(&scratch);
    return result;
}

/* SPDX-License-Identifier: MIT */
#include "author/modes/eigen/large_grid.h"

#include "author/modes/eigen/cache_order.h"

#define MAX_LATTICE_NODES 40000
#define VERTICES_PER_NODE 36
#define CHEAP_LATTICE_NODES 4000 /* lattices up to this size cost almost nothing */
#define MIN_VERTICES_PER_NODE 22 /* below, lattice functions at the surface would have too few vertices */
#define MAX_LATTICE_ROWS 160     /* of a rig; with more, the lattice's modes are a bad start */
#define MAX_SOLVED 320           /* columns whose T Q is stored, to bound the memory */
#define MIN_NODES_PER_COLUMN 4   /* below, Lanczos has too few dimensions on the lattice */

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* More nodes save iterations, but cost a larger problem at the start. */
static size_t lattice_nodes(size_t size)
{
    const size_t cheap_count = min_size(size / MIN_VERTICES_PER_NODE, CHEAP_LATTICE_NODES),
                 regular_count = size / VERTICES_PER_NODE;
    return min_size(cheap_count > regular_count ? cheap_count : regular_count, MAX_LATTICE_NODES);
}

/* Builds the rows of the matrix, reordered if this improves cache use. */
static sn_result build_rows(const sn_mode_problem *problem, const double *positions, sn_large_grid *g)
{
    sn_matrix_rows k;
    sn_result result = sn_matrix_rows_build(&problem->matrix, &g->original_arena, &k);
    result = result == SN_OK ? sn_mode_order_find(problem, positions, &k, &g->arena, &g->order) : result;
    g->problem = *problem;
    g->k = k;
    if (result == SN_OK && g->order) {
        result = sn_mode_order_apply(g->order, problem, &k, &g->arena, &g->problem, &g->k);
        sn_arena_finish(&g->original_arena);
    }
    return result;
}

bool sn_large_has_lattice_modes(const sn_mode_problem *problem)
{
    return problem->constraints.column_count - problem->known_count <= MAX_LATTICE_ROWS;
}

/* Whether the lattice has enough nodes for the columns and, if its own modes are needed, for the constraint. */
static bool is_fine(const sn_large_grid *g, size_t max_width)
{
    const size_t rows = sn_large_has_lattice_modes(&g->problem) ? (size_t)g->problem.constraints.column_count : 0;
    return g->space.coarse_size > MIN_NODES_PER_COLUMN * (max_width + rows);
}

static sn_result factor_lattice(sn_large_grid *g, bool *is_done)
{
    sn_arena scratch = {0};
    sn_sparse coarse = {0};
    sn_result result = sn_coarse_space_matrix(&g->space, &g->k, &scratch, &coarse);
    if (result == SN_OK && coarse.size > 0) {
        result = sn_factor_create(&coarse, "modes", &g->factor);
    }
    *is_done = g->factor;
    sn_arena_finish(&scratch);
    return result;
}

static sn_result prepare_cycle(sn_large_grid *g, size_t max_width)
{
    const sn_sparse_columns *q = &g->problem.constraints;
    const bool is_captured = sn_large_has_lattice_modes(&g->problem) && q->column_count <= MAX_SOLVED;
    SN_TRY(sn_two_grid_init(&g->k, &g->space, g->factor, max_width, &g->arena, &g->cycle));
    return sn_complement_build(q, &g->cycle, max_width, is_captured, &g->arena, &g->complement);
}

sn_result sn_large_grid_init(const sn_mode_problem *problem, const double *positions, size_t max_width,
                             sn_large_grid *g)
{
    bool is_factored = false;
    *g = (sn_large_grid){.is_suited = false};
    sn_result result = build_rows(problem, positions, g);
    if (result == SN_OK) {
        result = sn_coarse_space_build(&g->problem, positions, &g->k, lattice_nodes(problem->unknowns.count), &g->arena,
                                       &g->space);
    }
    if (result == SN_OK && is_fine(g, max_width)) {
        result = factor_lattice(g, &is_factored);
    }
    if (result == SN_OK && is_factored) {
        result = prepare_cycle(g, max_width);
        g->is_suited = result == SN_OK && !g->complement.is_singular;
    }
    return result;
}

void sn_large_grid_finish(sn_large_grid *g)
{
    sn_factor_destroy(&g->factor);
    sn_arena_finish(&g->original_arena);
    sn_arena_finish(&g->arena);
}

void sn_large_attempt_begin(sn_large_attempt *attempt)
{
    *attempt = (sn_large_attempt){.previous_log = NULL};
    attempt->previous_log = sn_capture_log(&attempt->log);
}

sn_result sn_large_attempt_end(sn_large_attempt *attempt, sn_result result, bool *is_done)
{
    sn_capture_log(attempt->previous_log);
    if (result == SN_ERROR_NUMERIC || result == SN_ERROR_UNSUPPORTED) {
        *is_done = false;
        return SN_OK;
    }
    if (attempt->log.is_captured) {
        sn_log(attempt->log.level, "%s", attempt->log.line);
    }
    return result;
}

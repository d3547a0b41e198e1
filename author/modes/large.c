/* SPDX-License-Identifier: MIT */
/* Modes of large meshes. They are smooth: a lattice of some ten thousand nodes has them to a per cent, and its own
 * problem is small. From there LOBPCG (Knyazev 2001) needs some five iterations with the two-grid cycle as
 * preconditioner T, projected as T - T Q (Q^T T Q)^-1 Q^T T so that iterates stay in the constraint's complement. A
 * factor of the mesh's own matrix takes longer to order alone.
 *
 * What is iterated, X, W and P, is one row-major matrix of few columns. It is a hundred times as long as a cache, so a
 * pass over it does all that it can, a tile of rows at a time, and neither its image under K nor a second copy is ever
 * stored: to compute that again takes less time than to write it. X has some columns more than what is wanted: the last
 * ones converge slowly. A cycle that divides by t - theta, not by t, along further modes of the lattice, of value t,
 * spared one iteration of seven and left errors of 1e-6 that r^T T r did not tell of. */
#include "author/modes/large.h"

#include <math.h>
#include <string.h>

#include "author/modes/complement.h"
#include "author/modes/order.h"
#include "author/modes/ritz.h"
#include "author/modes/row_products.h"
#include "author/modes/two_grid.h"

#define MOST_LATTICE_NODES 40000
#define VERTICES_PER_NODE 36
#define CHEAP_LATTICE_NODES 4000   /* whose own problem takes next to no time */
#define LEAST_VERTICES_PER_NODE 22 /* fewer, and lattice functions at the surface would have too few each */
#define ITERATION_LIMIT 24
#define TOLERANCE 1e-7         /* of an eigenvalue, by r^T T r before the last step */
#define LATTICE_TOLERANCE 1e-3 /* of its modes, which are off by more than that */
#define GUARD_COLUMNS 4        /* at least */
#define LEAST_NODES_PER_COLUMN 4
#define TILE_ROWS 256 /* of a pass */
#define LANES SN_TWO_GRID_LANES
#define SPACES 3 /* X, W, P */

typedef struct search {
    sn_mode_problem problem; /* its unknowns in the order of what follows */
    int32_t *order;          /* (size) where they were, null: there */
    sn_matrix_rows k;
    sn_two_grid grid;
    size_t size, width, wanted;
    size_t columns; /* SPACES width */
    double *s;      /* (size x columns) X, W, P */
    double *values; /* (width) Rayleigh quotients, ascending */
    sn_complement complement;
    double *gram, *energy, *map;       /* (columns^2) */
    double *known_gram, *known_energy; /* (columns^2) of X and P, zero where W is */
    double *tiles[2];                  /* (TILE_ROWS x most columns) */
    bool is_stuck;                     /* the lattice has too few independent modes */
} search;

static size_t tile_rows(const search *s, size_t first)
{
    return s->size - first < TILE_ROWS ? s->size - first : TILE_ROWS;
}

/* ---- the constraint ---- */

/* Rows of W from the preconditioner's solution. */
static void take_solution(const search *s, size_t first, size_t count, double *w)
{
    const float *solution = s->grid.solution + first * s->width;
    for (size_t i = 0; i < count * s->width; ++i) {
        w[i] = (double)solution[i];
    }
}

/* Of the solution, (Q^T T Q)^-1 Q^T W, (room x width) row-major. */
static void find_parts(const search *s, double *parts)
{
    const size_t room = s->complement.room, width = s->width, count = room * width;
    double *of_rows = s->map, *a = of_rows + count;
    memset(of_rows, 0, count * sizeof *of_rows);
    for (size_t first = 0; first < s->size; first += TILE_ROWS) {
        const size_t rows = tile_rows(s, first);
        take_solution(s, first, rows, s->tiles[0]);
        sn_row_gram_add(rows, s->complement.rows + first * room, room, s->tiles[0], width, of_rows);
    }
    sn_complement_multipliers(&s->complement, width, of_rows, a);
    for (size_t i = 0; i < count; ++i) {
        parts[i] = a[i % width * room + i / width];
    }
}

/* W = what of the solution is in the complement of Q. */
static void constrain(const search *s)
{
    const size_t room = s->complement.room, width = s->width;
    double *parts = s->energy;
    if (room > 0) {
        find_parts(s, parts);
    }
    for (size_t first = 0; first < s->size; first += TILE_ROWS) {
        const size_t rows = tile_rows(s, first);
        take_solution(s, first, rows, s->tiles[0]);
        sn_row_multiply(rows, s->complement.solved + first * room, room, room, parts, width, s->tiles[1]);
        for (size_t i = 0; i < rows; ++i) {
            double *w = s->s + (first + i) * s->columns + width;
            for (size_t c = 0; c < width; ++c) {
                w[c] = s->tiles[0][i * width + c] - s->tiles[1][i * width + c];
            }
        }
    }
}

/* ---- Rayleigh and Ritz ---- */

/* S^T S and S^T K S for all spaces' columns S: of W, and what is known of X and P since they were moved. */
static void gather_spaces(const search *s)
{
    const size_t columns = s->columns, width = s->width, square = columns * columns;
    double *gram = s->gram + width * columns, *energy = s->energy + width * columns;
    memcpy(s->gram, s->known_gram, square * sizeof *s->gram);
    memcpy(s->energy, s->known_energy, square * sizeof *s->energy);
    for (size_t first = 0; first < s->size; first += TILE_ROWS) {
        const size_t rows = tile_rows(s, first);
        const double *tile = s->s + first * columns;
        for (size_t i = 0; i < rows; ++i) {
            memcpy(s->tiles[0] + i * width, tile + i * columns + width, width * sizeof *tile);
        }
        sn_matrix_rows_multiply(&s->k, first, rows, width, s->s + width, columns, s->tiles[1]);
        sn_row_gram_add(rows, tile, columns, s->tiles[0], width, gram);
        sn_row_gram_add(rows, tile, columns, s->tiles[1], width, energy);
    }
    for (size_t j = 0; j < width; ++j) { /* and its rows */
        for (size_t i = 0; i < columns; ++i) {
            s->gram[i * columns + width + j] = gram[j * columns + i];
            s->energy[i * columns + width + j] = energy[j * columns + i];
        }
    }
}

/* Whether r^T T r, for the residual r = K X - X theta and W = T r, is small for all that is wanted. */
static bool is_converged(const search *s)
{
    bool is_done = true;
    for (size_t c = 0; c < s->wanted; ++c) {
        const size_t at = (s->width + c) * s->columns + c;
        is_done = is_done && fabs(s->energy[at] - s->values[c] * s->gram[at]) <= TOLERANCE * s->values[c];
    }
    return is_done;
}

/* known (columns^2, zero where W is) = C^T now C for what X and P become, C = chosen (columns x 2 width, column-major).
 */
static void carry(const search *s, const double *now, const double *chosen, double *product, double *known)
{
    const size_t columns = s->columns, width = s->width;
    sn_dense_product(now, (int)columns, (int)columns, chosen, (int)(2 * width), product);
    memset(known, 0, columns * columns * sizeof *known);
    for (size_t j = 0; j < 2 * width; ++j) {
        for (size_t i = 0; i < 2 * width; ++i) {
            double sum = 0;
            for (size_t k = 0; k < columns; ++k) {
                sum += chosen[i * columns + k] * product[j * columns + k];
            }
            known[(j < width ? j : j + width) * columns + (i < width ? i : i + width)] = sum;
        }
    }
}

/* values, and map (columns x 2 width, column-major): for X, and for P, which leaves X out; and is nothing where X was.
 */
static sn_result solve_spaces(search *s, bool is_first)
{
    const size_t count = s->columns * s->width;
    sn_arena scratch = {0};
    double *lower = SN_NEW(&scratch, double, count), *product = SN_NEW(&scratch, double, 2 * count);
    size_t rank = 0;
    sn_result result = lower && product
                           ? sn_ritz_lowest(s->columns, s->gram, s->energy, s->width, s->values, lower, &rank)
                           : SN_ERROR_MEMORY;
    s->is_stuck = rank < s->width;
    if (result == SN_OK && !s->is_stuck) {
        for (size_t i = 0; i < count; ++i) {
            s->map[i] = lower[i];
            s->map[count + i] = i % s->columns < s->width || is_first ? 0 : lower[i];
        }
        carry(s, s->gram, s->map, product, s->known_gram);
        carry(s, s->energy, s->map, product, s->known_energy);
    }
    sn_arena_finish(&scratch);
    return result;
}

/* X <- X Cx + P, P <- W Cw + P Cp, as map says; no P where X was nothing. */
static void move(search *s, bool is_first)
{
    const size_t columns = s->columns, width = s->width;
    double *chosen = s->energy, *p = s->tiles[0], *x = s->tiles[1]; /* chosen: (columns x width) row-major */
    for (size_t i = 0; i < width * columns; ++i) {
        chosen[i % columns * width + i / columns] = s->map[i];
    }
    for (size_t first = 0; first < s->size; first += TILE_ROWS) {
        const size_t rows = tile_rows(s, first);
        double *tile = s->s + first * columns;
        sn_row_multiply(rows, tile + width, columns, columns - width, chosen + width * width, width, p);
        sn_row_multiply(rows, tile, columns, width, chosen, width, x);
        for (size_t i = 0; i < rows; ++i) {
            for (size_t c = 0; c < width; ++c) {
                tile[i * columns + c] = x[i * width + c] + p[i * width + c];
                tile[i * columns + 2 * width + c] = is_first ? 0 : p[i * width + c];
            }
        }
    }
}

/* ---- the iteration ---- */

/* solution = T r of the residual r = K X - X theta. */
static sn_result find_correction(search *s)
{
    const size_t width = s->width;
    for (size_t first = 0; first < s->size; first += TILE_ROWS) {
        const size_t rows = tile_rows(s, first);
        sn_matrix_rows_multiply(&s->k, first, rows, width, s->s, s->columns, s->tiles[0]);
        for (size_t i = 0; i < rows; ++i) {
            const double *x = s->s + (first + i) * s->columns, *image = s->tiles[0] + i * width;
            float *r = s->grid.residual + (first + i) * width;
            for (size_t c = 0; c < width; ++c) {
                r[c] = (float)(image[c] - x[c] * s->values[c]);
            }
        }
    }
    return sn_two_grid_apply(&s->grid, width);
}

/* From a start in the grid's solution. */
static sn_result iterate(search *s, bool *is_found)
{
    sn_result result = SN_OK;
    for (int i = 0; i < ITERATION_LIMIT && result == SN_OK && !s->is_stuck && !*is_found; ++i) {
        result = i > 0 ? find_correction(s) : SN_OK;
        if (result == SN_OK) {
            constrain(s);
            gather_spaces(s);
            *is_found = i > 0 && is_converged(s);
            result = solve_spaces(s, i == 0);
        }
        if (result == SN_OK && !s->is_stuck) {
            move(s, i == 0);
        }
    }
    *is_found = *is_found && !s->is_stuck;
    return result;
}

/* ---- the start ---- */

/* Q of the lattice: p^T Q. */
static sn_result restrict_rows(const search *s, const sn_coarse_space *space, sn_arena *arena,
                               sn_sparse_columns *coarse)
{
    const sn_sparse_columns *q = &s->problem.constraints;
    const size_t count = (size_t)q->column_count, n = space->coarse_size;
    sn_column_block *block = SN_NEW(arena, sn_column_block, 1);
    double *values = SN_NEW(arena, double, n *count);
    int32_t *rows = SN_NEW(arena, int32_t, n);
    if (!block || !values || !rows) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < SN_CORNERS * s->size; ++i) {
        for (size_t c = 0; c < count; ++c) {
            values[c * n + (size_t)space->nodes[i]] +=
                space->weights[i] * s->complement.rows[i / SN_CORNERS * s->complement.room + c];
        }
    }
    for (size_t i = 0; i < n; ++i) {
        rows[i] = (int32_t)i;
    }
    *block = (sn_column_block){.column_count = q->column_count, .row_count = (int)n, .rows = rows, .values = values};
    *coarse = (sn_sparse_columns){.column_count = q->column_count, .block_count = count > 0, .blocks = block};
    return SN_OK;
}

/* The lattice's own modes, into the grid's solution. */
static sn_result start_from_lattice(search *s, const sn_coarse_space *space, sn_factor *factor, sn_arena *arena)
{
    sn_projected_problem coarse = {.size = (int)space->coarse_size, .factor = factor, .tolerance = LATTICE_TOLERANCE};
    sn_pair_list pairs;
    const size_t n = space->coarse_size, width = s->width;
    sn_result result = restrict_rows(s, space, arena, &coarse.constraints);
    result = result == SN_OK ? sn_lanczos_largest(&coarse, (int)width, arena, &pairs) : result;
    if (result == SN_OK) {
        for (size_t i = 0; i < n * width; ++i) {
            s->grid.coarse[i] = pairs.vectors[i % width * n + i / width];
        }
        sn_coarse_space_prolong(space, width, s->grid.coarse, s->grid.solution);
    }
    return result;
}

static sn_result allocate(search *s, sn_arena *arena)
{
    const size_t columns = s->columns, square = columns * columns;
    const size_t room = (size_t)s->problem.constraints.column_count + LANES;
    const size_t parts = 3 * room * s->width, most = parts > square ? parts : square;
    s->s = SN_NEW(arena, double, s->size *columns);
    s->values = SN_NEW(arena, double, s->width);
    s->gram = SN_NEW(arena, double, square);
    s->known_gram = SN_NEW(arena, double, square);
    s->known_energy = SN_NEW(arena, double, square);
    s->energy = SN_NEW(arena, double, most);
    s->map = SN_NEW(arena, double, most);
    s->tiles[0] = SN_NEW(arena, double, TILE_ROWS *columns);
    s->tiles[1] = SN_NEW(arena, double, TILE_ROWS *columns);
    return s->s && s->values && s->gram && s->known_gram && s->known_energy && s->energy && s->map && s->tiles[0] &&
                   s->tiles[1]
               ? SN_OK
               : SN_ERROR_MEMORY;
}

/* Largest value of the inverse first, column by column, orthogonal to Q to rounding. */
static sn_result write_pairs(search *s, sn_arena *arena, sn_pair_list *pairs)
{
    *pairs = (sn_pair_list){.count = (int)s->wanted,
                            .values = SN_NEW(arena, double, s->wanted),
                            .vectors = SN_NEW(arena, double, s->size * s->wanted)};
    if (!pairs->values || !pairs->vectors) {
        return SN_ERROR_MEMORY;
    }
    for (size_t c = 0; c < s->wanted; ++c) {
        pairs->values[c] = 1 / s->values[c];
    }
    for (size_t i = 0; i < s->size; ++i) {
        const size_t place = s->order ? (size_t)s->order[i] : i;
        for (size_t c = 0; c < s->wanted; ++c) {
            pairs->vectors[c * s->size + place] = s->s[i * s->columns + c];
        }
    }
    return SN_OK;
}

static sn_result find(search *s, const sn_coarse_space *space, sn_factor *factor, sn_arena *scratch, bool *is_found)
{
    sn_result result = allocate(s, scratch);
    result = result == SN_OK ? sn_two_grid_init(&s->k, space, factor, s->width, scratch, &s->grid) : result;
    result = result == SN_OK ? sn_complement_build(&s->problem.constraints, &s->grid, s->width, scratch, &s->complement)
                             : result;
    if (result != SN_OK || s->complement.is_singular) {
        return result;
    }
    result = start_from_lattice(s, space, factor, scratch);
    return result == SN_OK ? iterate(s, is_found) : result;
}

static sn_result solve_with(search *s, const sn_coarse_space *space, sn_arena *scratch, bool *is_found)
{
    sn_sparse coarse;
    sn_factor *factor = NULL;
    sn_result result = sn_coarse_space_matrix(space, &s->k, scratch, &coarse);
    if (result != SN_OK || coarse.size == 0) {
        return result;
    }
    result = sn_factor_create(&coarse, "modes", &factor);
    result = result == SN_OK ? find(s, space, factor, scratch, is_found) : result;
    sn_factor_destroy(&factor);
    return result;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* More nodes spare iterations, and cost a larger problem to start with. */
static size_t lattice_nodes(size_t size)
{
    const size_t few = least(size / LEAST_VERTICES_PER_NODE, CHEAP_LATTICE_NODES), many = size / VERTICES_PER_NODE;
    return least(few > many ? few : many, MOST_LATTICE_NODES);
}

/* Rows of the matrix, in an order that suits its products; in `given` where that is the problem's own. */
static sn_result lay_rows(search *s, const double *positions, sn_arena *given, sn_arena *arena)
{
    const sn_mode_problem problem = s->problem;
    sn_matrix_rows k;
    sn_result result = sn_matrix_rows_build(&problem.matrix, given, &k);
    result = result == SN_OK ? sn_mode_order_find(&problem, positions, &k, arena, &s->order) : result;
    s->k = k;
    if (result == SN_OK && s->order) {
        result = sn_mode_order_apply(s->order, &problem, &k, arena, &s->problem, &s->k);
        sn_arena_finish(given);
    }
    return result;
}

sn_result sn_modes_of_large(const sn_mode_problem *problem, const double *positions, int wanted, sn_arena *arena,
                            sn_pair_list *pairs, bool *is_found)
{
    const size_t guarded = (size_t)wanted + (wanted / 4 > GUARD_COLUMNS ? (size_t)wanted / 4 : GUARD_COLUMNS);
    const size_t rows = (size_t)problem->constraints.column_count;
    search s = {.problem = *problem,
                .size = (size_t)problem->axis_count * problem->unknowns.count,
                .wanted = (size_t)wanted,
                .width = (guarded + LANES - 1) / LANES * LANES};
    s.columns = SPACES * s.width;
    sn_arena scratch = {0}, given = {0};
    sn_coarse_space space = {0};
    *is_found = false;
    sn_result result = lay_rows(&s, positions, &given, &scratch);
    if (result == SN_OK) {
        result = sn_coarse_space_build(&s.problem, positions, &s.k, lattice_nodes(problem->unknowns.count), &scratch,
                                       &space);
    }
    /* Lanczos runs dry in few dimensions */
    if (result == SN_OK && space.coarse_size > LEAST_NODES_PER_COLUMN * (s.width + rows)) {
        result = solve_with(&s, &space, &scratch, is_found);
    }
    result = result == SN_OK && *is_found ? write_pairs(&s, arena, pairs) : result;
    sn_arena_finish(&given);
    sn_arena_finish(&scratch);
    return result;
}

/* SPDX-License-Identifier: MIT */
/* Modes of large meshes by LOBPCG (Knyazev 2001). A lattice with some ten thousand nodes approximates smooth modes to
 * 1%, and its own eigenproblem is small. From this start, LOBPCG takes about five iterations, with the two-grid cycle
 * as preconditioner T, projected as T - T Q (Q^T T Q)^-1 Q^T T so that the iterates stay in the complement of the
 * constraint. Ordering alone of a factor of the mesh's own matrix would take longer.
 *
 * The iterated vectors X, W and P form one row-major matrix with few columns. It is far larger than the caches, so each
 * pass over it does all possible work on a tile of rows at a time. Neither its product with K nor a copy is stored,
 * since recomputing is faster than writing. A residual is mostly Q times multipliers; these are removed before rounding
 * to float, which would otherwise raise the eigenvalues. X has some more columns than requested, since the last ones
 * converge slowly. */
#include "author/modes/eigen/large.h"

#include <math.h>
#include <string.h>

#include "author/modes/constraint/row_products.h"
#include "author/modes/eigen/large_grid.h"
#include "author/modes/eigen/ritz.h"
#include "host/base/random.h"

#define ITERATION_LIMIT 24
#define TOLERANCE 1e-7         /* relative error of an eigenvalue, by r^T T r before the last step */
#define LATTICE_TOLERANCE 1e-3 /* of the lattice's modes, which have a larger discretisation error */
#define GUARD_COLUMNS 4        /* at least */
#define TILE_ROWS SN_TILE_ROWS /* of a pass */
#define LANES SN_TWO_GRID_LANES
#define SPACES 3 /* X, W, P */

typedef struct search {
    sn_large_grid *large;
    sn_two_grid *grid; /* the cycle of `large` */
    size_t size, width, requested;
    size_t columns;                    /* SPACES width */
    double *s;                         /* (size x columns) X, W, P */
    double *values;                    /* (width) Rayleigh quotients, ascending */
    double *gram, *energy, *map;       /* (columns^2) */
    double *known_gram, *known_energy; /* (columns^2) of X and P, zero for W */
    double *tiles[2];                  /* (TILE_ROWS x columns) */
    bool is_stuck;                     /* the lattice has too few independent modes */
} search;

static size_t tile_rows(const search *s, size_t first)
{
    return s->size - first < TILE_ROWS ? s->size - first : TILE_ROWS;
}

/* ---- the constraint ---- */

/* Copies a tile of W to packed rows. */
static void load_tile(const search *s, size_t first, double *tile)
{
    for (size_t i = 0; i < tile_rows(s, first); ++i) {
        memcpy(tile + i * s->width, s->s + (first + i) * s->columns + s->width, s->width * sizeof *tile);
    }
}

static void store_tile(const search *s, size_t first, const double *tile)
{
    for (size_t i = 0; i < tile_rows(s, first); ++i) {
        memcpy(s->s + (first + i) * s->columns + s->width, tile + i * s->width, s->width * sizeof *tile);
    }
}

/* W = the solution projected onto the complement of Q. */
static void constrain(const search *s)
{
    const sn_complement *complement = &s->large->complement;
    double *tile = s->tiles[0];
    sn_complement_begin(complement, s->width);
    for (size_t first = 0; first < s->size; first += TILE_ROWS) {
        sn_two_grid_solution(s->grid, first, tile_rows(s, first), s->width, tile);
        sn_complement_gather(complement, first, s->width, tile);
    }
    sn_complement_solve(complement, s->width);
    for (size_t first = 0; first < s->size; first += TILE_ROWS) {
        sn_two_grid_solution(s->grid, first, tile_rows(s, first), s->width, tile);
        sn_complement_subtract(complement, first, s->width, tile);
        store_tile(s, first, tile);
    }
}

/* ---- Rayleigh-Ritz ---- */

/* S^T S and S^T K S for the columns S of all spaces. Computes those with W; those of X and P are known from the last
 * step. */
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
        sn_matrix_rows_multiply(&s->large->k, first, rows, width, s->s + width, columns, s->tiles[1]);
        sn_row_gram_add(rows, tile, columns, s->tiles[0], width, gram);
        sn_row_gram_add(rows, tile, columns, s->tiles[1], width, energy);
    }
    for (size_t j = 0; j < width; ++j) { /* mirror the columns of W to its rows */
        for (size_t i = 0; i < columns; ++i) {
            s->gram[i * columns + width + j] = gram[j * columns + i];
            s->energy[i * columns + width + j] = energy[j * columns + i];
        }
    }
}

/* Whether r^T T r is small for all requested pairs, for the residual r = K X - X theta and W = T r. */
static bool is_converged(const search *s)
{
    bool is_done = true;
    for (size_t c = 0; c < s->requested; ++c) {
        const size_t at = (s->width + c) * s->columns + c;
        is_done = is_done && fabs(s->energy[at] - s->values[c] * s->gram[at]) <= TOLERANCE * s->values[c];
    }
    return is_done;
}

/* known (columns^2, zero for W) = C^T matrix C for the next X and P, with C = coefficients (columns x 2 width,
 * column-major). */
static void transform_gram(const search *s, const double *matrix, const double *coefficients, double *product,
                           double *known)
{
    const size_t columns = s->columns, width = s->width;
    sn_dense_product(matrix, (int)columns, (int)columns, coefficients, (int)(2 * width), product);
    memset(known, 0, columns * columns * sizeof *known);
    for (size_t j = 0; j < 2 * width; ++j) {
        for (size_t i = 0; i < 2 * width; ++i) {
            double sum = 0;
            for (size_t k = 0; k < columns; ++k) {
                sum += coefficients[i * columns + k] * product[j * columns + k];
            }
            known[(j < width ? j : j + width) * columns + (i < width ? i : i + width)] = sum;
        }
    }
}

/* Computes values, and map (columns x 2 width, column-major): first for X, then for P, which excludes X and is zero in
 * the first iteration. */
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
        transform_gram(s, s->gram, s->map, product, s->known_gram);
        transform_gram(s, s->energy, s->map, product, s->known_energy);
    }
    sn_arena_finish(&scratch);
    return result;
}

/* X <- X Cx + P, P <- W Cw + P Cp, with the coefficients in map; P = 0 in the first iteration. */
static void move(search *s, bool is_first)
{
    const size_t columns = s->columns, width = s->width;
    double *coefficients = s->energy, *p = s->tiles[0],
           *x = s->tiles[1]; /* coefficients: (columns x width) row-major */
    for (size_t i = 0; i < width * columns; ++i) {
        coefficients[i % columns * width + i / columns] = s->map[i];
    }
    for (size_t first = 0; first < s->size; first += TILE_ROWS) {
        const size_t rows = tile_rows(s, first);
        double *tile = s->s + first * columns;
        sn_row_multiply(rows, tile + width, columns, columns - width, coefficients + width * width, width, p);
        sn_row_multiply(rows, tile, columns, width, coefficients, width, x);
        for (size_t i = 0; i < rows; ++i) {
            for (size_t c = 0; c < width; ++c) {
                tile[i * columns + c] = x[i * width + c] + p[i * width + c];
                tile[i * columns + 2 * width + c] = is_first ? 0 : p[i * width + c];
            }
        }
    }
}

/* ---- the iteration ---- */

/* Stores r = K X - X theta in W, and gathers the constraint's multipliers. */
static void find_residuals(const search *s)
{
    const size_t width = s->width;
    double *r = s->tiles[0];
    sn_complement_begin(&s->large->complement, width);
    for (size_t first = 0; first < s->size; first += TILE_ROWS) {
        const size_t rows = tile_rows(s, first);
        sn_matrix_rows_multiply(&s->large->k, first, rows, width, s->s, s->columns, r);
        for (size_t i = 0; i < rows; ++i) {
            const double *x = s->s + (first + i) * s->columns;
            for (size_t c = 0; c < width; ++c) {
                r[i * width + c] -= x[c] * s->values[c];
            }
        }
        sn_complement_gather(&s->large->complement, first, width, r);
        store_tile(s, first, r);
    }
    sn_complement_solve(&s->large->complement, width);
}

/* solution = T r with the projected T, for the residual r without its multipliers, which are much larger than the rest
 * and would dominate its rounding errors in float. */
static sn_result find_correction(search *s)
{
    const size_t width = s->width;
    find_residuals(s);
    for (size_t first = 0; first < s->size; first += TILE_ROWS) {
        float *r = s->grid->residual + first * width;
        load_tile(s, first, s->tiles[0]);
        sn_complement_subtract(&s->large->complement, first, width, s->tiles[0]);
        for (size_t i = 0; i < tile_rows(s, first) * width; ++i) {
            r[i] = (float)s->tiles[0][i];
        }
    }
    return sn_complement_apply(&s->large->complement, width);
}

/* Starts from the grid's solution. */
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

/* Starts from noise, smoothed by the cycle: with many rows, the lattice's modes are no better start. */
static sn_result start_from_noise(search *s)
{
    uint64_t random = 1;
    for (size_t i = 0; i < s->size * s->width; ++i) {
        s->grid->residual[i] = (float)(2 * sn_random_unit(&random) - 1);
    }
    return sn_complement_apply(&s->large->complement, s->width);
}

/* The lattice's constraint p^T Q. */
static sn_result restrict_rows(const search *s, sn_arena *arena, sn_sparse_columns *coarse)
{
    const sn_coarse_space *space = &s->large->space;
    const sn_sparse_columns *q = &s->large->problem.constraints;
    const size_t count = (size_t)q->column_count, n = space->coarse_size;
    sn_column_block *block = SN_NEW(arena, sn_column_block, 1);
    double *values = SN_NEW(arena, double, n *count);
    int32_t *rows = SN_NEW(arena, int32_t, n);
    if (!block || !values || !rows) {
        return SN_ERROR_MEMORY;
    }
    for (int b = 0, column = 0; b < q->block_count; column += q->blocks[b++].column_count) {
        const sn_column_block *from = &q->blocks[b];
        const size_t height = (size_t)from->row_count;
        for (size_t i = 0; i < height * (size_t)from->column_count; ++i) {
            const size_t first = SN_CORNERS * (size_t)from->rows[i % height];
            double *to = values + ((size_t)column + i / height) * n;
            for (size_t corner = first; corner < first + SN_CORNERS; ++corner) {
                to[space->nodes[corner]] += space->weights[corner] * from->values[i];
            }
        }
    }
    for (size_t i = 0; i < n; ++i) {
        rows[i] = (int32_t)i;
    }
    *block = (sn_column_block){.column_count = q->column_count, .row_count = (int)n, .rows = rows, .values = values};
    *coarse = (sn_sparse_columns){.column_count = q->column_count, .block_count = count > 0, .blocks = block};
    return SN_OK;
}

/* Computes the lattice's own modes and prolongs them to the grid's solution. */
static sn_result start_from_lattice(search *s, sn_arena *arena)
{
    const sn_coarse_space *space = &s->large->space;
    sn_projected_problem coarse = {
        .size = (int)space->coarse_size, .factor = s->large->factor, .tolerance = LATTICE_TOLERANCE};
    sn_pair_list pairs;
    const size_t n = space->coarse_size, width = s->width;
    SN_TRY(restrict_rows(s, arena, &coarse.constraints));
    SN_TRY(sn_lanczos_largest(&coarse, (int)width, arena, &pairs));
    for (size_t i = 0; i < n * width; ++i) {
        s->grid->coarse[i] = pairs.vectors[i % width * n + i / width];
    }
    sn_coarse_space_prolong(space, width, s->grid->coarse, s->grid->solution);
    return SN_OK;
}

static sn_result allocate(search *s, sn_arena *arena)
{
    const size_t columns = s->columns, square = columns * columns;
    s->s = SN_NEW(arena, double, s->size *columns);
    s->values = SN_NEW(arena, double, s->width);
    s->gram = SN_NEW(arena, double, square);
    s->known_gram = SN_NEW(arena, double, square);
    s->known_energy = SN_NEW(arena, double, square);
    s->energy = SN_NEW(arena, double, square);
    s->map = SN_NEW(arena, double, square);
    s->tiles[0] = SN_NEW(arena, double, TILE_ROWS *columns);
    s->tiles[1] = SN_NEW(arena, double, TILE_ROWS *columns);
    return s->s && s->values && s->gram && s->known_gram && s->known_energy && s->energy && s->map && s->tiles[0] &&
                   s->tiles[1]
               ? SN_OK
               : SN_ERROR_MEMORY;
}

/* Writes the inverse's largest value first, column by column, orthogonal to Q up to rounding. */
static sn_result write_pairs(search *s, sn_arena *arena, sn_pair_list *pairs)
{
    *pairs = (sn_pair_list){.count = (int)s->requested,
                            .values = SN_NEW(arena, double, s->requested),
                            .vectors = SN_NEW(arena, double, s->size * s->requested)};
    if (!pairs->values || !pairs->vectors) {
        return SN_ERROR_MEMORY;
    }
    for (size_t c = 0; c < s->requested; ++c) {
        pairs->values[c] = 1 / s->values[c];
    }
    for (size_t i = 0; i < s->size; ++i) {
        const size_t row = s->large->order ? (size_t)s->large->order[i] : i;
        for (size_t c = 0; c < s->requested; ++c) {
            pairs->vectors[c * s->size + row] = s->s[i * s->columns + c];
        }
    }
    return SN_OK;
}

static sn_result find(search *s, sn_arena *scratch, bool *is_found)
{
    SN_TRY(allocate(s, scratch));
    SN_TRY(sn_large_has_lattice_modes(&s->large->problem) ? start_from_lattice(s, scratch) : start_from_noise(s));
    return iterate(s, is_found);
}

bool sn_modes_is_large(const sn_mode_problem *p)
{
    const size_t rows = (size_t)p->constraints.column_count,
                 counted = rows < SN_LARGE_SIZE_ROWS ? rows : SN_LARGE_SIZE_ROWS;
    return !p->is_flat && p->unknowns.count > SN_LARGE_SIZE + SN_LARGE_SIZE_PER_ROW * counted &&
           rows <= SN_LARGE_ROW_LIMIT;
}

sn_result sn_modes_compute_large(const sn_mode_problem *problem, const double *positions, int requested,
                                 sn_arena *arena, sn_pair_list *pairs, bool *is_found)
{
    const size_t guarded = (size_t)requested + (requested / 4 > GUARD_COLUMNS ? (size_t)requested / 4 : GUARD_COLUMNS);
    const size_t width = (guarded + LANES - 1) / LANES * LANES;
    sn_large_grid large;
    sn_large_attempt attempt;
    sn_arena scratch = {0};
    *is_found = false;
    sn_large_attempt_begin(&attempt);
    sn_result result = sn_large_grid_init(problem, positions, width, &large);
    search s = {.large = &large,
                .grid = &large.cycle,
                .size = (size_t)problem->axis_count * problem->unknowns.count,
                .requested = (size_t)requested,
                .width = width,
                .columns = SPACES * width};
    result = result == SN_OK && large.is_suited ? find(&s, &scratch, is_found) : result;
    result = result == SN_OK && *is_found ? write_pairs(&s, arena, pairs) : result;
    sn_large_grid_finish(&large);
    sn_arena_finish(&scratch);
    return sn_large_attempt_end(&attempt, result, is_found);
}

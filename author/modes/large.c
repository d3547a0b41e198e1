/* SPDX-License-Identifier: MIT */
/* Modes of large meshes. They are smooth: a lattice of some ten thousand nodes has them to a per cent, and its own
 * problem is small. From there LOBPCG (Knyazev 2001) needs some five iterations with the two-grid cycle as
 * preconditioner T, projected as T - T Q (Q^T T Q)^-1 Q^T T so that iterates stay in the constraint's complement. A
 * factor of the mesh's own matrix takes longer to order alone.
 *
 * What is iterated, X, W and P, is one row-major matrix of few columns. It is a hundred times as long as a cache, so a
 * pass over it does all that it can, a tile of rows at a time, and neither its image under K nor a second copy is ever
 * stored: to compute that again takes less time than to write it. X has some columns more than what is wanted: the last
 * ones converge slowly. */
#include "author/modes/large.h"

#include <math.h>
#include <string.h>

#include "author/modes/row_products.h"
#include "author/modes/two_grid.h"

#define MOST_LATTICE_NODES 40000
#define VERTICES_PER_NODE 22 /* fewer, and lattice functions at the surface would have too few each */
#define ITERATION_LIMIT 24
#define TOLERANCE 1e-6 /* of an eigenvalue, by r^T T r before the last step, which takes nearly all of that off */
#define LATTICE_TOLERANCE 1e-3 /* of its modes, which are off by more than that */
#define GUARD_COLUMNS 4        /* at least */
#define DEPENDENT 1e-11        /* of the Gram matrix of unit columns: such directions are noise */
#define LEAST_NODES_PER_COLUMN 4
#define TILE_ROWS 256 /* of a pass */
#define LANES 4
#define SPACES 3      /* X, W, P */
#define REFINEMENTS 3 /* of the constraint's multipliers: Q^T T Q is symmetric but for a float's rounding */

typedef struct search {
    const sn_mode_problem *problem;
    sn_matrix_rows k;
    sn_two_grid grid;
    size_t size, width, wanted, row_count;
    size_t columns;              /* SPACES width */
    double *s;                   /* (size x columns) X, W, P */
    double *values;              /* (width) Rayleigh quotients, ascending */
    double *rows;                /* Q (size x row_room) */
    double *solved;              /* T Q (size x row_room) */
    double *products;            /* (row_room^2) Q^T T Q */
    double *schur;               /* (row_room^2) the Cholesky factor of its symmetric part */
    size_t row_room;             /* row_count, to a multiple of LANES */
    double *gram, *energy, *map; /* (columns^2) */
    double *tiles[2];            /* (TILE_ROWS x most columns) */
    bool is_stuck;               /* the lattice has too few independent modes */
} search;

static size_t tile_rows(const search *s, size_t first)
{
    return s->size - first < TILE_ROWS ? s->size - first : TILE_ROWS;
}

/* tile (count x width) = one of the spaces' rows. */
static void take(const search *s, size_t first, size_t count, size_t space, double *tile)
{
    for (size_t i = 0; i < count; ++i) {
        memcpy(tile + i * s->width, s->s + (first + i) * s->columns + space * s->width, s->width * sizeof *tile);
    }
}

/* Columns of the preconditioner's blocks. */
static size_t grid_width(size_t columns)
{
    return (columns + SN_TWO_GRID_LANES - 1) / SN_TWO_GRID_LANES * SN_TWO_GRID_LANES;
}

/* ---- the constraint ---- */

static void fill_rows(search *s)
{
    const sn_sparse_columns *q = &s->problem->constraints;
    size_t column = 0;
    for (const sn_column_block *b = q->blocks; b < q->blocks + q->block_count; ++b) {
        const size_t rows = (size_t)b->row_count;
        for (size_t c = 0; c < (size_t)b->column_count; ++c, ++column) {
            for (size_t i = 0; i < rows; ++i) {
                s->rows[(size_t)b->rows[i] * s->row_room + column] = b->values[c * rows + i];
            }
        }
    }
}

/* solved = T Q, as many columns at a time as the iterates have. */
static sn_result solve_rows(search *s)
{
    sn_result result = SN_OK;
    for (size_t first = 0; first < s->row_count && result == SN_OK; first += s->width) {
        const size_t count = s->row_count - first < s->width ? s->row_count - first : s->width;
        const size_t width = grid_width(count);
        for (size_t i = 0; i < s->size; ++i) {
            for (size_t c = 0; c < width; ++c) {
                s->grid.residual[i * width + c] = c < count ? (float)s->rows[i * s->row_room + first + c] : 0;
            }
        }
        result = sn_two_grid_apply(&s->grid, width);
        for (size_t i = 0; i < s->size && result == SN_OK; ++i) {
            for (size_t c = 0; c < count; ++c) {
                s->solved[i * s->row_room + first + c] = (double)s->grid.solution[i * width + c];
            }
        }
    }
    return result;
}

static sn_result prepare_rows(search *s, sn_arena *arena)
{
    const size_t room = s->row_room;
    s->rows = SN_NEW(arena, double, s->size *room);
    s->solved = SN_NEW(arena, double, s->size *room);
    s->products = SN_NEW(arena, double, room *room);
    s->schur = SN_NEW(arena, double, room *room);
    if (!s->rows || !s->solved || !s->products || !s->schur) {
        return SN_ERROR_MEMORY;
    }
    fill_rows(s);
    const sn_result result = solve_rows(s);
    if (result != SN_OK || room == 0) {
        return result;
    }
    sn_row_gram_add(s->size, s->rows, room, s->solved, room, s->products);
    for (size_t i = s->row_count; i < room; ++i) { /* columns of zeros */
        s->products[i * room + i] = 1;
    }
    for (size_t i = 0; i < room * room; ++i) {
        s->schur[i] = 0.5 * (s->products[i] + s->products[i % room * room + i / room]);
    }
    return sn_dense_cholesky((int)room, s->schur)
               ? SN_OK
               : sn_fail_within(SN_ERROR_NUMERIC, "modes: the constraint's Schur complement is singular");
}

/* a (row_room x width) = (Q^T T Q)^-1 b, column-major; b is overwritten. */
static void find_multipliers(const search *s, double *b, double *a)
{
    const size_t room = s->row_room, count = room * s->width;
    double *step = a + count;
    memset(a, 0, count * sizeof *a);
    for (int i = 0; i < REFINEMENTS; ++i) {
        memcpy(step, b, count * sizeof *b);
        sn_dense_cholesky_solve((int)room, s->schur, (int)s->width, step);
        for (size_t c = 0; c < s->width; ++c) {
            for (size_t j = 0; j < room; ++j) {
                a[c * room + j] += step[c * room + j];
                for (size_t r = 0; r < room; ++r) {
                    b[c * room + r] -= s->products[j * room + r] * step[c * room + j];
                }
            }
        }
    }
}

/* matrix (m x n) row-major from column-major. */
static void transpose(size_t m, size_t n, const double *columns, double *matrix)
{
    for (size_t i = 0; i < m * n; ++i) {
        matrix[i] = columns[i % n * m + i / n];
    }
}

/* Into multipliers: of Q (row_room x width) and of X (width x width), both row-major, so that W - T Q q - X x is in the
 * complement of Q and orthogonal to X, but for a rounding that the Gram matrix knows. */
static void find_parts(const search *s, double *multipliers)
{
    const size_t room = s->row_room, width = s->width, square = width * width, count = room * width;
    double *of_rows = s->map, *of_x = of_rows + count, *overlap = of_x + square, *a = overlap + count;
    memset(s->map, 0, (2 * count + square) * sizeof *s->map);
    for (size_t first = 0; first < s->size; first += TILE_ROWS) {
        const size_t rows = tile_rows(s, first);
        take(s, first, rows, 1, s->tiles[0]);
        take(s, first, rows, 0, s->tiles[1]);
        sn_row_gram_add(rows, s->rows + first * room, room, s->tiles[0], width, of_rows);
        sn_row_gram_add(rows, s->tiles[1], width, s->tiles[0], width, of_x);
        sn_row_gram_add(rows, s->tiles[1], width, s->solved + first * room, room, overlap);
    }
    if (room > 0) {
        find_multipliers(s, of_rows, a);
        for (size_t c = 0; c < width; ++c) { /* of_x (width x width) -= overlap (width x row_room) a */
            for (size_t j = 0; j < room; ++j) {
                for (size_t i = 0; i < width; ++i) {
                    of_x[c * width + i] -= overlap[j * width + i] * a[c * room + j];
                }
            }
        }
        transpose(room, width, a, multipliers);
    }
    transpose(width, width, of_x, multipliers + count);
}

/* W becomes what of it is in the complement of Q, and of X where that is asked for. */
static void separate(const search *s, bool is_from_x)
{
    const size_t room = s->row_room, width = s->width;
    double *multipliers = s->energy, *product = s->tiles[1];
    find_parts(s, multipliers);
    for (size_t first = 0; first < s->size; first += TILE_ROWS) {
        const size_t rows = tile_rows(s, first);
        for (int part = 0; part < 2; ++part) {
            if (part == 0 ? room == 0 : !is_from_x) {
                continue;
            }
            if (part == 0) {
                sn_row_multiply(rows, s->solved + first * room, room, multipliers, width, product);
            } else {
                take(s, first, rows, 0, s->tiles[0]);
                sn_row_multiply(rows, s->tiles[0], width, multipliers + room * width, width, product);
            }
            for (size_t i = 0; i < rows * width; ++i) {
                s->s[(first + i / width) * s->columns + width + i % width] -= product[i];
            }
        }
    }
}

/* ---- Rayleigh and Ritz ---- */

/* S^T S and S^T K S for all spaces' columns S. */
static void gather_spaces(const search *s)
{
    const size_t columns = s->columns;
    memset(s->gram, 0, columns * columns * sizeof *s->gram);
    memset(s->energy, 0, columns * columns * sizeof *s->energy);
    for (size_t first = 0; first < s->size; first += TILE_ROWS) {
        const size_t rows = tile_rows(s, first);
        const double *tile = s->s + first * columns;
        sn_matrix_rows_multiply(&s->k, first, rows, columns, s->s, columns, s->tiles[0]);
        sn_row_gram_add_symmetric(rows, tile, tile, columns, s->gram);
        sn_row_gram_add_symmetric(rows, tile, s->tiles[0], columns, s->energy);
    }
    sn_row_gram_mirror(columns, s->gram);
    sn_row_gram_mirror(columns, s->energy);
}

/* Whether r^T T r, for the residual r of X and W = T r, is small for all that is wanted: X^T K W says that, too. */
static bool is_converged(const search *s)
{
    bool is_done = true;
    for (size_t c = 0; c < s->wanted; ++c) {
        is_done = is_done && fabs(s->energy[(s->width + c) * s->columns + c]) <= TOLERANCE * s->values[c];
    }
    return is_done;
}

/* Both matrices as of columns of norm 1; scale (columns) gets what they were multiplied with, 0 where there is nothing.
 */
static void equilibrate(const search *s, double *scale)
{
    const size_t columns = s->columns;
    for (size_t i = 0; i < columns; ++i) {
        const double square = s->gram[i * columns + i];
        scale[i] = square > 0 ? 1 / sqrt(square) : 0;
    }
    for (size_t i = 0; i < columns * columns; ++i) {
        s->gram[i] *= scale[i % columns] * scale[i / columns];
        s->energy[i] *= scale[i % columns] * scale[i / columns];
    }
}

/* The lowest pairs in the spaces' span: values, and map (columns x width, column-major). Directions that depend on
 * others are left out by the Gram matrix's eigenvectors. */
static sn_result solve_spaces(search *s, sn_arena *scratch)
{
    const size_t columns = s->columns;
    double *squares = SN_NEW(scratch, double, columns), *whitened = SN_NEW(scratch, double, columns *columns);
    double *product = SN_NEW(scratch, double, columns *columns), *scale = SN_NEW(scratch, double, columns);
    if (!squares || !whitened || !product || !scale) {
        return SN_ERROR_MEMORY;
    }
    equilibrate(s, scale);
    sn_result result = sn_symmetric_eigen((int)columns, s->gram, squares);
    size_t kept = 0;
    for (size_t e = 0; e < columns && result == SN_OK; ++e) {
        if (squares[e] > DEPENDENT * squares[columns - 1]) {
            for (size_t i = 0; i < columns; ++i) {
                whitened[kept * columns + i] = s->gram[e * columns + i] / sqrt(squares[e]);
            }
            ++kept;
        }
    }
    s->is_stuck = kept < s->width;
    if (result != SN_OK || s->is_stuck) {
        return result;
    }
    const int n = (int)columns, m = (int)kept;
    sn_dense_product(s->energy, n, n, whitened, m, product);
    sn_dense_gram(whitened, product, n, m, s->gram);
    result = sn_symmetric_eigen(m, s->gram, squares);
    memcpy(s->values, squares, s->width * sizeof *squares);
    sn_dense_product(whitened, n, m, s->gram, (int)s->width, s->map);
    for (size_t i = 0; i < columns * s->width; ++i) {
        s->map[i] *= scale[i % columns];
    }
    return result;
}

/* X <- X Cx + P, P <- W Cw + P Cp, and no P where X was nothing yet. */
static void move(search *s, bool is_first)
{
    const size_t columns = s->columns, width = s->width;
    double *both = s->energy; /* (columns x 2 width) row-major: for X, and for P, which leaves X out */
    for (size_t i = 0; i < columns; ++i) {
        for (size_t c = 0; c < width; ++c) {
            const double value = s->map[c * columns + i];
            both[i * 2 * width + c] = value;
            both[i * 2 * width + width + c] = i < width || is_first ? 0 : value;
        }
    }
    for (size_t first = 0; first < s->size; first += TILE_ROWS) {
        const size_t rows = tile_rows(s, first);
        double *tile = s->s + first * columns;
        sn_row_multiply(rows, tile, columns, both, 2 * width, s->tiles[0]);
        for (size_t i = 0; i < rows; ++i) {
            memcpy(tile + i * columns, s->tiles[0] + i * 2 * width, width * sizeof *tile);
            memcpy(tile + i * columns + 2 * width, s->tiles[0] + i * 2 * width + width, width * sizeof *tile);
        }
    }
}

/* ---- the iteration ---- */

/* W = T r of the residual r = K X - X theta. */
static sn_result find_correction(search *s)
{
    const size_t width = s->width, wide = grid_width(width);
    for (size_t first = 0; first < s->size; first += TILE_ROWS) {
        const size_t rows = tile_rows(s, first);
        sn_matrix_rows_multiply(&s->k, first, rows, width, s->s, s->columns, s->tiles[0]);
        for (size_t i = 0; i < rows; ++i) {
            const double *x = s->s + (first + i) * s->columns, *image = s->tiles[0] + i * width;
            float *r = s->grid.residual + (first + i) * wide;
            for (size_t c = 0; c < wide; ++c) {
                r[c] = c < width ? (float)(image[c] - x[c] * s->values[c]) : 0;
            }
        }
    }
    return sn_two_grid_apply(&s->grid, wide);
}

/* W from the preconditioner's solution. */
static void take_solution(search *s)
{
    const size_t width = s->width, wide = grid_width(width);
    for (size_t i = 0; i < s->size; ++i) {
        for (size_t c = 0; c < width; ++c) {
            s->s[i * s->columns + width + c] = (double)s->grid.solution[i * wide + c];
        }
    }
}

/* From a start in the grid's solution. */
static sn_result iterate(search *s, bool *is_found)
{
    sn_result result = SN_OK;
    for (int i = 0; i < ITERATION_LIMIT && result == SN_OK && !s->is_stuck && !*is_found; ++i) {
        sn_arena scratch = {0};
        result = i > 0 ? find_correction(s) : SN_OK;
        if (result == SN_OK) {
            take_solution(s);
            separate(s, i > 0);
            gather_spaces(s);
            *is_found = i > 0 && is_converged(s);
            result = solve_spaces(s, &scratch);
        }
        if (result == SN_OK && !s->is_stuck) {
            move(s, i == 0);
        }
        sn_arena_finish(&scratch);
    }
    *is_found = *is_found && !s->is_stuck;
    return result;
}

/* ---- the start ---- */

/* Q of the lattice: p^T Q. */
static sn_result restrict_rows(const search *s, const sn_coarse_space *space, sn_arena *arena,
                               sn_sparse_columns *coarse)
{
    const sn_sparse_columns *q = &s->problem->constraints;
    const size_t count = (size_t)q->column_count, n = space->coarse_size;
    sn_column_block *block = SN_NEW(arena, sn_column_block, 1);
    double *values = SN_NEW(arena, double, n *count);
    int32_t *rows = SN_NEW(arena, int32_t, n);
    if (!block || !values || !rows) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < SN_CORNERS * s->size; ++i) {
        for (size_t c = 0; c < count; ++c) {
            values[c * n + (size_t)space->nodes[i]] += space->weights[i] * s->rows[i / SN_CORNERS * s->row_room + c];
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
    const size_t n = space->coarse_size, wide = grid_width(s->width);
    sn_result result = restrict_rows(s, space, arena, &coarse.constraints);
    result = result == SN_OK ? sn_lanczos_largest(&coarse, (int)s->width, arena, &pairs) : result;
    if (result == SN_OK) {
        for (size_t i = 0; i < n * wide; ++i) {
            s->grid.coarse[i] = i % wide < s->width ? pairs.vectors[i % wide * n + i / wide] : 0;
        }
        sn_coarse_space_prolong(space, wide, s->grid.coarse, s->grid.solution);
    }
    return result;
}

static sn_result allocate(search *s, sn_arena *arena)
{
    const size_t columns = s->columns, square = columns * columns;
    const size_t parts = 4 * s->row_room * s->width + s->width * s->width, most = parts > square ? parts : square;
    s->s = SN_NEW(arena, double, s->size *columns);
    s->values = SN_NEW(arena, double, s->width);
    s->gram = SN_NEW(arena, double, square);
    s->energy = SN_NEW(arena, double, most);
    s->map = SN_NEW(arena, double, most);
    s->tiles[0] = SN_NEW(arena, double, TILE_ROWS *columns);
    s->tiles[1] = SN_NEW(arena, double, TILE_ROWS *columns);
    return s->s && s->values && s->gram && s->energy && s->map && s->tiles[0] && s->tiles[1] ? SN_OK : SN_ERROR_MEMORY;
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
        memcpy(s->s + i * s->columns + s->width, s->s + i * s->columns, s->width * sizeof *s->s);
    }
    separate(s, false);
    for (size_t c = 0; c < s->wanted; ++c) {
        for (size_t i = 0; i < s->size; ++i) {
            pairs->vectors[c * s->size + i] = s->s[i * s->columns + s->width + c];
        }
    }
    return SN_OK;
}

static sn_result find(search *s, const sn_coarse_space *space, sn_factor *factor, sn_arena *scratch, bool *is_found)
{
    sn_result result = allocate(s, scratch);
    result = result == SN_OK ? sn_two_grid_init(&s->k, space, factor, grid_width(s->width), scratch, &s->grid) : result;
    result = result == SN_OK ? prepare_rows(s, scratch) : result;
    result = result == SN_OK ? start_from_lattice(s, space, factor, scratch) : result;
    return result == SN_OK ? iterate(s, is_found) : result;
}

static sn_result solve_with(search *s, const sn_coarse_space *space, sn_arena *scratch, bool *is_found)
{
    sn_sparse coarse;
    sn_factor *factor = NULL;
    sn_result result = sn_coarse_space_matrix(space, &s->k, scratch, &coarse);
    if (result == SN_OK) {
        result = sn_factor_create(&coarse, "modes", &factor);
    }
    result = result == SN_OK ? find(s, space, factor, scratch, is_found) : result;
    sn_factor_destroy(&factor);
    return result;
}

sn_result sn_modes_of_large(const sn_mode_problem *problem, const double *positions, int wanted, sn_arena *arena,
                            sn_pair_list *pairs, bool *is_found)
{
    const size_t guarded = (size_t)wanted + (wanted / 4 > GUARD_COLUMNS ? (size_t)wanted / 4 : GUARD_COLUMNS);
    const size_t rows = (size_t)problem->constraints.column_count;
    search s = {.problem = problem,
                .size = problem->unknowns.count,
                .wanted = (size_t)wanted,
                .width = (guarded + LANES - 1) / LANES * LANES,
                .row_count = rows,
                .row_room = (rows + LANES - 1) / LANES * LANES};
    s.columns = SPACES * s.width;
    sn_arena scratch = {0};
    sn_coarse_space space = {0};
    *is_found = false;
    sn_result result = sn_matrix_rows_build(&problem->matrix, &scratch, &s.k);
    if (result == SN_OK) {
        const size_t nodes = s.size / VERTICES_PER_NODE;
        result = sn_coarse_space_build(problem, positions, &s.k,
                                       nodes < MOST_LATTICE_NODES ? nodes : MOST_LATTICE_NODES, &scratch, &space);
    }
    /* Lanczos runs dry in few dimensions */
    if (result == SN_OK && space.coarse_size > LEAST_NODES_PER_COLUMN * (s.width + rows)) {
        result = solve_with(&s, &space, &scratch, is_found);
    }
    result = result == SN_OK && *is_found ? write_pairs(&s, arena, pairs) : result;
    sn_arena_finish(&scratch);
    return result;
}

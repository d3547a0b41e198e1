/* SPDX-License-Identifier: MIT */
/* Modes of large meshes. They are smooth: a lattice of some ten thousand nodes has them to a per cent, and its own
 * problem is small. From there LOBPCG (Knyazev 2001) needs some five iterations with the
 * two-grid cycle as preconditioner T, projected as T - T Q (Q^T T Q)^-1 Q^T T so that iterates stay in the constraint's
 * complement. A factor of the mesh's own matrix takes longer to order alone.
 *
 * Blocks are row-major (size x width), some columns wider than what is wanted: the last ones converge slowly. */
#include "author/modes/large.h"

#include <math.h>
#include <string.h>

#include "author/modes/two_grid.h"

#define MOST_LATTICE_NODES 40000
#define VERTICES_PER_NODE 22 /* fewer, and lattice functions at the surface would have too few each */
#define ITERATION_LIMIT 24
#define TOLERANCE 1e-7         /* of an eigenvalue, by r^T T r */
#define LATTICE_TOLERANCE 1e-3 /* of its modes, which are off by more than that */
#define GUARD_COLUMNS 4        /* at least */
#define DEPENDENT 1e-11        /* of the Gram matrix of unit columns: such directions are noise */
#define LEAST_NODES_PER_COLUMN 4
#define TILE_ROWS 2048 /* of a product, which stays in the cache */
#define LANES 4
#define SPACES 3 /* X, W, P */

typedef struct search {
    const sn_mode_problem *problem;
    sn_matrix_rows k;
    sn_two_grid grid;
    size_t size, width, wanted, row_count;
    double *x, *w, *p, *kx, *kw, *kp; /* (size x width) */
    double *next;                     /* (size x width) scratch */
    double *values;                   /* (width) Rayleigh quotients, ascending */
    double *rows, *solved;            /* Q, T Q (size x row_room) */
    double *schur;                    /* (row_count^2) the Cholesky factor of Q^T T Q */
    double *gram, *energy, *map;      /* (SPACES width)^2 */
    size_t row_room;                  /* row_count, to a multiple of LANES */
    bool is_stuck;                    /* the lattice has too few independent modes */
} search;

/* c (m x n, column-major, of leading dimension ldc) = a^T b of (size x m) and (size x n) row-major. */
static void gather(size_t size, size_t m, const double *a, size_t n, const double *b, double *c, size_t ldc)
{
    for (size_t start = 0; start < size; start += TILE_ROWS) {
        sn_dense_multiply(&(sn_gemm){.transpose_b = true,
                                     .m = (int)m,
                                     .n = (int)n,
                                     .k = (int)(size - start < TILE_ROWS ? size - start : TILE_ROWS),
                                     .alpha = 1,
                                     .beta = start > 0,
                                     .a = a + start * m,
                                     .lda = (int)m,
                                     .b = b + start * n,
                                     .ldb = (int)n,
                                     .c = c,
                                     .ldc = (int)ldc});
    }
}

/* y (size x n) = alpha a (size x m) h + beta y, h (m x n, column-major, of leading dimension ldh). */
static void combine(size_t size, size_t m, const double *a, size_t n, const double *h, size_t ldh, double alpha,
                    double beta, double *y)
{
    for (size_t start = 0; start < size; start += TILE_ROWS) {
        sn_dense_multiply(&(sn_gemm){.transpose_a = true,
                                     .m = (int)n,
                                     .n = (int)(size - start < TILE_ROWS ? size - start : TILE_ROWS),
                                     .k = (int)m,
                                     .alpha = alpha,
                                     .beta = beta,
                                     .a = h,
                                     .lda = (int)ldh,
                                     .b = a + start * m,
                                     .ldb = (int)m,
                                     .c = y + start * n,
                                     .ldc = (int)n});
    }
}

/* ---- the constraint ---- */

static sn_result prepare_rows(search *s, sn_arena *arena)
{
    const size_t count = s->row_count, room = s->row_room;
    s->rows = SN_NEW(arena, double, s->size *room);
    s->solved = SN_NEW(arena, double, s->size *room);
    s->schur = SN_NEW(arena, double, room *room);
    double *columns = SN_NEW(arena, double, s->size *count), *block = SN_NEW(arena, double, s->size * s->width);
    double *image = SN_NEW(arena, double, s->size * s->width);
    if (!s->rows || !s->solved || !s->schur || !columns || !block || !image) {
        return SN_ERROR_MEMORY;
    }
    sn_columns_expand(&s->problem->constraints, (int)s->size, columns);
    for (size_t i = 0; i < s->size * count; ++i) {
        s->rows[i % s->size * room + i / s->size] = columns[i];
    }
    sn_result result = SN_OK;
    for (size_t first = 0; first < room && result == SN_OK; first += s->width) {
        const size_t width = room - first < s->width ? room - first : s->width;
        for (size_t i = 0; i < s->size; ++i) {
            memcpy(block + i * width, s->rows + i * room + first, width * sizeof *block);
        }
        result = sn_two_grid_apply(&s->grid, width, block, image);
        for (size_t i = 0; i < s->size; ++i) {
            memcpy(s->solved + i * room + first, image + i * width, width * sizeof *block);
        }
    }
    gather(s->size, room, s->rows, room, s->solved, s->schur, room);
    for (size_t i = count; i < room; ++i) { /* columns of zeros */
        s->schur[i * room + i] = 1;
    }
    if (result == SN_OK && !sn_dense_cholesky((int)room, s->schur)) {
        return sn_fail_within(SN_ERROR_NUMERIC, "modes: the constraint's Schur complement is singular");
    }
    return result;
}

/* w -= T Q (Q^T T Q)^-1 Q^T w */
static void constrain(const search *s, double *w)
{
    if (s->row_count > 0) {
        gather(s->size, s->row_room, s->rows, s->width, w, s->map, s->row_room);
        sn_dense_cholesky_solve((int)s->row_room, s->schur, (int)s->width, s->map);
        combine(s->size, s->row_room, s->solved, s->width, s->map, s->row_room, -1, 1, w);
    }
}

/* ---- Rayleigh and Ritz ---- */

/* Columns of a block, and of its image where there is one, to a norm of 1. */
static void normalise(const search *s, double *block, double *image)
{
    const size_t width = s->width;
    double *squares = s->map;
    memset(squares, 0, width * sizeof *squares);
    for (size_t i = 0; i < s->size * width; i += width) {
        for (size_t c = 0; c < width; ++c) {
            squares[c] += block[i + c] * block[i + c];
        }
    }
    for (size_t c = 0; c < width; ++c) {
        squares[c] = squares[c] > 0 ? 1 / sqrt(squares[c]) : 0;
    }
    for (size_t i = 0; i < s->size * width; i += width) {
        for (size_t c = 0; c < width; ++c) {
            block[i + c] *= squares[c];
        }
        for (size_t c = 0; c < width && image; ++c) {
            image[i + c] *= squares[c];
        }
    }
}

/* Of all pairs of spaces: the products of the blocks, and of blocks with images. */
static void gather_spaces(const search *s, size_t spaces)
{
    const double *const blocks[SPACES] = {s->x, s->w, s->p}, *const images[SPACES] = {s->kx, s->kw, s->kp};
    const size_t width = s->width, columns = spaces * width;
    for (size_t j = 0; j < spaces; ++j) {
        for (size_t i = 0; i <= j; ++i) {
            const size_t at = j * width * columns + i * width;
            gather(s->size, width, blocks[i], width, blocks[j], s->gram + at, columns);
            gather(s->size, width, blocks[i], width, images[j], s->energy + at, columns);
        }
    }
    for (size_t j = 0; j < columns; ++j) {
        for (size_t i = 0; i < j; ++i) {
            s->gram[i * columns + j] = s->gram[j * columns + i];
            s->energy[i * columns + j] = s->energy[j * columns + i];
        }
    }
}

/* The lowest pairs in the spaces' span: values, and map (columns x width). Directions that depend on others are left
 * out by the Gram matrix's eigenvectors. */
static sn_result solve_spaces(search *s, size_t spaces, sn_arena *scratch)
{
    const size_t columns = spaces * s->width;
    double *squares = SN_NEW(scratch, double, columns), *whitened = SN_NEW(scratch, double, columns *columns);
    double *product = SN_NEW(scratch, double, columns *columns);
    if (!squares || !whitened || !product) {
        return SN_ERROR_MEMORY;
    }
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
    result = result == SN_OK ? sn_symmetric_eigen(m, s->gram, squares) : result;
    memcpy(s->values, squares, s->width * sizeof *squares);
    sn_dense_product(whitened, n, m, s->gram, (int)s->width, s->map);
    return result;
}

static void swap(double **a, double **b)
{
    double *const kept = *a;
    *a = *b;
    *b = kept;
}

/* x <- x Cx + p, p <- w Cw + p Cp: the blocks, then their images. */
static void move(search *s, size_t spaces, double **x, double *w, double **p)
{
    const size_t width = s->width, columns = spaces * width;
    if (spaces > 1) {
        combine(s->size, width, w, width, s->map + width, columns, 1, 0, s->next);
    }
    if (spaces > 2) {
        combine(s->size, width, *p, width, s->map + 2 * width, columns, 1, 1, s->next);
    }
    swap(p, &s->next); /* the new direction; the old one is scratch */
    if (spaces > 1) {
        memcpy(s->next, *p, s->size * width * sizeof **p);
    }
    combine(s->size, width, *x, width, s->map, columns, 1, spaces > 1, s->next);
    swap(x, &s->next);
}

static sn_result minimise(search *s, size_t spaces)
{
    sn_arena scratch = {0};
    gather_spaces(s, spaces);
    const sn_result result = solve_spaces(s, spaces, &scratch);
    if (result == SN_OK && !s->is_stuck) {
        move(s, spaces, &s->x, s->w, &s->p);
        move(s, spaces, &s->kx, s->kw, &s->kp);
    }
    sn_arena_finish(&scratch);
    return result;
}

/* ---- the iteration ---- */

/* w = T r of the residual r = K x - x theta, constrained; whether all that is wanted has converged. */
static sn_result find_correction(search *s, bool *is_done)
{
    double *r = s->next, *parts = s->map;
    for (size_t i = 0; i < s->size * s->width; i += s->width) {
        for (size_t c = 0; c < s->width; ++c) {
            r[i + c] = s->kx[i + c] - s->x[i + c] * s->values[c];
        }
    }
    const sn_result result = sn_two_grid_apply(&s->grid, s->width, r, s->w);
    if (result == SN_OK) {
        constrain(s, s->w);
        memset(parts, 0, s->width * sizeof *parts);
        for (size_t i = 0; i < s->size * s->width; i += s->width) {
            for (size_t c = 0; c < s->width; ++c) {
                parts[c] += r[i + c] * s->w[i + c];
            }
        }
        *is_done = true;
        for (size_t c = 0; c < s->wanted; ++c) {
            *is_done = *is_done && parts[c] <= TOLERANCE * s->values[c];
        }
    }
    return result;
}

/* What of w is not in x, but for a rounding that the Gram matrix knows. */
static void separate(const search *s)
{
    gather(s->size, s->width, s->x, s->width, s->w, s->map, s->width);
    combine(s->size, s->width, s->x, s->width, s->map, s->width, -1, 1, s->w);
    normalise(s, s->w, NULL);
}

static sn_result iterate(search *s, bool *is_found)
{
    sn_matrix_rows_multiply(&s->k, s->width, s->x, s->kx);
    sn_result result = minimise(s, 1);
    for (int i = 0; i < ITERATION_LIMIT && result == SN_OK && !s->is_stuck; ++i) {
        result = find_correction(s, is_found);
        if (*is_found || result != SN_OK) {
            break;
        }
        separate(s);
        sn_matrix_rows_multiply(&s->k, s->width, s->w, s->kw);
        if (i > 0) {
            normalise(s, s->p, s->kp);
        }
        result = minimise(s, i > 0 ? 3 : 2);
    }
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
    double *fine = SN_NEW(arena, double, s->size *count), *values = SN_NEW(arena, double, n *count);
    int32_t *rows = SN_NEW(arena, int32_t, n);
    if (!block || !fine || !values || !rows) {
        return SN_ERROR_MEMORY;
    }
    sn_columns_expand(q, (int)s->size, fine);
    for (size_t c = 0; c < count; ++c) {
        sn_coarse_space_restrict(space, 1, fine + c * s->size, values + c * n);
    }
    for (size_t i = 0; i < n; ++i) {
        rows[i] = (int32_t)i;
    }
    *block = (sn_column_block){.column_count = q->column_count, .row_count = (int)n, .rows = rows, .values = values};
    *coarse = (sn_sparse_columns){.column_count = q->column_count, .block_count = count > 0, .blocks = block};
    return SN_OK;
}

/* x from the lattice's own modes: they are orthogonal to Q, as the lattice's rows are p^T Q. */
static sn_result start_from_lattice(search *s, const sn_coarse_space *space, sn_factor *factor, sn_arena *arena)
{
    sn_projected_problem coarse = {.size = (int)space->coarse_size, .factor = factor, .tolerance = LATTICE_TOLERANCE};
    sn_pair_list pairs;
    const size_t n = space->coarse_size;
    double *blocked = SN_NEW(arena, double, n * s->width);
    sn_result result = blocked ? restrict_rows(s, space, arena, &coarse.constraints) : SN_ERROR_MEMORY;
    result = result == SN_OK ? sn_lanczos_largest(&coarse, (int)s->width, arena, &pairs) : result;
    if (result == SN_OK) {
        for (size_t i = 0; i < n * s->width; ++i) {
            blocked[i] = pairs.vectors[i % s->width * n + i / s->width];
        }
        sn_coarse_space_prolong(space, s->width, blocked, s->x);
        normalise(s, s->x, NULL);
    }
    return result;
}

static sn_result allocate(search *s, sn_arena *arena)
{
    double **const blocks[] = {&s->x, &s->w, &s->p, &s->kx, &s->kw, &s->kp, &s->next};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i) {
        *blocks[i] = SN_NEW(arena, double, s->size * s->width);
        if (!*blocks[i]) {
            return SN_ERROR_MEMORY;
        }
    }
    const size_t columns = SPACES * s->width, most = columns > s->row_room ? columns : s->row_room;
    s->values = SN_NEW(arena, double, s->width);
    s->gram = SN_NEW(arena, double, columns *columns);
    s->energy = SN_NEW(arena, double, columns *columns);
    s->map = SN_NEW(arena, double, most *columns);
    return s->values && s->gram && s->energy && s->map ? SN_OK : SN_ERROR_MEMORY;
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
    constrain(s, s->x);
    for (size_t i = 0; i < s->size * s->wanted; ++i) {
        pairs->vectors[i] = s->x[i % s->size * s->width + i / s->size];
    }
    return SN_OK;
}

static sn_result find(search *s, const sn_coarse_space *space, sn_factor *factor, sn_arena *scratch, bool *is_found)
{
    sn_result result = allocate(s, scratch);
    result = result == SN_OK ? sn_two_grid_init(&s->k, space, factor, s->width, scratch, &s->grid) : result;
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

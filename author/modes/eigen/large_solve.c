/* SPDX-License-Identifier: MIT */
/* Responses of large meshes to loads: minimises x^T K x / 2 - b^T x with Q^T x = 0 by conjugate gradients, with the
 * two-grid cycle T as preconditioner, projected as T - T Q (Q^T T Q)^-1 Q^T T so that the iterates stay in the
 * complement of the constraint. The residual converges to Q times multipliers, whose rounding errors would dominate the
 * rest; they are removed in every step (Gould, Hribar and Nocedal 2001, On the solution of equality constrained
 * quadratic programming problems arising in optimization, section 6). Directions are those of flexible conjugate
 * gradients (Notay 2000), since a cycle in float is not exactly linear. */
#include <math.h>
#include <string.h>

#include "author/modes/eigen/large.h"
#include "author/modes/eigen/large_grid.h"

#define MAX_WIDTH 24 /* columns of a block: as many as a pass over the matrix keeps in registers */
#define ITERATION_LIMIT 40
#define TOLERANCE 1e-6 /* relative to the first residual, by r^T T r */
#define LANES SN_TWO_GRID_LANES
#define TILE_ROWS SN_TILE_ROWS

typedef struct block {
    const sn_large_grid *large;
    size_t size, width;
    double *x, *r, *p, *image, *z; /* (size x width) row-major: solutions, residuals, directions, K p, T r */
    double first[MAX_WIDTH];       /* initial r^T T r of each column */
    double square[MAX_WIDTH];      /* its current value */
    double scale[MAX_WIDTH];       /* of the load, so that its largest number is 1 in float */
    double alpha[MAX_WIDTH];       /* the last step along p */
} block;

static size_t tile_rows(const block *b, size_t first)
{
    return b->size - first < TILE_ROWS ? b->size - first : TILE_ROWS;
}

static size_t original_index(const block *b, size_t i)
{
    return b->large->order ? (size_t)b->large->order[i] : i;
}

/* r = the loads; columns beyond `count` are 0. */
static void load_right_hand_sides(block *b, size_t count, const double *loads)
{
    for (size_t c = 0; c < b->width; ++c) {
        double max_load = 0;
        for (size_t i = 0; i < b->size && c < count; ++i) {
            max_load = fmax(max_load, fabs(loads[c * b->size + i]));
        }
        b->scale[c] = max_load;
        b->square[c] = b->alpha[c] = 0;
    }
    for (size_t i = 0; i < b->size; ++i) {
        const size_t index = original_index(b, i);
        for (size_t c = 0; c < b->width; ++c) {
            b->r[i * b->width + c] = b->scale[c] > 0 ? loads[c * b->size + index] / b->scale[c] : 0;
        }
    }
    memset(b->x, 0, b->size * b->width * sizeof *b->x);
    memset(b->p, 0, b->size * b->width * sizeof *b->p);
    memset(b->image, 0, b->size * b->width * sizeof *b->image);
}

static void write_solutions(const block *b, size_t count, double *solutions)
{
    for (size_t i = 0; i < b->size; ++i) {
        const size_t index = original_index(b, i);
        for (size_t c = 0; c < count; ++c) {
            solutions[c * b->size + index] = b->scale[c] * b->x[i * b->width + c];
        }
    }
}

/* solution = T r with the projected T; removes the multipliers from r. */
static sn_result precondition(const block *b)
{
    const sn_complement *complement = &b->large->complement;
    sn_complement_begin(complement, b->width);
    for (size_t first = 0; first < b->size; first += TILE_ROWS) {
        sn_complement_gather(complement, first, b->width, b->r + first * b->width);
    }
    sn_complement_solve(complement, b->width);
    for (size_t first = 0; first < b->size; first += TILE_ROWS) {
        double *r = b->r + first * b->width;
        float *residual = b->large->cycle.residual + first * b->width;
        sn_complement_subtract(complement, first, b->width, r);
        for (size_t i = 0; i < tile_rows(b, first) * b->width; ++i) {
            residual[i] = (float)r[i];
        }
    }
    return sn_complement_apply(complement, b->width);
}

/* Computes z, the solution projected onto the complement, z^T r, and z^T K p in `z_image`. */
static void measure(block *b, double *z_image)
{
    const sn_complement *complement = &b->large->complement;
    memset(b->square, 0, sizeof b->square);
    sn_complement_begin(complement, b->width);
    for (size_t first = 0; first < b->size; first += TILE_ROWS) {
        double *z = b->z + first * b->width;
        sn_two_grid_solution(&b->large->cycle, first, tile_rows(b, first), b->width, z);
        sn_complement_gather(complement, first, b->width, z);
    }
    sn_complement_solve(complement, b->width);
    for (size_t first = 0; first < b->size; first += TILE_ROWS) {
        sn_complement_subtract(complement, first, b->width, b->z + first * b->width);
        for (size_t i = first; i < first + tile_rows(b, first); ++i) {
            for (size_t c = 0; c < b->width; ++c) {
                const size_t at = i * b->width + c;
                b->square[c] += b->z[at] * b->r[at];
                z_image[c] += b->z[at] * b->image[at];
            }
        }
    }
}

/* p = z + beta p, orthogonal in K to the last direction, which is 0 at first. */
static sn_result find_directions(block *b)
{
    double before[MAX_WIDTH], z_image[MAX_WIDTH] = {0}, beta[MAX_WIDTH];
    SN_TRY(precondition(b));
    memcpy(before, b->square, sizeof before);
    measure(b, z_image);
    for (size_t c = 0; c < b->width; ++c) {
        beta[c] = before[c] > 0 ? -b->alpha[c] * z_image[c] / before[c] : 0;
    }
    for (size_t i = 0; i < b->size; ++i) {
        for (size_t c = 0; c < b->width; ++c) {
            b->p[i * b->width + c] = b->z[i * b->width + c] + beta[c] * b->p[i * b->width + c];
        }
    }
    return SN_OK;
}

static bool is_column_converged(const block *b, size_t c)
{
    return b->square[c] <= TOLERANCE * TOLERANCE * b->first[c];
}

/* Updates x and r by the step along p; false if the matrix seems indefinite. */
static bool step(block *b)
{
    const size_t width = b->width;
    double energy[MAX_WIDTH] = {0};
    bool is_definite = true;
    for (size_t first = 0; first < b->size; first += TILE_ROWS) {
        const size_t rows = tile_rows(b, first), at = first * width;
        sn_matrix_rows_multiply(&b->large->k, first, rows, width, b->p, width, b->image + at);
        for (size_t i = 0; i < rows; ++i) {
            for (size_t c = 0; c < width; ++c) {
                energy[c] += b->p[at + i * width + c] * b->image[at + i * width + c];
            }
        }
    }
    for (size_t c = 0; c < width; ++c) {
        const bool is_moving = !is_column_converged(b, c);
        is_definite = is_definite && (!is_moving || energy[c] > 0);
        b->alpha[c] = is_moving ? b->square[c] / energy[c] : 0;
    }
    for (size_t i = 0; i < b->size && is_definite; ++i) {
        for (size_t c = 0; c < width; ++c) {
            b->x[i * width + c] += b->alpha[c] * b->p[i * width + c];
            b->r[i * width + c] -= b->alpha[c] * b->image[i * width + c];
        }
    }
    return is_definite;
}

static bool is_converged(const block *b)
{
    bool is_done = true;
    for (size_t c = 0; c < b->width; ++c) {
        is_done = is_done && is_column_converged(b, c);
    }
    return is_done;
}

static sn_result iterate(block *b, bool *is_solved)
{
    sn_result result = find_directions(b);
    memcpy(b->first, b->square, sizeof b->first);
    *is_solved = result == SN_OK && is_converged(b);
    for (int i = 0; i < ITERATION_LIMIT && result == SN_OK && !*is_solved; ++i) {
        if (!step(b)) {
            return SN_OK;
        }
        result = find_directions(b);
        *is_solved = result == SN_OK && is_converged(b);
    }
    return result;
}

static sn_result solve(const sn_large_grid *large, size_t count, double *columns, sn_arena *scratch, bool *is_solved)
{
    const size_t size = large->k.size, block_size = size * MAX_WIDTH;
    block b = {.large = large,
               .size = size,
               .x = SN_NEW(scratch, double, block_size),
               .r = SN_NEW(scratch, double, block_size),
               .p = SN_NEW(scratch, double, block_size),
               .image = SN_NEW(scratch, double, block_size),
               .z = SN_NEW(scratch, double, block_size)};
    sn_result result = b.x && b.r && b.p && b.image && b.z ? SN_OK : SN_ERROR_MEMORY;
    *is_solved = true;
    for (size_t first = 0; first < count && *is_solved && result == SN_OK; first += MAX_WIDTH) {
        const size_t block_width = count - first < MAX_WIDTH ? count - first : MAX_WIDTH;
        b.width = (block_width + LANES - 1) / LANES * LANES;
        load_right_hand_sides(&b, block_width, columns + first * size);
        result = iterate(&b, is_solved);
        write_solutions(&b, block_width, columns + first * size);
    }
    *is_solved = *is_solved && result == SN_OK;
    return result;
}

sn_result sn_modes_solve_large(const sn_mode_problem *problem, const double *positions, size_t count, double *x,
                               bool *is_solved)
{
    sn_large_grid large;
    sn_large_attempt attempt;
    sn_arena scratch = {0};
    *is_solved = false;
    sn_large_attempt_begin(&attempt);
    sn_result result = sn_large_grid_init(problem, positions, MAX_WIDTH, &large);
    result = result == SN_OK && large.is_suited ? solve(&large, count, x, &scratch, is_solved) : result;
    sn_large_grid_finish(&large);
    sn_arena_finish(&scratch);
    return sn_large_attempt_end(&attempt, result, is_solved);
}

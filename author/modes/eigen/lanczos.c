/* SPDX-License-Identifier: MIT */
/* Block Lanczos with full reorthogonalisation on the projected inverse, for the constrained eigenmodes. A block is
 * orthonormalised column by column instead of by CholQR2, which is as accurate, and lets a vanishing column be replaced
 * by a random one. Eigenvalues with a higher multiplicity than the block width may be missed, so further runs,
 * orthogonal to the pairs so far, search for them. */
#include "author/modes/eigen/lanczos.h"

#include <math.h>
#include <string.h>

#include "author/modes/constraint/projection.h"
#include "author/modes/eigen/tall_skinny_gemm.h"
#include "host/base/random.h"

#define RESIDUAL_TOLERANCE 1e-8 /* of theta; 1e-6 suffices for the eigenvalues, but not for the span */
#define SEARCH_TOLERANCE .05    /* of theta: accuracy of the search runs' largest pair */
#define VANISHED 1e-11          /* of a column's norm; reorthogonalisation is accurate down to here */
#define MIN_REMAINING .25       /* of a column's squared norm; if less remains, orthogonality is lost */
#define MAX_PASSES 3
#define CHUNK_BLOCKS 16
#define LARGE_VERTEX_COUNT 30000
#define MAX_BLOCK 4

static void subtract(size_t size, double scale, const double *from, double *x)
{
    for (size_t i = 0; i < size; i++) {
        x[i] -= scale * from[i];
    }
}

static void divide(size_t size, double divisor, double *x)
{
    for (size_t i = 0; i < size; i++) {
        x[i] /= divisor;
    }
}

/* ---- block Lanczos ---- */

/* Orthonormal columns in the complement of Q and of the known pairs. The projected matrix is banded: its column c holds
 * rows c to c + MAX_BLOCK in band[c * BAND]. */
#define BAND (MAX_BLOCK + 1)
typedef struct krylov_space {
    sn_projection *op;
    double tolerance;    /* bound on a pair's residual, relative to theta */
    const double *known; /* (size x known_count) known pairs */
    int known_count;
    int block; /* largest block width */
    int chunk_width;
    int chunk_count;
    double **chunks;  /* each (size x chunk_width) */
    int capacity;     /* largest number of columns */
    int column_count; /* of all blocks */
    int last;         /* first column of the last block */
    double *band;     /* (capacity x BAND) */
    double products[SN_TALL_SKINNY_BATCH * MAX_BLOCK];
    double *next;                          /* (size x MAX_BLOCK) P times the last block, then the next block */
    double coupling[MAX_BLOCK][MAX_BLOCK]; /* of the next block (rows) to the last one (columns) */
    int next_width;
    uint64_t random;
    sn_arena *scratch;
} krylov_space;

/* Eigenvalues of the projected matrix, descending, and the residual norms of their pairs. */
typedef struct ritz_pairs {
    int size;
    double *vectors; /* (size x size) ascending: pair i is column size - 1 - i */
    double *values;  /* (size) */
    double *residuals;
} ritz_pairs;

static int columns_in_chunk(const krylov_space *space, int chunk)
{
    const int left = space->column_count - chunk * space->chunk_width;
    return left < space->chunk_width ? left : space->chunk_width;
}

/* Orthogonalises the n columns of x against all columns so far. */
static void project_out(krylov_space *space, size_t n, double *x)
{
    const size_t size = space->op->size;
    sn_tall_skinny_project_out(size, (size_t)space->known_count, space->known, n, space->products, x);
    for (int c = 0; c < space->chunk_count; c++) {
        sn_tall_skinny_project_out(size, (size_t)columns_in_chunk(space, c), space->chunks[c], n, space->products, x);
    }
}

/* The same, until no column loses much: otherwise the rounding error of what was removed lets converged pairs grow
 * back. */
static void reorthogonalise(krylov_space *space, int n, double *x)
{
    const size_t size = space->op->size;
    bool has_cancelled = true;
    for (int pass = 0; pass < MAX_PASSES && has_cancelled; pass++) {
        double before[MAX_BLOCK];
        for (int k = 0; k < n; k++) {
            before[k] = sn_dense_dot(size, x + (size_t)k * size, x + (size_t)k * size);
        }
        project_out(space, (size_t)n, x);
        has_cancelled = false;
        for (int k = 0; k < n; k++) {
            has_cancelled |= sn_dense_dot(size, x + (size_t)k * size, x + (size_t)k * size) < MIN_REMAINING * before[k];
        }
    }
}

/* Orthogonalises x, which is P times the last block, against the last two blocks; components along earlier ones are
 * rounding. */
static void project_out_last(krylov_space *space, int n, double *x)
{
    const int first = space->last < space->block ? 0 : space->last - space->block;
    for (int c = first; c < space->column_count; c++) {
        const double *column =
            space->chunks[c / space->chunk_width] + (size_t)(c % space->chunk_width) * space->op->size;
        sn_tall_skinny_project_out(space->op->size, 1, column, (size_t)n, space->products, x);
    }
}

/* Fills column `slot` of the next block with random numbers. */
static sn_result fresh_column(krylov_space *space, int slot)
{
    const size_t size = space->op->size;
    double *x = space->next + (size_t)slot * size;
    for (size_t i = 0; i < size; i++) {
        x[i] = 2 * sn_random_unit(&space->random) - 1;
    }
    const sn_result result = sn_projection_constrain(space->op, 1, x);
    for (int pass = 0; pass < 2; pass++) {
        reorthogonalise(space, 1, x);
        for (int k = 0; k < slot; k++) {
            const double *other = space->next + (size_t)k * size;
            subtract(size, sn_dense_dot(size, other, x), other, x);
        }
        divide(size, sqrt(sn_dense_dot(size, x, x)), x);
    }
    return result;
}

/* Fills `next` up to `width` columns: the independent ones of its `column_count_in` columns, whose initial norms are
 * before[], then random ones. */
static sn_result orthonormalise_next(krylov_space *space, int column_count_in, int width, const double *before)
{
    const size_t size = space->op->size;
    int accepted = 0;
    memset(space->coupling, 0, sizeof space->coupling);
    for (int c = 0; c < column_count_in; c++) {
        double *x = space->next + (size_t)c * size, *slot = space->next + (size_t)accepted * size;
        for (int pass = 0; pass < 2; pass++) {
            for (int k = 0; k < accepted; k++) {
                const double *other = space->next + (size_t)k * size;
                const double part = sn_dense_dot(size, other, x);
                subtract(size, part, other, x);
                space->coupling[k][c] += part;
            }
        }
        const double norm = sqrt(sn_dense_dot(size, x, x));
        if (accepted < width && norm > VANISHED * before[c]) {
            space->coupling[accepted++][c] = norm;
            memmove(slot, x, sizeof *x * size);
            divide(size, norm, slot);
        }
    }
    space->next_width = width;
    for (int slot = accepted; slot < width; slot++) {
        SN_TRY(fresh_column(space, slot));
    }
    return SN_OK;
}

static int free_width(const krylov_space *space)
{
    const int left =
        (int)space->op->size - space->op->constraints->column_count - space->known_count - space->column_count;
    return left < space->block ? left : space->block;
}

/* Moves the next block into the basis. */
static sn_result append_next(krylov_space *space)
{
    const size_t size = space->op->size;
    const int width = space->next_width, previous_count = space->column_count, previous = space->last;
    for (int c = previous; c < previous_count; c++) {
        for (int k = 0; k < width; k++) {
            if (previous_count + k - c < BAND) { /* outside of the band the coupling is zero */
                space->band[(size_t)c * BAND + (size_t)(previous_count + k - c)] = space->coupling[k][c - previous];
            }
        }
    }
    for (int k = 0; k < width; k++) {
        const int column = previous_count + k, chunk = column / space->chunk_width;
        if (chunk == space->chunk_count) {
            space->chunks[chunk] = SN_NEW(space->scratch, double, size *(size_t)space->chunk_width);
            if (!space->chunks[chunk]) {
                return SN_ERROR_MEMORY;
            }
            space->chunk_count++;
        }
        memcpy(space->chunks[chunk] + (size_t)(column % space->chunk_width) * size, space->next + (size_t)k * size,
               sizeof(double) * size);
    }
    space->last = previous_count;
    space->column_count = previous_count + width;
    return SN_OK;
}

/* Computes P times the last block, its diagonal block of the projected matrix, and the next block. */
static sn_result expand(krylov_space *space)
{
    const size_t size = space->op->size;
    const int width = space->column_count - space->last;
    /* Blocks never cross a chunk: the chunk's width is a multiple of the block's, and only the last block is narrower.
     */
    const double *block =
        space->chunks[space->last / space->chunk_width] + (size_t)(space->last % space->chunk_width) * size;
    double before[MAX_BLOCK];
    const sn_result result = sn_projection_apply(space->op, width, block, space->next);
    if (result != SN_OK) {
        return result;
    }
    for (int c = 0; c < width; c++) {
        const double *x = space->next + (size_t)c * size;
        before[c] = sqrt(sn_dense_dot(size, x, x));
        for (int k = c; k < width; k++) {
            space->band[(size_t)(space->last + c) * BAND + (size_t)(k - c)] =
                sn_dense_dot(size, block + (size_t)k * size, x);
        }
    }
    project_out_last(space, width, space->next);
    reorthogonalise(space, width, space->next);
    return orthonormalise_next(space, width, free_width(space), before);
}

static sn_result solve_projected(const krylov_space *space, sn_arena *arena, ritz_pairs *pairs)
{
    const int size = space->column_count, width = size - space->last;
    const size_t n = (size_t)size;
    pairs->size = size;
    pairs->vectors = SN_NEW(arena, double, n *n);
    pairs->residuals = SN_NEW(arena, double, n);
    double *ascending = SN_NEW(arena, double, n);
    pairs->values = SN_NEW(arena, double, n);
    if (!pairs->vectors || !pairs->residuals || !ascending || !pairs->values) {
        return SN_ERROR_MEMORY;
    }
    for (size_t c = 0; c < n; c++) {
        for (size_t r = c; r < n && r - c < BAND; r++) {
            pairs->vectors[c * n + r] = space->band[c * BAND + (r - c)];
        }
    }
    SN_TRY(sn_symmetric_eigen(size, pairs->vectors, ascending));
    for (size_t i = 0; i < n; i++) {
        const double *tail = pairs->vectors + (n - 1 - i) * n + (size_t)space->last;
        double square = 0;
        for (int k = 0; k < space->next_width; k++) {
            double sum = 0;
            for (int c = 0; c < width; c++) {
                sum += space->coupling[k][c] * tail[c];
            }
            square += sum * sum;
        }
        pairs->values[i] = ascending[n - 1 - i];
        pairs->residuals[i] = sqrt(square);
    }
    return SN_OK;
}

/* Whether each of the `requested` largest pairs has converged, or the first one that has not is certain to stay below
 * `floor`. accepted receives the number of converged ones above floor. */
static bool has_converged(const ritz_pairs *pairs, double tolerance, int requested, double floor, int *accepted)
{
    *accepted = 0;
    for (int i = 0; i < requested && i < pairs->size; i++) {
        const double value = pairs->values[i];
        if (value <= floor * (1 + 1e-9)) {
            return pairs->residuals[i] <= SEARCH_TOLERANCE * value;
        }
        if (pairs->residuals[i] > tolerance * value) {
            return false;
        }
        ++*accepted;
    }
    return *accepted == requested;
}

/* vectors (size x count) = the basis times the first `count` pairs. */
static void combine_basis(const krylov_space *space, const ritz_pairs *pairs, int count, double *vectors)
{
    const size_t n = (size_t)pairs->size;
    const int size = (int)space->op->size;
    for (int i = 0; i < count; i++) {
        memset(vectors + (size_t)i * space->op->size, 0, sizeof *vectors * space->op->size);
    }
    /* The pairs are stored in ascending order: multiply all at once, then reverse the columns. */
    for (int c = 0; c < space->chunk_count; c++) {
        const double *coefficients = pairs->vectors + (n - (size_t)count) * n + (size_t)(c * space->chunk_width);
        sn_dense_multiply(&(sn_gemm){.m = size,
                                     .n = count,
                                     .k = columns_in_chunk(space, c),
                                     .alpha = 1,
                                     .beta = 1,
                                     .a = space->chunks[c],
                                     .lda = size,
                                     .b = coefficients,
                                     .ldb = pairs->size,
                                     .c = vectors,
                                     .ldc = size});
    }
    for (int i = 0; i < count / 2; i++) {
        double *a = vectors + (size_t)i * space->op->size, *b = vectors + (size_t)(count - 1 - i) * space->op->size;
        for (size_t v = 0; v < space->op->size; v++) {
            const double value = a[v];
            a[v] = b[v];
            b[v] = value;
        }
    }
}

static sn_result init_space(krylov_space *space, sn_projection *op, const sn_pair_list *known, int requested,
                            sn_arena *scratch)
{
    *space = (krylov_space){.op = op, .known = known->vectors, .known_count = known->count, .scratch = scratch};
    space->block = op->size > LARGE_VERTEX_COUNT ? MAX_BLOCK : 2;
    space->chunk_width = CHUNK_BLOCKS * space->block;
    const int free_count = (int)op->size - op->constraints->column_count - known->count,
              max_columns = 40 * requested + 600;
    space->capacity = free_count < max_columns ? free_count : max_columns;
    space->random = 20230801 + (uint64_t)known->count;
    space->chunks = SN_NEW(scratch, double *, space->capacity / space->chunk_width + 2);
    space->band = SN_NEW(scratch, double, (size_t)space->capacity *BAND);
    space->next = SN_NEW(scratch, double, op->size *MAX_BLOCK);
    return space->chunks && space->band && space->next ? SN_OK : SN_ERROR_MEMORY;
}

/* Expands the space until the pairs above `floor`, at most `requested`, have converged; writes them to result. */
static sn_result run_lanczos(krylov_space *space, int requested, double floor, sn_pair_list *result)
{
    int next_check = floor > 0 ? 6 * space->block : 3 * requested, accepted = 0;
    sn_result status = orthonormalise_next(space, 0, free_width(space), NULL);
    while (status == SN_OK && space->next_width > 0 && space->column_count + space->next_width <= space->capacity) {
        status = append_next(space);
        if (status == SN_OK) {
            status = expand(space);
        }
        if (status != SN_OK) {
            return status;
        }
        if (space->column_count < next_check && space->next_width > 0) {
            continue;
        }
        next_check = space->column_count + (space->column_count + 7) / 8;
        sn_arena step = {0};
        ritz_pairs pairs = {0};
        status = solve_projected(space, &step, &pairs);
        const bool is_converged =
            status == SN_OK && has_converged(&pairs, space->tolerance, requested, floor, &accepted);
        if (is_converged || (status == SN_OK && space->next_width == 0)) {
            combine_basis(space, &pairs, accepted, result->vectors);
            memcpy(result->values, pairs.values, sizeof(double) * (size_t)accepted);
            result->count = accepted;
        }
        sn_arena_finish(&step);
        if (status != SN_OK || is_converged || space->next_width == 0) {
            return status;
        }
    }
    return status != SN_OK || space->next_width == 0
               ? status
               : sn_fail_within(SN_ERROR_NUMERIC, "modes: no convergence in %d Lanczos vectors", space->column_count);
}

/* Merges two descending lists into the `requested` largest. */
static void merge_pairs(size_t size, int requested, const sn_pair_list *a, const sn_pair_list *b, sn_pair_list *result)
{
    int i = 0, j = 0;
    for (result->count = 0; result->count < requested && (i < a->count || j < b->count); result->count++) {
        const bool first = j == b->count || (i < a->count && a->values[i] >= b->values[j]);
        const sn_pair_list *from = first ? a : b;
        const size_t source = (size_t)(first ? i++ : j++), slot = (size_t)result->count;
        result->values[slot] = from->values[source];
        memcpy(result->vectors + slot * size, from->vectors + source * size, sizeof(double) * size);
    }
}

static sn_result search(sn_projection *op, double tolerance, const sn_pair_list *known, int requested, double floor,
                        sn_pair_list *result)
{
    sn_arena scratch = {0};
    krylov_space space;
    result->count = 0;
    sn_result status = init_space(&space, op, known, requested, &scratch);
    space.tolerance = tolerance;
    if (status == SN_OK) {
        status = run_lanczos(&space, requested, floor, result);
    }
    sn_arena_finish(&scratch);
    return status;
}

static bool init_pairs(sn_pair_list *pairs, size_t size, int requested, sn_arena *arena)
{
    pairs->count = 0;
    pairs->values = SN_NEW(arena, double, requested);
    pairs->vectors = SN_NEW(arena, double, size *(size_t)requested);
    return pairs->values && pairs->vectors;
}

static sn_result find_all(sn_projection *op, double tolerance, int requested, sn_arena *scratch, sn_pair_list *pairs)
{
    sn_pair_list missed, merged;
    if (!init_pairs(&missed, op->size, requested, scratch) || !init_pairs(&merged, op->size, requested, scratch)) {
        return SN_ERROR_MEMORY;
    }
    sn_result result = search(op, tolerance, pairs, requested, 0, pairs);
    for (int round = 0; result == SN_OK && round < requested; round++) {
        result = search(op, tolerance, pairs, requested, pairs->values[pairs->count - 1], &missed);
        if (result != SN_OK || missed.count == 0) {
            break;
        }
        merge_pairs(op->size, requested, pairs, &missed, &merged);
        memcpy(pairs->values, merged.values, sizeof(double) * (size_t)requested);
        memcpy(pairs->vectors, merged.vectors, sizeof(double) * (size_t)requested * op->size);
    }
    return result;
}

sn_result sn_lanczos_largest(const sn_projected_problem *problem, int requested, sn_arena *arena, sn_pair_list *pairs)
{
    sn_arena scratch = {0};
    sn_projection op;
    SN_ASSERT(requested > 0 && requested < problem->size - problem->constraints.column_count);
    if (!init_pairs(pairs, (size_t)problem->size, requested, arena)) {
        return SN_ERROR_MEMORY;
    }
    sn_result result = sn_projection_init(problem, MAX_BLOCK, &scratch, &op);
    if (result == SN_OK) {
        result =
            find_all(&op, problem->tolerance > 0 ? problem->tolerance : RESIDUAL_TOLERANCE, requested, &scratch, pairs);
    }
    for (int i = 0; result == SN_OK && i < requested;
         i += MAX_BLOCK) { /* remove the rounding errors along the constraint */
        const int columns = requested - i < MAX_BLOCK ? requested - i : MAX_BLOCK;
        result = sn_projection_constrain(&op, columns, pairs->vectors + (size_t)i * op.size);
    }
    sn_arena_finish(&scratch);
    return result;
}

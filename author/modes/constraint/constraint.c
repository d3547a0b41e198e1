/* SPDX-License-Identifier: MIT */
/* Rows of the constraint J^T M D B(W) = 0 on the modes (fast complementary dynamics), which makes secondary motion
 * complementary to the rig. A bone's rows { M D g_b q } over the ten quadratic monomials q span all products of two
 * homogeneous coordinates: 10 rows where the paper assembles 144. Departures from the paper:
 * - A bone's monomials are taken about its own center, scaled by its own extents, and made orthonormal. The span is the
 *   same, and the Gram matrix of all rows is far better conditioned. They stay zero where the bone has no weight.
 * - The rank is found by a pivoted Cholesky factor of that Gram matrix instead of an SVD.
 * - The bones of a large rig are grouped. Separate rows for every finger and strand of hair would leave only modes that
 *   are too stiff to be visible, while smooth modes cannot undo the motion of so little flesh. */
#include <math.h>
#include <string.h>

#include "author/modes/constraint/bone_groups.h"
#include "author/modes/modes.h"

#define MONOMIAL_COUNT 10
#define LINEAR_COUNT 4 /* the first monomials: 1, x, y, z */

/* Squared part of a unit column outside of the span of the others, below which it is dropped: within a group, where it
 * is rounding, and among all. The second one is above the noise of weights stored as floats or with 7 digits, so that
 * bones with equal weights count once; it is far below the value of independent bones (1e-6), and bounds the condition
 * number of the rows. */
#define GROUP_DROP_TOLERANCE 1e-10
#define DROP_TOLERANCE 1e-8

/* Weights below this are rounding, as of harmonic functions far away. */
#define MIN_WEIGHT 1e-15

/* Lower bound of a group's extents, relative to the largest. */
#define MINIMUM_EXTENT 1e-3

/* The part of the mesh that a group moves: its weights sqrt(m) D g, and its orthonormal columns. */
typedef struct group_block {
    int vertex_count;
    int32_t *vertices;  /* (vertex_count) ascending */
    double *weights;    /* (vertex_count) */
    double *values;     /* (vertex_count x MONOMIAL_COUNT) row-major; dropped columns are zero */
    bool is_translated; /* all of its bones only translate, so it has linear columns only */
} group_block;

typedef struct rig_view {
    const sn_tet_mesh *mesh;
    const double *mass, *leak, *weights;
    const bool *is_translated; /* (bone_count) or null */
    int bone_count, group_count;
    int32_t *groups;     /* (bone_count) */
    group_block *blocks; /* (group_count) */
} rig_view;

/* ---- groups and their vertices ---- */

static sn_result group_bones(rig_view *rig, sn_arena *scratch)
{
    const size_t vertex_count = (size_t)rig->mesh->vertex_count;
    double *weighted_mass = SN_NEW(scratch, double, vertex_count);
    rig->groups = SN_NEW(scratch, int32_t, rig->bone_count);
    if (!weighted_mass || !rig->groups) {
        return SN_ERROR_MEMORY;
    }
    for (size_t v = 0; v < vertex_count; v++) {
        weighted_mass[v] = rig->mass[v] * rig->leak[v] * rig->leak[v];
    }
    return sn_bone_groups_build(rig->mesh->vertex_count, rig->bone_count, weighted_mass, rig->weights,
                                SN_CONSTRAINT_GROUP_CAP, rig->groups, &rig->group_count);
}

/* group_weights (group_count): sqrt(m) D g at vertex v. */
static void sum_weights(const rig_view *rig, size_t v, double *group_weights)
{
    const double *weights = rig->weights + v * (size_t)rig->bone_count;
    const double factor = sqrt(rig->mass[v]) * rig->leak[v];
    for (int g = 0; g < rig->group_count; g++) {
        group_weights[g] = 0;
    }
    for (int b = 0; b < rig->bone_count; b++) {
        if (rig->groups[b] >= 0) {
            group_weights[rig->groups[b]] += weights[b];
        }
    }
    for (int g = 0; g < rig->group_count; g++) {
        group_weights[g] = fabs(group_weights[g]) > MIN_WEIGHT ? factor * group_weights[g] : 0;
    }
}

static void count_vertices(const rig_view *rig, double *group_weights)
{
    for (size_t v = 0; v < (size_t)rig->mesh->vertex_count; v++) {
        sum_weights(rig, v, group_weights);
        for (int g = 0; g < rig->group_count; g++) {
            rig->blocks[g].vertex_count += group_weights[g] != 0;
        }
    }
}

static void list_vertices(const rig_view *rig, double *group_weights)
{
    for (size_t v = 0; v < (size_t)rig->mesh->vertex_count; v++) {
        sum_weights(rig, v, group_weights);
        for (int g = 0; g < rig->group_count; g++) {
            group_block *block = &rig->blocks[g];
            if (group_weights[g] != 0) {
                block->vertices[block->vertex_count] = (int32_t)v;
                block->weights[block->vertex_count++] = group_weights[g];
            }
        }
    }
}

static void find_translated(const rig_view *rig)
{
    for (int g = 0; g < rig->group_count; g++) {
        rig->blocks[g].is_translated = rig->is_translated != NULL;
    }
    for (int b = 0; b < rig->bone_count && rig->is_translated; b++) {
        if (rig->groups[b] >= 0) {
            rig->blocks[rig->groups[b]].is_translated &= rig->is_translated[b];
        }
    }
}

static sn_result allocate_blocks(rig_view *rig, sn_arena *scratch)
{
    double *group_weights = SN_NEW(scratch, double, rig->group_count);
    rig->blocks = SN_NEW(scratch, group_block, rig->group_count);
    if (!group_weights || !rig->blocks) {
        return SN_ERROR_MEMORY;
    }
    count_vertices(rig, group_weights);
    for (int g = 0; g < rig->group_count; g++) {
        group_block *block = &rig->blocks[g];
        const size_t count = (size_t)block->vertex_count;
        *block = (group_block){.vertices = SN_NEW(scratch, int32_t, count),
                               .weights = SN_NEW(scratch, double, count),
                               .values = SN_NEW(scratch, double, count *MONOMIAL_COUNT)};
        if (!block->vertices || !block->weights || !block->values) {
            return SN_ERROR_MEMORY;
        }
    }
    list_vertices(rig, group_weights);
    find_translated(rig);
    return SN_OK;
}

/* ---- the columns of a group ---- */

typedef struct group_frame {
    double center[3], scale[3];
} group_frame;

/* Center and root mean square extents. */
static group_frame frame_group(const double *positions, const group_block *block)
{
    group_frame frame;
    double total = 0, first[3] = {0}, second[3] = {0};
    for (int i = 0; i < block->vertex_count; i++) {
        const double *p = positions + 3 * (size_t)block->vertices[i], square = block->weights[i] * block->weights[i];
        total += square;
        for (size_t d = 0; d < 3; d++) {
            first[d] += square * p[d];
        }
    }
    for (int i = 0; i < block->vertex_count; i++) {
        const double *p = positions + 3 * (size_t)block->vertices[i], square = block->weights[i] * block->weights[i];
        for (size_t d = 0; d < 3; d++) {
            const double offset = p[d] - first[d] / total;
            second[d] += square * offset * offset;
        }
    }
    const double max_extent = sqrt(fmax(second[0], fmax(second[1], second[2])) / total);
    for (size_t d = 0; d < 3; d++) {
        const double extent = fmax(sqrt(second[d] / total), MINIMUM_EXTENT * max_extent);
        frame.center[d] = first[d] / total;
        frame.scale[d] = extent > 0 ? 1 / extent : 1; /* a bone with a single vertex has no extent */
    }
    return frame;
}

/* Fills the ten columns, of unit norm or zero. */
static void fill_block(const double *positions, const group_block *block)
{
    const group_frame frame = frame_group(positions, block);
    const size_t column_count = block->is_translated ? LINEAR_COUNT : MONOMIAL_COUNT;
    double squares[MONOMIAL_COUNT] = {0};
    for (size_t i = 0; i < (size_t)block->vertex_count; i++) {
        const double *p = positions + 3 * (size_t)block->vertices[i];
        const double x = (p[0] - frame.center[0]) * frame.scale[0];
        const double y = (p[1] - frame.center[1]) * frame.scale[1];
        const double z = (p[2] - frame.center[2]) * frame.scale[2];
        const double monomials[MONOMIAL_COUNT] = {1, x, y, z, x * x, x * y, x * z, y * y, y * z, z * z};
        for (size_t k = 0; k < column_count; k++) {
            const double value = block->weights[i] * monomials[k];
            block->values[i * MONOMIAL_COUNT + k] = value;
            squares[k] += value * value;
        }
    }
    for (size_t i = 0; i < (size_t)block->vertex_count * MONOMIAL_COUNT; i++) {
        const double square = squares[i % MONOMIAL_COUNT];
        block->values[i] = square > 0 ? block->values[i] / sqrt(square) : 0;
    }
}

/* change (MONOMIAL_COUNT squared, column-major) = P R^-1 for R of the first `rank` rows, zero in the other columns. */
static void invert_factor(const double *upper, const int32_t *pivots, int rank, double *change)
{
    for (size_t j = 0; j < (size_t)rank; j++) {
        double *column = change + j * MONOMIAL_COUNT;
        for (size_t i = j + 1; i-- > 0;) {
            double sum = i == j ? 1 : 0;
            for (size_t k = i + 1; k <= j; k++) {
                sum -= upper[k * MONOMIAL_COUNT + i] * column[pivots[k]];
            }
            column[pivots[i]] = sum / upper[i * MONOMIAL_COUNT + i];
        }
    }
}

/* Replaces the block's columns by orthonormal ones; `work` is as large as its values. */
static void orthonormalise_block(const group_block *block, double *work)
{
    const int m = MONOMIAL_COUNT;
    double gram[MONOMIAL_COUNT * MONOMIAL_COUNT], change[MONOMIAL_COUNT * MONOMIAL_COUNT] = {0};
    double scratch[2 * MONOMIAL_COUNT];
    int32_t pivots[MONOMIAL_COUNT];
    memcpy(work, block->values, sizeof *work * (size_t)block->vertex_count * MONOMIAL_COUNT);
    sn_dense_multiply(&(sn_gemm){.transpose_b = true,
                                 .m = m,
                                 .n = m,
                                 .k = block->vertex_count,
                                 .alpha = 1,
                                 .a = work,
                                 .lda = m,
                                 .b = work,
                                 .ldb = m,
                                 .c = gram,
                                 .ldc = m});
    const int rank = sn_pivoted_cholesky(m, gram, GROUP_DROP_TOLERANCE, scratch, pivots);
    invert_factor(gram, pivots, rank, change);
    sn_dense_multiply(&(sn_gemm){.transpose_a = true,
                                 .m = m,
                                 .n = block->vertex_count,
                                 .k = m,
                                 .alpha = 1,
                                 .a = change,
                                 .lda = m,
                                 .b = work,
                                 .ldb = m,
                                 .c = block->values,
                                 .ldc = m});
}

static sn_result fill_blocks(const rig_view *rig, sn_arena *scratch)
{
    size_t max_vertices = 0;
    for (int g = 0; g < rig->group_count; g++) {
        max_vertices =
            (size_t)rig->blocks[g].vertex_count > max_vertices ? (size_t)rig->blocks[g].vertex_count : max_vertices;
    }
    double *work = SN_NEW(scratch, double, max_vertices *MONOMIAL_COUNT);
    for (int g = 0; work && g < rig->group_count; g++) {
        fill_block(rig->mesh->positions, &rig->blocks[g]);
        orthonormalise_block(&rig->blocks[g], work);
    }
    return work ? SN_OK : SN_ERROR_MEMORY;
}

/* ---- the rank of all columns ---- */

typedef double pair __attribute__((vector_size(2 * sizeof(double))));

/* gram (MONOMIAL_COUNT squared, column-major) += row column^T */
static void add_product(const double *row, const double *column, size_t stride, double *gram)
{
    pair rows[MONOMIAL_COUNT / 2];
    memcpy(rows, row, sizeof rows);
    for (size_t j = 0; j < MONOMIAL_COUNT; j++, gram += stride) {
        const pair factor = {column[j], column[j]};
#pragma GCC unroll 5
        for (size_t i = 0; i < MONOMIAL_COUNT / 2; i++) {
            pair sum;
            memcpy(&sum, gram + 2 * i, sizeof sum);
            sum += rows[i] * factor;
            memcpy(gram + 2 * i, &sum, sizeof sum);
        }
    }
}

/* Accumulates the upper triangle of the Gram matrix of all columns, vertex by vertex. next (group_count) is zero. */
static void sum_gram(const rig_view *rig, int32_t *next, int32_t *active, double *gram)
{
    const size_t stride = (size_t)rig->group_count * MONOMIAL_COUNT;
    for (int32_t v = 0; v < rig->mesh->vertex_count; v++) {
        size_t count = 0;
        for (int g = 0; g < rig->group_count; g++) {
            const group_block *block = &rig->blocks[g];
            if (next[g] < block->vertex_count && block->vertices[next[g]] == v) {
                active[count++] = g;
                next[g]++;
            }
        }
        for (size_t i = 0; i < count; i++) {
            for (size_t j = i; j < count; j++) {
                const size_t row = (size_t)active[i], column = (size_t)active[j];
                add_product(rig->blocks[row].values + (size_t)(next[row] - 1) * MONOMIAL_COUNT,
                            rig->blocks[column].values + (size_t)(next[column] - 1) * MONOMIAL_COUNT, stride,
                            gram + column * MONOMIAL_COUNT * stride + row * MONOMIAL_COUNT);
            }
        }
    }
}

/* is_independent (group_count x MONOMIAL_COUNT): a maximal set of independent columns. */
static sn_result choose_columns(const rig_view *rig, sn_arena *scratch, bool *is_independent, int *rank)
{
    const size_t size = (size_t)rig->group_count * MONOMIAL_COUNT;
    int32_t *next = SN_NEW(scratch, int32_t, rig->group_count), *active = SN_NEW(scratch, int32_t, rig->group_count);
    double *gram = SN_NEW(scratch, double, size *size), *work = SN_NEW(scratch, double, 2 * size);
    int32_t *pivots = SN_NEW(scratch, int32_t, size);
    if (!next || !active || !gram || !work || !pivots) {
        return SN_ERROR_MEMORY;
    }
    sum_gram(rig, next, active, gram);
    *rank = sn_pivoted_cholesky((int)size, gram, DROP_TOLERANCE, work, pivots);
    for (int i = 0; i < *rank; i++) {
        is_independent[pivots[i]] = true;
    }
    return SN_OK;
}

static void write_rows(const rig_view *rig, const bool *is_independent, double *rows)
{
    const size_t vertex_count = (size_t)rig->mesh->vertex_count;
    for (size_t c = 0; c < (size_t)rig->group_count * MONOMIAL_COUNT; c++) {
        const group_block *block = &rig->blocks[c / MONOMIAL_COUNT];
        for (size_t i = 0; is_independent[c] && i < (size_t)block->vertex_count; i++) {
            const size_t v = (size_t)block->vertices[i];
            rows[v] = sqrt(rig->mass[v]) * block->values[i * MONOMIAL_COUNT + c % MONOMIAL_COUNT];
        }
        rows += is_independent[c] ? vertex_count : 0;
    }
}

static sn_result build_rows(rig_view *rig, sn_arena *scratch, sn_arena *arena, sn_constraint *constraint)
{
    sn_result result = group_bones(rig, scratch);
    result = result == SN_OK ? allocate_blocks(rig, scratch) : result;
    result = result == SN_OK ? fill_blocks(rig, scratch) : result;
    bool *is_independent = SN_NEW(scratch, bool, (size_t)rig->group_count *MONOMIAL_COUNT);
    int rank = 0;
    if (result == SN_OK && is_independent) {
        result = choose_columns(rig, scratch, is_independent, &rank);
    }
    double *rows = SN_NEW(arena, double, (size_t)rank *(size_t)rig->mesh->vertex_count);
    if (result != SN_OK || !is_independent || !rows) {
        return result == SN_OK ? SN_ERROR_MEMORY : result;
    }
    write_rows(rig, is_independent, rows);
    *constraint = (sn_constraint){.row_count = rank, .rows = rows};
    return SN_OK;
}

sn_result sn_constraint_build(const sn_tet_mesh *mesh, const double *mass, const double *leak,
                              const sn_constraint_rig *rig, sn_arena *arena, sn_constraint *constraint)
{
    sn_arena scratch = {0};
    rig_view view = {.mesh = mesh,
                     .mass = mass,
                     .leak = leak,
                     .weights = rig->weights,
                     .is_translated = rig->is_translated,
                     .bone_count = rig->bone_count};
    *constraint = (sn_constraint){0};
    const sn_result result = build_rows(&view, &scratch, arena, constraint);
    sn_arena_finish(&scratch);
    return result;
}

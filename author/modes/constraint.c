/* SPDX-License-Identifier: MIT */
/* Rows of the constraint J^T M D B(W) = 0 on the modes (fast complementary dynamics, the constraint that makes
 * secondary motion complementary to the rig). A bone's rows { M D g_b q } span, over the ten quadratic monomials q, all
 * that the products of two homogeneous coordinates give: 10 rows where the paper assembles 144. Two departures: the
 * monomials of a bone are taken about its own centre in its own extents (the span is the same, its Gram matrix far
 * better conditioned), and the rank is found by a pivoted Cholesky factor of the Gram matrix instead of an SVD. */
#include <math.h>

#include "author/modes/modes.h"

#define MONOMIAL_COUNT 10

/* A column whose part outside the others is below 1e-5 of its norm is dropped; the Gram matrix holds squares. That is
 * above the noise of weights stored as floats or with 7 digits (bones with equal weights must count once), far below
 * what independent bones give (1e-3), and keeps the condition number where two passes are exact to rounding. */
#define DROP_TOLERANCE 1e-10

/* An axis on which a bone's extent is below this part of its largest is not stretched further. */
#define MINIMUM_EXTENT 1e-3

typedef struct bone_frame {
    double center[3], scale[3];
} bone_frame;

typedef struct rig_view {
    const sn_tet_mesh *mesh;
    const double *mass, *leak, *weights;
    int bone_count;
} rig_view;

/* sqrt(m) D g_b */
static double column_weight(const rig_view *rig, int bone, size_t v)
{
    return sqrt(rig->mass[v]) * rig->leak[v] * rig->weights[v * (size_t)rig->bone_count + (size_t)bone];
}

/* Centre and root mean square extents of what the bone moves; false if it moves nothing. */
static bool frame_bone(const rig_view *rig, int bone, bone_frame *frame)
{
    double total = 0, first[3] = {0}, second[3] = {0};
    const size_t vertex_count = (size_t)rig->mesh->vertex_count;
    for (size_t v = 0; v < vertex_count; v++) {
        const double weight = column_weight(rig, bone, v);
        total += weight * weight;
        for (size_t d = 0; d < 3; d++) {
            first[d] += weight * weight * rig->mesh->positions[3 * v + d];
        }
    }
    if (!(total > 0)) {
        return false;
    }
    for (size_t v = 0; v < vertex_count; v++) {
        const double weight = column_weight(rig, bone, v);
        for (size_t d = 0; d < 3; d++) {
            const double offset = rig->mesh->positions[3 * v + d] - first[d] / total;
            second[d] += weight * weight * offset * offset;
        }
    }
    const double largest = sqrt(fmax(second[0], fmax(second[1], second[2])) / total);
    for (size_t d = 0; d < 3; d++) {
        const double extent = fmax(sqrt(second[d] / total), MINIMUM_EXTENT * largest);
        frame->center[d] = first[d] / total;
        frame->scale[d] = extent > 0 ? 1 / extent : 1; /* a bone of one vertex has no extent */
    }
    return true;
}

static void fill_bone(const rig_view *rig, int bone, const bone_frame *frame, double *columns)
{
    const size_t vertex_count = (size_t)rig->mesh->vertex_count;
    for (size_t v = 0; v < vertex_count; v++) {
        const double *p = rig->mesh->positions + 3 * v;
        const double weight = column_weight(rig, bone, v);
        const double x = (p[0] - frame->center[0]) * frame->scale[0];
        const double y = (p[1] - frame->center[1]) * frame->scale[1];
        const double z = (p[2] - frame->center[2]) * frame->scale[2];
        const double monomials[MONOMIAL_COUNT] = {1, x, y, z, x * x, x * y, x * z, y * y, y * z, z * z};
        for (size_t k = 0; k < MONOMIAL_COUNT; k++) {
            columns[k * vertex_count + v] = weight * monomials[k];
        }
    }
}

/* Scales the ten columns of a bone to unit norm; drops those that are zero. Returns how many stay. */
static int normalise_bone(size_t vertex_count, double *columns)
{
    int kept = 0;
    for (size_t k = 0; k < MONOMIAL_COUNT; k++) {
        double square = 0;
        const double *from = columns + k * vertex_count;
        double *to = columns + (size_t)kept * vertex_count;
        for (size_t v = 0; v < vertex_count; v++) {
            square += from[v] * from[v];
        }
        const double norm = sqrt(square);
        for (size_t v = 0; norm > 0 && v < vertex_count; v++) {
            to[v] = from[v] / norm;
        }
        kept += norm > 0;
    }
    return kept;
}

/* One pass of pivoted Cholesky with the squares of the diagonal that remain. */
typedef struct pivoted_factor {
    int size, rank;
    double
        *upper; /* (size x size) column-major: R of P^T G P = R^T R in its first `rank` rows, columns in pivot order */
    double *remaining; /* (size) */
    int32_t *pivots;   /* (size) */
} pivoted_factor;

static void swap_pivot(pivoted_factor *f, int a, int b)
{
    const int32_t pivot = f->pivots[a];
    f->pivots[a] = f->pivots[b];
    f->pivots[b] = pivot;
    const double remaining = f->remaining[a];
    f->remaining[a] = f->remaining[b];
    f->remaining[b] = remaining;
    for (int i = 0; i < a; i++) {
        double *left = f->upper + (size_t)a * (size_t)f->size + i, *right = f->upper + (size_t)b * (size_t)f->size + i;
        const double value = *left;
        *left = *right;
        *right = value;
    }
}

static int largest_remaining(const pivoted_factor *f, int from)
{
    int best = from;
    for (int j = from + 1; j < f->size; j++) {
        best = f->remaining[j] > f->remaining[best] ? j : best;
    }
    return best;
}

/* Row `step` of R, and what it leaves of the diagonal. */
static void eliminate(pivoted_factor *f, const double *gram, int step)
{
    const size_t size = (size_t)f->size, pivot = (size_t)f->pivots[step];
    const double *own = f->upper + (size_t)step * size;
    const double diagonal = sqrt(f->remaining[step]);
    f->upper[(size_t)step * size + (size_t)step] = diagonal;
    for (size_t j = (size_t)step + 1; j < size; j++) {
        double *column = f->upper + j * size;
        double sum = gram[(size_t)f->pivots[j] * size + pivot];
        for (int i = 0; i < step; i++) {
            sum -= own[i] * column[i];
        }
        column[step] = sum / diagonal;
        f->remaining[j] -= column[step] * column[step];
    }
}

static sn_result factor_gram(int size, const double *gram, sn_arena *scratch, pivoted_factor *f)
{
    *f = (pivoted_factor){.size = size};
    f->upper = SN_NEW(scratch, double, (size_t)size *(size_t)size);
    f->remaining = SN_NEW(scratch, double, size);
    f->pivots = SN_NEW(scratch, int32_t, size);
    if (!f->upper || !f->remaining || !f->pivots) {
        return SN_ERROR_MEMORY;
    }
    for (int j = 0; j < size; j++) {
        f->pivots[j] = j;
        f->remaining[j] = gram[(size_t)j * (size_t)size + (size_t)j];
    }
    for (int step = 0; step < size; step++) {
        swap_pivot(f, step, largest_remaining(f, step));
        if (!(f->remaining[step] > DROP_TOLERANCE)) {
            break;
        }
        eliminate(f, gram, step);
        f->rank = step + 1;
    }
    return SN_OK;
}

/* change (size x rank) = P R^-1, so that columns times change are orthonormal. */
static void invert_factor(const pivoted_factor *f, double *change)
{
    const size_t size = (size_t)f->size;
    for (size_t j = 0; j < (size_t)f->rank; j++) {
        double *column = change + j * size;
        for (size_t i = j + 1; i-- > 0;) {
            double sum = i == j ? 1 : 0;
            for (size_t k = i + 1; k <= j; k++) {
                sum -= f->upper[k * size + i] * column[f->pivots[k]];
            }
            column[f->pivots[i]] = sum / f->upper[i * size + i];
        }
    }
}

/* result (n x *rank) gets an orthonormal basis of the columns (n x size). */
static sn_result orthonormalise(int n, int size, const double *columns, sn_arena *scratch, double *result, int *rank)
{
    double *gram = SN_NEW(scratch, double, (size_t)size *(size_t)size);
    double *change = SN_NEW(scratch, double, (size_t)size *(size_t)size);
    pivoted_factor factor;
    if (!gram || !change) {
        return SN_ERROR_MEMORY;
    }
    sn_dense_gram(columns, columns, n, size, gram);
    const sn_result status = factor_gram(size, gram, scratch, &factor);
    if (status != SN_OK) {
        return status;
    }
    invert_factor(&factor, change);
    *rank = factor.rank;
    if (factor.rank > 0) {
        sn_dense_product(columns, n, size, change, factor.rank, result);
    }
    return SN_OK;
}

static sn_result build_rows(const rig_view *rig, sn_arena *scratch, sn_arena *arena, sn_constraint *constraint)
{
    const int n = rig->mesh->vertex_count;
    const size_t vertex_count = (size_t)n, most = MONOMIAL_COUNT * (size_t)rig->bone_count;
    double *columns = SN_NEW(scratch, double, most *vertex_count);
    double *basis = SN_NEW(scratch, double, most *vertex_count);
    if (!columns || !basis) {
        return SN_ERROR_MEMORY;
    }
    int column_count = 0, rank = 0;
    for (int bone = 0; bone < rig->bone_count; bone++) {
        bone_frame frame;
        if (frame_bone(rig, bone, &frame)) {
            double *own = columns + (size_t)column_count * vertex_count;
            fill_bone(rig, bone, &frame, own);
            column_count += normalise_bone(vertex_count, own);
        }
    }
    sn_result result = SN_OK;
    if (column_count > 0) {
        result = orthonormalise(n, column_count, columns, scratch, basis, &rank);
    }
    if (result == SN_OK &&
        rank > 0) { /* again: the first pass is as orthogonal as the Gram matrix was well conditioned */
        result = orthonormalise(n, rank, basis, scratch, columns, &rank);
    }
    constraint->rows = result == SN_OK ? SN_NEW(arena, double, (size_t)rank *vertex_count) : NULL;
    if (!constraint->rows) {
        return result == SN_OK ? SN_ERROR_MEMORY : result;
    }
    constraint->row_count = rank;
    for (size_t i = 0; i < (size_t)rank * vertex_count; i++) {
        constraint->rows[i] = columns[i] * sqrt(rig->mass[i % vertex_count]);
    }
    return SN_OK;
}

sn_result sn_constraint_build(const sn_tet_mesh *mesh, const double *mass, const double *leak,
                              const double *rig_weights, int bone_count, sn_arena *arena, sn_constraint *constraint)
{
    sn_arena scratch = {0};
    const rig_view rig = {mesh, mass, leak, rig_weights, bone_count};
    *constraint = (sn_constraint){0};
    const sn_result result = build_rows(&rig, &scratch, arena, constraint);
    sn_arena_finish(&scratch);
    return result;
}

/* SPDX-License-Identifier: MIT */
/* Morph targets for the displacement that remains after skinning. File formats add targets before skinning, so it is
 * pulled back: with the blended matrix M of a vertex in a frame, d = M^-1 (motion - skinned position). The matrix D of
 * all d (three rows per vertex, one column per frame) is approximated by T A^T with the leading eigenvectors A of D^T
 * D: targets T = D A, weights A. This is optimal for the sum of squares. To reduce the largest error, vertices with
 * large errors get more weight in A over a few rounds. Normal offsets are fitted to the motion's normals with the same
 * weights; a matrix transforms normals by its inverse transpose. */
#include <math.h>
#include <string.h>

#include "author/bake/baker.h"
#include "author/sparse/sparse.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"

#define BLOCK_ROWS 3072
#define MIN_DISPLACEMENT 1e-6 /* fraction of the diagonal */
#define ROUND_COUNT 4
#define REWEIGHT_FRAMES 600 /* with more frames, only one round is run, since its cost grows with their square */

typedef struct fit {
    sn_baker *baker;
    int rank;
    float *rest;            /* D (3 vertex_count x frame_count) */
    double *vertex_weights; /* (vertex_count) */
    double *basis;          /* (frame_count x frame_count) column-major; the last `rank` columns are A */
    double *eigen;          /* (frame_count) */
    double *block;          /* (BLOCK_ROWS x frame_count) */
    double *errors;         /* (vertex_count) largest squared error over the frames */
    double *best_basis;     /* (rank x frame_count) A of the best round */
} fit;

static void blend(const sn_baker *b, int vertex, int frame, double *matrix)
{
    const size_t width = (size_t)b->influence_count;
    memset(matrix, 0, 12 * sizeof(double));
    for (size_t k = 0; k < width; ++k) {
        const size_t at = (size_t)vertex * width + k;
        const double *joint = b->skin + 12 * ((size_t)b->influences[at] * (size_t)b->frame_count + (size_t)frame);
        for (int i = 0; i < 12 && b->weights[at] > 0; ++i) {
            matrix[i] += (double)b->weights[at] * joint[i];
        }
    }
}

/* Vertices whose matrix is singular keep zero displacement. */
static void pull_back(fit *t)
{
    const sn_baker *b = t->baker;
    const size_t frames = (size_t)b->frame_count;
    for (int v = 0; v < b->vertex_count; ++v) {
        for (int f = 0; f < b->frame_count; ++f) {
            double matrix[12], inverse[12], x[3], pulled[3];
            blend(b, v, f, matrix);
            if (!sn_affine_invert(matrix, inverse)) {
                continue;
            }
            const float *at = b->surface + 3 * ((size_t)f * (size_t)b->vertex_count + (size_t)v);
            sn_baker_rest(b, f, v, x);
            sn_affine_apply(inverse, (const double[3]){(double)at[0], (double)at[1], (double)at[2]}, pulled);
            for (size_t d = 0; d < 3; ++d) {
                t->rest[(3 * (size_t)v + d) * frames + (size_t)f] = (float)(pulled[d] - x[d]);
            }
        }
    }
}

/* Copies rows from `first` on, each multiplied by its vertex's weight. Returns their number. */
static int copy_block(const fit *t, int first)
{
    const int row_count = 3 * t->baker->vertex_count, frames = t->baker->frame_count;
    const int count = row_count - first < BLOCK_ROWS ? row_count - first : BLOCK_ROWS;
    for (int r = 0; r < count; ++r) {
        const double vertex_weight = t->vertex_weights[(first + r) / 3];
        const float *row = t->rest + (size_t)(first + r) * (size_t)frames;
        for (int f = 0; f < frames; ++f) {
            t->block[(size_t)r * (size_t)frames + (size_t)f] = vertex_weight * (double)row[f];
        }
    }
    return count;
}

static sn_result find_basis(fit *t)
{
    const int frames = t->baker->frame_count, rows = 3 * t->baker->vertex_count;
    const size_t square = (size_t)frames * (size_t)frames;
    memset(t->basis, 0, square * sizeof(double));
    for (int first = 0; first < rows; first += BLOCK_ROWS) {
        const int count = copy_block(t, first);
        sn_dense_multiply(&(sn_gemm){.transpose_b = true,
                                     .m = frames,
                                     .n = frames,
                                     .k = count,
                                     .alpha = 1,
                                     .a = t->block,
                                     .lda = frames,
                                     .b = t->block,
                                     .ldb = frames,
                                     .beta = 1,
                                     .c = t->basis,
                                     .ldc = frames});
    }
    return sn_symmetric_eigen(frames, t->basis, t->eigen);
}

static const double *column_of(const fit *t, int k)
{
    const size_t frames = (size_t)t->baker->frame_count;
    return t->basis + (frames - 1 - (size_t)k) * frames;
}

static double dot(const float *row, const double *column, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += (double)row[i] * column[i];
    }
    return sum;
}

/* Computes the errors of all vertices with this basis. Returns the largest. */
static double find_errors(fit *t)
{
    const int frames = t->baker->frame_count;
    double max_error = 0;
    for (int v = 0; v < t->baker->vertex_count; ++v) {
        double *squares = t->block; /* (frame_count) */
        memset(squares, 0, (size_t)frames * sizeof(double));
        for (int d = 0; d < 3; ++d) {
            const float *row = t->rest + (3 * (size_t)v + (size_t)d) * (size_t)frames;
            double *residuals = t->block + frames;
            for (int f = 0; f < frames; ++f) {
                residuals[f] = (double)row[f];
            }
            for (int k = 0; k < t->rank; ++k) {
                const double *a = column_of(t, k), along = dot(row, a, frames);
                for (int f = 0; f < frames; ++f) {
                    residuals[f] -= along * a[f];
                }
            }
            for (int f = 0; f < frames; ++f) {
                squares[f] += residuals[f] * residuals[f];
            }
        }
        t->errors[v] = 0;
        for (int f = 0; f < frames; ++f) {
            t->errors[v] = fmax(t->errors[v], squares[f]);
        }
        max_error = fmax(max_error, t->errors[v]);
    }
    return max_error;
}

static sn_result choose_basis(fit *t)
{
    const int frames = t->baker->frame_count;
    double best = INFINITY;
    for (int v = 0; v < t->baker->vertex_count; ++v) {
        t->vertex_weights[v] = 1;
    }
    for (int round = 0; round < (frames <= REWEIGHT_FRAMES ? ROUND_COUNT : 1); ++round) {
        const sn_result result = find_basis(t);
        if (result != SN_OK) {
            return result;
        }
        const double max_error = find_errors(t);
        for (int k = 0; k < t->rank && max_error < best; ++k) {
            memcpy(t->best_basis + (size_t)k * (size_t)frames, column_of(t, k), (size_t)frames * sizeof(double));
        }
        best = fmin(best, max_error);
        for (int v = 0; v < t->baker->vertex_count && max_error > 0; ++v) {
            t->vertex_weights[v] *= 0.25 + sqrt(sqrt(t->errors[v] / max_error)); /* square root of the distance */
        }
    }
    return SN_OK;
}

/* Removes the last targets as long as they move no vertex visibly. */
static void remove_idle_targets(fit *t)
{
    const int frames = t->baker->frame_count, rows = 3 * t->baker->vertex_count;
    const double min_displacement = MIN_DISPLACEMENT * t->baker->diagonal;
    for (; t->rank > 0; --t->rank) {
        const double *a = t->best_basis + (size_t)(t->rank - 1) * (size_t)frames;
        double max_error = 0, scale = 0;
        for (int f = 0; f < frames; ++f) {
            scale = fmax(scale, fabs(a[f]));
        }
        for (int r = 0; r < rows && max_error <= min_displacement; ++r) {
            max_error = fmax(max_error, scale * fabs(dot(t->rest + (size_t)r * (size_t)frames, a, frames)));
        }
        if (max_error > min_displacement) {
            return;
        }
    }
}

/* Computes the target normal offset of a vertex in a frame. */
static void pull_normal(const sn_baker *b, int vertex, int frame, double *offset)
{
    const float *n = b->normals + 3 * ((size_t)frame * (size_t)b->vertex_count + (size_t)vertex);
    const float *rest = b->model->surface_normals + 3 * (size_t)vertex;
    double matrix[12];
    blend(b, vertex, frame, matrix);
    for (int d = 0; d < 3; ++d) {
        offset[d] = matrix[d] * (double)n[0] + matrix[4 + d] * (double)n[1] + matrix[8 + d] * (double)n[2];
    }
    sn_normalize3(offset, (const double[3]){(double)rest[0], (double)rest[1], (double)rest[2]});
    for (int d = 0; d < 3; ++d) {
        offset[d] -= (double)rest[d];
    }
}

/* Allocates targets and computes weights. Weights are scaled to at most 1, so that rounding and key reduction treat all
 * targets alike; scales (rank) receives the factors for the targets. */
static sn_result allocate_targets(const fit *t, double *scales)
{
    sn_baker *b = t->baker;
    const size_t frames = (size_t)b->frame_count, n = (size_t)b->vertex_count, rank = (size_t)t->rank;
    b->target_positions = SN_NEW(b->arena, float *, rank);
    b->target_normals = SN_NEW(b->arena, float *, rank);
    b->target_weights = SN_NEW(b->arena, float, frames *rank);
    if (!b->target_positions || !b->target_normals || !b->target_weights) {
        return SN_ERROR_MEMORY;
    }
    for (size_t k = 0; k < rank; ++k) {
        b->target_positions[k] = SN_NEW(b->arena, float, 3 * n);
        b->target_normals[k] = SN_NEW(b->arena, float, 3 * n);
        if (!b->target_positions[k] || !b->target_normals[k]) {
            return SN_ERROR_MEMORY;
        }
        for (size_t f = 0; f < frames; ++f) {
            scales[k] = fmax(scales[k], fabs(t->best_basis[k * frames + f]));
        }
        for (size_t f = 0; f < frames && scales[k] > 0; ++f) {
            b->target_weights[f * rank + k] = (float)(t->best_basis[k * frames + f] / scales[k]);
        }
    }
    return SN_OK;
}

/* Computes positions and normals of all targets at a vertex. normals: scratch (3 x frame_count). */
static void write_vertex(const fit *t, size_t v, const double *scales, double *normals)
{
    sn_baker *b = t->baker;
    const size_t frames = (size_t)b->frame_count;
    for (int f = 0; f < b->frame_count; ++f) {
        double offset[3];
        pull_normal(b, (int)v, f, offset);
        for (size_t d = 0; d < 3; ++d) {
            normals[d * frames + (size_t)f] = offset[d];
        }
    }
    for (size_t k = 0; k < (size_t)t->rank; ++k) {
        const double *a = t->best_basis + k * frames;
        for (size_t d = 0; d < 3; ++d) {
            double along = 0;
            for (size_t f = 0; f < frames; ++f) {
                along += normals[d * frames + f] * a[f];
            }
            b->target_positions[k][3 * v + d] =
                (float)(scales[k] * dot(t->rest + (3 * v + d) * frames, a, b->frame_count));
            b->target_normals[k][3 * v + d] = (float)(scales[k] * along);
        }
    }
}

static sn_result write_targets(fit *t)
{
    double *scales = SN_NEW(&t->baker->scratch, double, t->rank);
    const sn_result result = scales ? allocate_targets(t, scales) : SN_ERROR_MEMORY;
    if (result != SN_OK) {
        return result;
    }
    t->baker->target_count = t->rank;
    for (int v = 0; v < t->baker->vertex_count; ++v) {
        write_vertex(t, (size_t)v, scales, t->block);
    }
    return SN_OK;
}

sn_result sn_baker_add_targets(sn_baker *b)
{
    const size_t frames = (size_t)b->frame_count, n = (size_t)b->vertex_count;
    fit t = {.baker = b,
             .rank = b->desc.count < b->frame_count ? b->desc.count : b->frame_count,
             .rest = sn_arena_alloc(&b->scratch, frames, 3 * n * sizeof(float)),
             .vertex_weights = SN_NEW(&b->scratch, double, n),
             .errors = SN_NEW(&b->scratch, double, n),
             .basis = SN_NEW(&b->scratch, double, frames *frames),
             .eigen = SN_NEW(&b->scratch, double, frames),
             .block = SN_NEW(&b->scratch, double, BLOCK_ROWS *frames)};
    t.best_basis = SN_NEW(&b->scratch, double, frames *frames);
    if (!t.rest || !t.vertex_weights || !t.errors || !t.basis || !t.eigen || !t.block || !t.best_basis) {
        return SN_ERROR_MEMORY;
    }
    pull_back(&t);
    SN_TRY(choose_basis(&t));
    remove_idle_targets(&t);
    return write_targets(&t);
}

/* SPDX-License-Identifier: MIT */
/* Reduces the number of targets for many segments, whose shapes and modes often span a small space. A Gram-Schmidt
 * process over the shapes at keys and the modes, segment by segment, adds directions that are farther from the previous
 * ones than a tolerance, with a coarse and then a fine tolerance. Normal offsets are included, scaled by a length. In a
 * segment the displacement is its first shape plus weighted modes, so the error of a vertex is bounded by the sum of
 * the residuals times their weights. This bound is checked for every frame. */
#include <math.h>
#include <string.h>

#include "author/bake/shaper.h"
#include "author/sparse/sparse.h"
#include "host/math/vec3.h"

#define MIN_TARGETS 64      /* at most this many targets are not reduced */
#define KEY_FRACTION 0.001  /* of the key error: max. error of shapes at keys */
#define BOUND_FRACTION 0.25 /* of the key error: max. error elsewhere; 1/2 is left for keys and 1/4 for frames */
#define NORMAL_ERROR 0.01   /* max. error of a unit normal where a vertex's error is the bound */
#define ROUNDS 4            /* attempts until the sum over modes meets the bound */
#define BLOCK_FRAMES 256
#define MAX_VALUES (256.0 * 1024 * 1024 / sizeof(double)) /* max. size of directions and coefficients: 256 MB */
static const double levels[] = {100, 1};                  /* factors of the tolerances, in turn */

typedef struct target_reducer {
    sn_shaper *shaper;
    size_t rows; /* 6 x vertex_count: positions, then scaled normals */
    int limit, count;
    double *basis;              /* (limit x rows) orthonormal */
    double *sum;                /* (rows) shape at the current key, relative to the first key */
    double *block;              /* ((mode_count + 1) x rows) shape at the segment's end, then its modes */
    double *block_coefficients; /* ((mode_count + 1) x limit) coefficients of the block */
    double *coefficients;       /* (target_count x limit) */
    double *residuals;          /* (target_count) largest residual at a vertex */
    double *key_residuals;      /* (segment_count + 1) the same for shapes at keys */
    double normal_scale, key_tolerance, mode_tolerance, bound;
} target_reducer;

static void load(const target_reducer *r, int target, double *to)
{
    const sn_shaper *s = r->shaper;
    const size_t n = 3 * (size_t)s->vertex_count;
    const float *vertex_positions = s->targets[target], *normals = s->normal_offsets[target];
    for (size_t i = 0; i < n; ++i) {
        to[i] = (double)vertex_positions[i];
        to[n + i] = normals ? r->normal_scale * (double)normals[i] : 0;
    }
}

/* Loads the shape at the end of the segment, and the segment's modes. */
static void load_segment(target_reducer *r, int segment)
{
    const int modes = r->shaper->mode_count;
    for (int n = 0; n < modes; ++n) {
        double *to = r->block + (size_t)(n + 1) * r->rows;
        load(r, segment * modes + n, to);
        for (size_t i = 0; i < r->rows; ++i) {
            r->sum[i] += to[i];
        }
    }
    memcpy(r->block, r->sum, r->rows * sizeof *r->sum);
}

/* `block_coefficients` = basis^T block, block -= basis * `block_coefficients`. */
static void project(target_reducer *r, double *block_coefficients)
{
    sn_gemm g = {.transpose_a = true,
                 .m = r->count,
                 .n = r->shaper->mode_count + 1,
                 .k = (int)r->rows,
                 .alpha = 1,
                 .a = r->basis,
                 .lda = (int)r->rows,
                 .b = r->block,
                 .ldb = (int)r->rows,
                 .c = block_coefficients,
                 .ldc = r->limit};
    if (r->count > 0) {
        sn_dense_multiply(&g);
        g = (sn_gemm){.m = (int)r->rows,
                      .n = r->shaper->mode_count + 1,
                      .k = r->count,
                      .alpha = -1,
                      .a = r->basis,
                      .lda = (int)r->rows,
                      .b = block_coefficients,
                      .ldb = r->limit,
                      .beta = 1,
                      .c = r->block,
                      .ldc = (int)r->rows};
        sn_dense_multiply(&g);
    }
}

static double max_vertex_length(const target_reducer *r, const double *x)
{
    double max_length = 0;
    for (size_t i = 0; i < r->rows; i += 3) {
        max_length = fmax(max_length, sn_length3(x + i));
    }
    return max_length;
}

static void subtract(const target_reducer *r, const double *direction, double *x)
{
    const double coefficient = sn_dense_dot(r->rows, direction, x);
    for (size_t i = 0; i < r->rows; ++i) {
        x[i] -= coefficient * direction[i];
    }
}

/* Adds the parts of the block that are farther from the basis than the tolerances. Returns false if the basis is full.
 */
static bool extend_basis(target_reducer *r, double level)
{
    const int count = r->shaper->mode_count + 1;
    project(r, r->block_coefficients);
    project(r, r->block_coefficients); /* again, because of rounding */
    for (int k = 0; k < count; ++k) {
        double *x = r->block + (size_t)k * r->rows;
        if (max_vertex_length(r, x) <= level * (k == 0 ? r->key_tolerance : r->mode_tolerance)) {
            continue;
        }
        if (r->count == r->limit) {
            return false;
        }
        double *direction = r->basis + (size_t)r->count++ * r->rows;
        const double length = sqrt(sn_dense_dot(r->rows, x, x));
        for (size_t i = 0; i < r->rows; ++i) {
            direction[i] = x[i] / length;
        }
        for (int later = k + 1; later < count; ++later) {
            subtract(r, direction, r->block + (size_t)later * r->rows);
            subtract(r, direction, r->block + (size_t)later * r->rows);
        }
    }
    return true;
}

static bool find_basis(target_reducer *r)
{
    for (size_t level = 0; level < sizeof levels / sizeof *levels; ++level) {
        memset(r->sum, 0, r->rows * sizeof *r->sum);
        for (int i = 0; i < r->shaper->segment_count; ++i) {
            load_segment(r, i);
            if (!extend_basis(r, levels[level])) {
                return false;
            }
        }
    }
    return true;
}

/* Computes the coefficients of all targets, and the residuals of targets and shapes at keys. */
static void find_coefficients(target_reducer *r)
{
    const sn_shaper *s = r->shaper;
    memset(r->sum, 0, r->rows * sizeof *r->sum);
    for (int i = 0; i < s->segment_count; ++i) {
        load_segment(r, i);
        project(r, r->block_coefficients);
        r->key_residuals[i + 1] = max_vertex_length(r, r->block);
        for (int n = 0; n < s->mode_count; ++n) {
            const size_t target = (size_t)(i * s->mode_count + n);
            r->residuals[target] = max_vertex_length(r, r->block + (size_t)(n + 1) * r->rows);
            memcpy(r->coefficients + target * (size_t)r->limit,
                   r->block_coefficients + (size_t)(n + 1) * (size_t)r->limit, (size_t)r->count * sizeof(double));
        }
    }
}

/* Returns the largest error bound of a vertex at any frame between keys. */
static double find_error(const target_reducer *r)
{
    const sn_shaper *s = r->shaper;
    const size_t count = (size_t)s->target_count;
    double max_length = 0;
    for (int f = 1, segment = 0; f < s->frame_count; ++f) {
        const float *weights = s->weights + (size_t)f * count;
        const size_t over = (size_t)(segment * s->mode_count);
        double sum = r->key_residuals[segment];
        if (s->is_fixed[f]) {
            ++segment;
            continue;
        }
        for (size_t k = 0; k < count; ++k) {
            sum += fabs((double)weights[k] - (k < over ? 1 : 0)) * r->residuals[k];
        }
        max_length = fmax(max_length, sum);
    }
    return max_length;
}

/* Finds a basis that meets the bound. Returns false if there is none of the allowed size. */
static bool find_small_basis(target_reducer *r)
{
    for (int round = 0; round < ROUNDS; ++round) {
        if (!find_basis(r)) {
            return false;
        }
        find_coefficients(r);
        const double error = find_error(r);
        if (error <= r->bound) {
            return true;
        }
        r->mode_tolerance *= 0.8 * r->bound / error;
    }
    return false;
}

/* Computes the weights (frame_count x count) of the directions. Each is scaled to at most 1; `lengths` receives the
 * factor for the direction. */
static bool convert_weights(target_reducer *r, float *weights, double *lengths)
{
    sn_shaper *s = r->shaper;
    const size_t targets = (size_t)s->target_count, count = (size_t)r->count;
    double *from = SN_NEW(&s->scratch, double, BLOCK_FRAMES *targets),
           *to = SN_NEW(&s->scratch, double, BLOCK_FRAMES *count);
    for (int first = 0; first < s->frame_count && from && to; first += BLOCK_FRAMES) {
        const int frames = s->frame_count - first < BLOCK_FRAMES ? s->frame_count - first : BLOCK_FRAMES;
        for (size_t i = 0; i < (size_t)frames * targets; ++i) {
            from[i] = (double)s->weights[(size_t)first * targets + i];
        }
        sn_dense_multiply(&(sn_gemm){.m = r->count,
                                     .n = frames,
                                     .k = s->target_count,
                                     .alpha = 1,
                                     .a = r->coefficients,
                                     .lda = r->limit,
                                     .b = from,
                                     .ldb = s->target_count,
                                     .c = to,
                                     .ldc = r->count});
        for (size_t i = 0; i < (size_t)frames * count; ++i) {
            weights[(size_t)first * count + i] = (float)to[i];
            lengths[i % count] = fmax(lengths[i % count], fabs(to[i]));
        }
    }
    for (size_t i = 0; i < (size_t)s->frame_count * count && from && to; ++i) {
        weights[i] /= (float)(lengths[i % count] > 0 ? lengths[i % count] : 1);
    }
    return from && to;
}

static void convert(target_reducer *r)
{
    sn_shaper *s = r->shaper;
    const size_t count = (size_t)r->count, n = 3 * (size_t)s->vertex_count;
    float **targets = SN_NEW(s->arena, float *, count), **normals = SN_NEW(s->arena, float *, count);
    float *weights = sn_arena_alloc(&s->scratch, (size_t)s->frame_count, count * sizeof *weights);
    double *lengths = SN_NEW(&s->scratch, double, count);
    if (!targets || !normals || !weights || !lengths || !convert_weights(r, weights, lengths)) {
        return;
    }
    for (size_t k = 0; k < count; ++k) {
        const double *direction = r->basis + k * r->rows;
        targets[k] = SN_NEW(s->arena, float, n);
        normals[k] = SN_NEW(s->arena, float, n);
        if (!targets[k] || !normals[k]) {
            return;
        }
        for (size_t i = 0; i < n; ++i) {
            targets[k][i] = (float)(lengths[k] * direction[i]);
            normals[k][i] = (float)(lengths[k] * direction[n + i] / r->normal_scale);
        }
    }
    s->targets = targets;
    s->normal_offsets = normals;
    s->weights = weights;
    s->target_count = r->count;
    s->is_reduced = true;
}

static bool allocate(target_reducer *r, sn_arena *arena)
{
    const sn_shaper *s = r->shaper;
    const size_t targets = (size_t)s->target_count, limit = (size_t)r->limit, modes = (size_t)s->mode_count + 1;
    r->basis = sn_arena_alloc(arena, limit, r->rows * sizeof(double));
    r->sum = SN_NEW(arena, double, r->rows);
    r->block = sn_arena_alloc(arena, modes, r->rows * sizeof(double));
    r->block_coefficients = SN_NEW(arena, double, modes *limit);
    r->coefficients = sn_arena_alloc(arena, targets, limit * sizeof(double));
    r->residuals = SN_NEW(arena, double, targets);
    r->key_residuals = SN_NEW(arena, double, (size_t)s->segment_count + 1);
    return r->basis && r->sum && r->block && r->block_coefficients && r->coefficients && r->residuals &&
           r->key_residuals;
}

/* Returns the max. number of directions: as many as fit into memory, and at most half the number of targets. */
static int find_limit(const sn_shaper *s)
{
    const double values_per_direction = 6.0 * s->vertex_count + s->target_count,
                 max_count = MAX_VALUES / values_per_direction;
    return max_count < s->target_count / 2 ? (int)max_count : s->target_count / 2;
}

void sn_shaper_reduce_targets(sn_shaper *s)
{
    const double error = s->desc.key_error;
    target_reducer r = {.shaper = s,
                        .rows = 6 * (size_t)s->vertex_count,
                        .limit = find_limit(s),
                        .key_tolerance = KEY_FRACTION * error,
                        .mode_tolerance = BOUND_FRACTION * error / s->mode_count,
                        .bound = BOUND_FRACTION * error,
                        .normal_scale = BOUND_FRACTION * error / NORMAL_ERROR};
    if (s->target_count <= MIN_TARGETS || !(r.normal_scale > 0) || r.rows > INT32_MAX || r.limit == 0) {
        return;
    }
    sn_arena arena = {0};
    sn_captured_log discarded_log = {0},
                    *const previous_log = sn_capture_log(
                        &discarded_log); /* if memory runs out, targets stay unreduced without a message */
    if (allocate(&r, &arena) && find_small_basis(&r)) {
        convert(&r);
    }
    (void)sn_capture_log(previous_log);
    sn_arena_finish(&arena);
}

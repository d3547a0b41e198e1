/* SPDX-License-Identifier: MIT */
/* Forward and backward substitution by supernodes, two right-hand sides at a time. BLAS packs a triangle for every
 * product, which takes longer than the product itself for few columns. Here a factor's values are read once in each
 * direction, four columns at a time, and the next supernode is prefetched. One source serves both vector widths; the
 * results do not depend on the width. */
#include "author/sparse/supernodal.h"

#include <string.h>

#include "author/sparse/supernodal_block.h"

#define STRIP 4         /* columns in one pass over the rows */
#define LINE 8          /* values in a cache line */
#define PREFETCHED 2048 /* values to prefetch; the hardware prefetches the rest of a long block */
#define PLANE_COUNT ((SN_SUPERNODAL_COLUMNS + 1) / 2)

/* Both right-hand sides of an unknown. */
typedef struct pair {
    double a, b;
} pair;

/* Both right-hand sides of the rows of a supernode. */
typedef struct row_list {
    double *a, *b;
} row_list;

size_t sn_supernodal_max_rows(const sn_supernodes *f)
{
    size_t max_rows = 0;
    for (size_t s = 0; s < f->count; s++) {
        const size_t rows = sn_supernode_row_count(f, s);
        max_rows = rows > max_rows ? rows : max_rows;
    }
    return max_rows;
}

/* The workspace holds the rows of a supernode, aligned as its columns are, the inverse of the diagonal, and the planes.
 */
static size_t row_capacity(const sn_supernodes *factor)
{
    return sn_supernode_stride(sn_supernodal_max_rows(factor));
}

size_t sn_supernodal_work_size(const sn_supernodes *factor)
{
    return 2 * row_capacity(factor) + factor->size + 2 * PLANE_COUNT * factor->size;
}

void sn_supernodal_work_init(const sn_supernodes *factor, double *work)
{
    double *inverse = work + 2 * row_capacity(factor);
    for (size_t s = 0; s < factor->count; s++) {
        const block_view block = view_block(factor, s, inverse);
        for (size_t j = 0; j < block.column_count; j++) {
            inverse[block.first + j] = 1 / block.values[j * block.stride + j];
        }
    }
}

INLINE lanes load(const double *from)
{
    lanes value;
    memcpy(&value, from, sizeof value);
    return value;
}

INLINE void store(lanes value, double *to)
{
    memcpy(to, &value, sizeof value);
}

INLINE double sum_lanes(lanes v)
{
    return (v[0] + v[1]) + (v[2] + v[3]);
}

/* The triangle of a strip of `width` columns from column j on, then the rows below it. Every call passes a constant
 * width, so that the loops over columns unroll into registers. Rows are processed in whole vectors from row j on, a
 * multiple of their length; the strip's own rows, which this overwrites, are restored. */
INLINE void forward_strip(size_t width, const block_view *block, size_t j, row_list w)
{
    const size_t stride = block->stride;
    const double *l = block->values + j * stride;
    double a[STRIP], b[STRIP];
#pragma GCC unroll 4
    for (size_t k = 0; k < width; k++) {
        a[k] = w.a[j + k];
        b[k] = w.b[j + k];
    }
#pragma GCC unroll 4
    for (size_t k = 0; k < width; k++) {
        a[k] *= block->inverse[j + k];
        b[k] *= block->inverse[j + k];
#pragma GCC unroll 4
        for (size_t i = k + 1; i < width; i++) {
            a[i] -= l[k * stride + j + i] * a[k];
            b[i] -= l[k * stride + j + i] * b[k];
        }
    }
    lanes all_a[STRIP], all_b[STRIP];
#pragma GCC unroll 4
    for (size_t k = 0; k < width; k++) {
        all_a[k] = broadcast(a[k]);
        all_b[k] = broadcast(b[k]);
    }
    for (size_t i = width == STRIP ? j + STRIP : j; i < stride; i += LANES) {
        lanes sum_a = load(w.a + i), sum_b = load(w.b + i);
#pragma GCC unroll 4
        for (size_t k = 0; k < width; k++) {
            const lanes column = load(l + k * stride + i);
            sum_a -= column * all_a[k];
            sum_b -= column * all_b[k];
        }
        store(sum_a, w.a + i);
        store(sum_b, w.b + i);
    }
#pragma GCC unroll 4
    for (size_t k = 0; k < width; k++) {
        w.a[j + k] = a[k];
        w.b[j + k] = b[k];
    }
}

INLINE void backward_strip(size_t width, const block_view *block, size_t j, row_list w)
{
    const size_t stride = block->stride;
    const double *l = block->values + j * stride;
    lanes sums_a[STRIP] = {0}, sums_b[STRIP] = {0};
    double a[STRIP], b[STRIP];
#pragma GCC unroll 4
    for (size_t k = 0; k < width; k++) {
        a[k] = w.a[j + k];
        b[k] = w.b[j + k];
        w.a[j + k] = w.b[j + k] = 0;
    }
    for (size_t i = width == STRIP ? j + STRIP : j; i < stride; i += LANES) {
        const lanes row_a = load(w.a + i), row_b = load(w.b + i);
#pragma GCC unroll 4
        for (size_t k = 0; k < width; k++) {
            const lanes column = load(l + k * stride + i);
            sums_a[k] += column * row_a;
            sums_b[k] += column * row_b;
        }
    }
#pragma GCC unroll 4
    for (size_t k = width; k-- > 0;) {
        a[k] -= sum_lanes(sums_a[k]);
        b[k] -= sum_lanes(sums_b[k]);
#pragma GCC unroll 4
        for (size_t i = k + 1; i < width; i++) {
            a[k] -= l[k * stride + j + i] * a[i];
            b[k] -= l[k * stride + j + i] * b[i];
        }
        a[k] *= block->inverse[j + k];
        b[k] *= block->inverse[j + k];
        w.a[j + k] = a[k];
        w.b[j + k] = b[k];
    }
}

/* The last, narrower strip, from column j on. */
INLINE void forward_last(const block_view *block, size_t j, row_list w)
{
    switch (block->column_count - j) {
    case 3:
        forward_strip(3, block, j, w);
        break;
    case 2:
        forward_strip(2, block, j, w);
        break;
    case 1:
        forward_strip(1, block, j, w);
        break;
    default:
        break;
    }
}

INLINE void backward_last(const block_view *block, size_t j, row_list w)
{
    switch (block->column_count - j) {
    case 3:
        backward_strip(3, block, j, w);
        break;
    case 2:
        backward_strip(2, block, j, w);
        break;
    case 1:
        backward_strip(1, block, j, w);
        break;
    default:
        break;
    }
}

/* Copies the block's own unknowns to the rows of the triangle. */
INLINE void load_own(const block_view *block, const pair *x, row_list w)
{
    for (size_t i = 0; i < block->column_count; i++) {
        w.a[i] = x[block->first + i].a;
        w.b[i] = x[block->first + i].b;
    }
}

INLINE void store_own(const block_view *block, row_list w, pair *x)
{
    for (size_t i = 0; i < block->column_count; i++) {
        x[block->first + i] = (pair){w.a[i], w.b[i]};
    }
}

/* Solves the triangle and subtracts its terms from the rows below. */
INLINE void forward_block(const block_view *block, pair *x, row_list w)
{
    const size_t rows = block->row_count, columns = block->column_count;
    size_t j = 0;
    load_own(block, x, w);
    memset(w.a + columns, 0, sizeof(double) * (block->stride - columns));
    memset(w.b + columns, 0, sizeof(double) * (block->stride - columns));
    for (; j + STRIP <= columns; j += STRIP) {
        forward_strip(STRIP, block, j, w);
    }
    forward_last(block, j, w);
    store_own(block, w, x);
    for (size_t i = columns; i < rows; i++) {
        pair *to = x + block->rows[i - columns];
        *to = (pair){to->a + w.a[i], to->b + w.b[i]};
    }
}

/* Solves the transposed triangle, with the rows below known. */
INLINE void backward_block(const block_view *block, pair *x, row_list w)
{
    const size_t rows = block->row_count, columns = block->column_count;
    size_t j = columns / STRIP * STRIP;
    load_own(block, x, w);
    for (size_t i = columns; i < rows; i++) {
        w.a[i] = x[block->rows[i - columns]].a;
        w.b[i] = x[block->rows[i - columns]].b;
    }
    for (size_t i = rows; i < block->stride; i++) {
        w.a[i] = w.b[i] = 0;
    }
    backward_last(block, j, w);
    for (; j > 0; j -= STRIP) {
        backward_strip(STRIP, block, j - STRIP, w);
    }
    store_own(block, w, x);
}

/* Prefetches a supernode, if it exists: blocks are too short for hardware prefetching. */
INLINE void prefetch(const sn_supernodes *f, size_t s)
{
    if (s < f->count) {
        const size_t start = f->value_starts[s], broadcast = f->value_starts[s + 1] - start;
        for (size_t i = 0; i < broadcast && i < PREFETCHED; i += LINE) {
            __builtin_prefetch(f->values + start + i);
        }
    }
}

INLINE void substitute(const sn_supernodes *f, size_t planes, const double *inverse, pair *x, row_list w)
{
    for (size_t s = 0; s < f->count; s++) {
        const block_view block = view_block(f, s, inverse);
        prefetch(f, s + 1);
        for (size_t p = 0; p < planes; p++) {
            forward_block(&block, x + p * f->size, w);
        }
    }
    for (size_t s = f->count; s-- > 0;) {
        const block_view block = view_block(f, s, inverse);
        prefetch(f, s - 1);
        for (size_t p = 0; p < planes; p++) {
            backward_block(&block, x + p * f->size, w);
        }
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void substitute_avx2(const sn_supernodes *f, size_t planes,
                                                            const double *inverse, pair *x, row_list w)
{
    substitute(f, planes, inverse, x, w);
}
#endif

static void substitute_dispatch(const sn_supernodes *f, size_t planes, const double *inverse, pair *x, row_list w)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        substitute_avx2(f, planes, inverse, x, w);
        return;
    }
#endif
    substitute(f, planes, inverse, x, w);
}

/* Copies columns 2 p and 2 p + 1 of x to plane p, in the factor's order; a missing column is zero. */
static void load_columns(const sn_supernodes *f, size_t column_count, const double *x, pair *planes)
{
    for (size_t c = 0; c < column_count; c += 2) {
        const double *a = x + c * f->size, *b = c + 1 < column_count ? a + f->size : NULL;
        pair *plane = planes + c / 2 * f->size;
        for (size_t i = 0; i < f->size; i++) {
            plane[i] = (pair){a[f->order[i]], b ? b[f->order[i]] : 0};
        }
    }
}

static void store_columns(const sn_supernodes *f, size_t column_count, const pair *planes, double *x)
{
    for (size_t c = 0; c < column_count; c++) {
        const pair *plane = planes + c / 2 * f->size;
        for (size_t i = 0; i < f->size; i++) {
            x[c * f->size + (size_t)f->order[i]] = c % 2 == 0 ? plane[i].a : plane[i].b;
        }
    }
}

void sn_supernodal_solve(const sn_supernodes *factor, int column_count, double *x, double *work)
{
    const size_t columns = (size_t)column_count, planes = (columns + 1) / 2, capacity = row_capacity(factor);
    double *inverse = work + 2 * capacity;
    pair *all_planes = (pair *)(void *)(inverse + factor->size);
    SN_ASSERT(column_count <= SN_SUPERNODAL_COLUMNS);
    load_columns(factor, columns, x, all_planes);
    substitute_dispatch(factor, planes, inverse, all_planes, (row_list){work, work + capacity});
    store_columns(factor, columns, all_planes, x);
}

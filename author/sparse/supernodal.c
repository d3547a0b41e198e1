/* SPDX-License-Identifier: MIT */
/* Forward and backward substitution by supernodes, two right-hand sides at a time. BLAS packs a triangle for every
 * product, which for two columns costs more than the product, and is no faster for 64; here a factor's values are read
 * once each way, four columns at a time. One source for both vector widths: no sum depends on the width of the
 * machine's. */
#include "author/sparse/supernodal_block.h"

#include <string.h>

#define STRIP 4 /* columns that a pass over the rows takes */
#define PLANE_COUNT ((SN_SUPERNODAL_COLUMNS + 1) / 2)

/* Both right-hand sides of an unknown. */
typedef struct pair {
    double a, b;
} pair;

/* Both right-hand sides of the rows of a supernode. */
typedef struct row_list {
    double *a, *b;
} row_list;

size_t sn_supernodal_most_rows(const sn_supernodes *f)
{
    int32_t most = 0;
    for (size_t s = 0; s < f->count; s++) {
        const int32_t rows = f->row_starts[s + 1] - f->row_starts[s];
        most = rows > most ? rows : most;
    }
    return (size_t)most;
}

/* The inverse of the diagonal, the planes, the rows of a supernode. */
size_t sn_supernodal_work_size(const sn_supernodes *factor)
{
    return factor->size + 2 * PLANE_COUNT * factor->size + 2 * sn_supernodal_most_rows(factor);
}

void sn_supernodal_work_init(const sn_supernodes *factor, double *work)
{
    for (size_t s = 0; s < factor->count; s++) {
        const block_view block = view_block(factor, s, work);
        for (size_t j = 0; j < block.column_count; j++) {
            work[block.first + j] = 1 / block.values[j * block.row_count + j];
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

/* w -= l x over the rows from `start` to `end` of a strip of `width` columns, whose block has `stride` rows. Every
 * call names a constant width: the loops over columns unroll into registers. */
INLINE void subtract_strip(size_t width, size_t start, size_t end, size_t stride, const double *l, const double *x,
                           double *w)
{
    size_t i = start;
    for (; i + LANES <= end; i += LANES) {
        lanes sum = load(w + i);
#pragma GCC unroll 4
        for (size_t k = 0; k < width; k++) {
            sum -= load(l + k * stride + i) * all(x[k]);
        }
        store(sum, w + i);
    }
    for (; i < end; i++) {
#pragma GCC unroll 4
        for (size_t k = 0; k < width; k++) {
            w[i] -= l[k * stride + i] * x[k];
        }
    }
}

/* x -= l^T w over these rows. */
INLINE void dot_strip(size_t width, size_t start, size_t end, size_t stride, const double *l, row_list w, double *a,
                      double *b)
{
    lanes sums_a[STRIP] = {0}, sums_b[STRIP] = {0};
    size_t i = start;
    for (; i + LANES <= end; i += LANES) {
        const lanes row_a = load(w.a + i), row_b = load(w.b + i);
#pragma GCC unroll 4
        for (size_t k = 0; k < width; k++) {
            const lanes column = load(l + k * stride + i);
            sums_a[k] += column * row_a;
            sums_b[k] += column * row_b;
        }
    }
#pragma GCC unroll 4
    for (size_t k = 0; k < width; k++) {
        double sum_a = sum_lanes(sums_a[k]), sum_b = sum_lanes(sums_b[k]);
        for (size_t r = i; r < end; r++) {
            sum_a += l[k * stride + r] * w.a[r];
            sum_b += l[k * stride + r] * w.b[r];
        }
        a[k] -= sum_a;
        b[k] -= sum_b;
    }
}

/* The triangle of a strip from column j on, then the rows below it. */
INLINE void forward_strip(size_t width, const block_view *block, size_t j, row_list w)
{
    const size_t rows = block->row_count;
    const double *l = block->values + j * rows;
#pragma GCC unroll 4
    for (size_t k = 0; k < width; k++) {
        w.a[j + k] *= block->inverse[j + k];
        w.b[j + k] *= block->inverse[j + k];
#pragma GCC unroll 4
        for (size_t i = k + 1; i < width; i++) {
            w.a[j + i] -= l[k * rows + j + i] * w.a[j + k];
            w.b[j + i] -= l[k * rows + j + i] * w.b[j + k];
        }
    }
    subtract_strip(width, j + width, rows, rows, l, w.a + j, w.a);
    subtract_strip(width, j + width, rows, rows, l, w.b + j, w.b);
}

INLINE void backward_strip(size_t width, const block_view *block, size_t j, row_list w)
{
    const size_t rows = block->row_count;
    const double *l = block->values + j * rows;
    dot_strip(width, j + width, rows, rows, l, w, w.a + j, w.b + j);
#pragma GCC unroll 4
    for (size_t k = width; k-- > 0;) {
#pragma GCC unroll 4
        for (size_t i = k + 1; i < width; i++) {
            w.a[j + k] -= l[k * rows + j + i] * w.a[j + i];
            w.b[j + k] -= l[k * rows + j + i] * w.b[j + i];
        }
        w.a[j + k] *= block->inverse[j + k];
        w.b[j + k] *= block->inverse[j + k];
    }
}

/* The strip narrower than the others, from column j on. */
INLINE void forward_rest(const block_view *block, size_t j, row_list w)
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

INLINE void backward_rest(const block_view *block, size_t j, row_list w)
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

/* The rows of the triangle, from the block's own unknowns. */
INLINE void take_own(const block_view *block, const pair *x, row_list w)
{
    for (size_t i = 0; i < block->column_count; i++) {
        w.a[i] = x[block->first + i].a;
        w.b[i] = x[block->first + i].b;
    }
}

INLINE void put_own(const block_view *block, row_list w, pair *x)
{
    for (size_t i = 0; i < block->column_count; i++) {
        x[block->first + i] = (pair){w.a[i], w.b[i]};
    }
}

/* Solves the triangle and takes it off the rows below. */
INLINE void forward_block(const block_view *block, pair *x, row_list w)
{
    const size_t rows = block->row_count, columns = block->column_count;
    size_t j = 0;
    take_own(block, x, w);
    memset(w.a + columns, 0, sizeof(double) * (rows - columns));
    memset(w.b + columns, 0, sizeof(double) * (rows - columns));
    for (; j + STRIP <= columns; j += STRIP) {
        forward_strip(STRIP, block, j, w);
    }
    forward_rest(block, j, w);
    put_own(block, w, x);
    for (size_t i = columns; i < rows; i++) {
        pair *to = x + block->rows[i - columns];
        *to = (pair){to->a + w.a[i], to->b + w.b[i]};
    }
}

/* The transposed triangle, with the rows below known. */
INLINE void backward_block(const block_view *block, pair *x, row_list w)
{
    const size_t rows = block->row_count, columns = block->column_count;
    size_t j = columns / STRIP * STRIP;
    take_own(block, x, w);
    for (size_t i = columns; i < rows; i++) {
        w.a[i] = x[block->rows[i - columns]].a;
        w.b[i] = x[block->rows[i - columns]].b;
    }
    backward_rest(block, j, w);
    for (; j > 0; j -= STRIP) {
        backward_strip(STRIP, block, j - STRIP, w);
    }
    put_own(block, w, x);
}

INLINE void substitute(const sn_supernodes *f, size_t planes, const double *inverse, pair *x, row_list w)
{
    for (size_t s = 0; s < f->count; s++) {
        const block_view block = view_block(f, s, inverse);
        for (size_t p = 0; p < planes; p++) {
            forward_block(&block, x + p * f->size, w);
        }
    }
    for (size_t s = f->count; s-- > 0;) {
        const block_view block = view_block(f, s, inverse);
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

static void substitute_any(const sn_supernodes *f, size_t planes, const double *inverse, pair *x, row_list w)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        substitute_avx2(f, planes, inverse, x, w);
        return;
    }
#endif
    substitute(f, planes, inverse, x, w);
}

/* Columns 2 p and 2 p + 1 of x into plane p, in the factor's order; a column that is not there is zero. */
static void enter(const sn_supernodes *f, size_t column_count, const double *x, pair *planes)
{
    for (size_t c = 0; c < column_count; c += 2) {
        const double *a = x + c * f->size, *b = c + 1 < column_count ? a + f->size : NULL;
        pair *plane = planes + c / 2 * f->size;
        for (size_t i = 0; i < f->size; i++) {
            plane[i] = (pair){a[f->order[i]], b ? b[f->order[i]] : 0};
        }
    }
}

static void leave(const sn_supernodes *f, size_t column_count, const pair *planes, double *x)
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
    const size_t size = factor->size, columns = (size_t)column_count, planes = (columns + 1) / 2;
    pair *all_planes = (pair *)(void *)(work + size);
    double *rows = work + size + 2 * PLANE_COUNT * size;
    SN_ASSERT(column_count <= SN_SUPERNODAL_COLUMNS);
    enter(factor, columns, x, all_planes);
    substitute_any(factor, planes, work, all_planes, (row_list){rows, rows + sn_supernodal_most_rows(factor)});
    leave(factor, columns, all_planes, x);
}

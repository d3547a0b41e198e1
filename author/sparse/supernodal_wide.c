/* SPDX-License-Identifier: MIT */
/* Substitution for many right-hand sides, eight at a time in a row of their own: a value of the factor meets all eight
 * from one register, and the factor is read once each way for all of them. A tile of four rows (forward) or four
 * columns (backward) takes what is known off its sums, then solves its own small triangle. One source for both vector
 * widths, as in supernodal.c. */
#include <string.h>

#include "author/sparse/supernodal_block.h"

#define TILE 4
#define WIDE 8 /* right-hand sides of a plane */

/* A row of a plane. */
typedef struct octet {
    lanes low, high;
} octet;

typedef struct wide_work {
    const sn_supernodes *f;
    size_t planes;
    const double *inverse; /* (size) of the diagonal */
    double *x;             /* (planes x size x WIDE) in the factor's order */
    double *below;         /* (planes x most rows x WIDE) of the supernode at hand */
    size_t most_rows;
} wide_work;

size_t sn_supernodal_wide_work_size(const sn_supernodes *factor, int column_count)
{
    const size_t planes = ((size_t)column_count + WIDE - 1) / WIDE;
    return factor->size + planes * WIDE * (factor->size + sn_supernodal_most_rows(factor));
}

INLINE octet load(const double *from)
{
    octet value;
    memcpy(&value.low, from, sizeof value.low);
    memcpy(&value.high, from + LANES, sizeof value.high);
    return value;
}

INLINE void store(octet value, double *to)
{
    memcpy(to, &value.low, sizeof value.low);
    memcpy(to + LANES, &value.high, sizeof value.high);
}

INLINE octet add_scaled(octet sum, double factor, octet x)
{
    return (octet){sum.low + all(factor) * x.low, sum.high + all(factor) * x.high};
}

/* sums[r] += sum_k l[r][k] x[k] over columns from 0 to `count`; l is at the tile's first row, x at the block's first
 * unknown. Every call names a constant width: sums stay in registers. */
INLINE void sum_columns(size_t width, const double *l, size_t stride, size_t count, const double *x, octet *sums)
{
    for (size_t k = 0; k < count; k++) {
        const octet known = load(x + WIDE * k);
#pragma GCC unroll 4
        for (size_t r = 0; r < width; r++) {
            sums[r] = add_scaled(sums[r], l[k * stride + r], known);
        }
    }
}

/* sums[k] += sum_i l[i][k] x[i] over `count` rows; l is at the tile's first column. */
INLINE void sum_rows(size_t width, const double *l, size_t stride, size_t count, const double *x, octet *sums)
{
    for (size_t i = 0; i < count; i++) {
        const octet known = load(x + WIDE * i);
#pragma GCC unroll 4
        for (size_t k = 0; k < width; k++) {
            sums[k] = add_scaled(sums[k], l[k * stride + i], known);
        }
    }
}

INLINE double *plane_at(const wide_work *w, size_t plane, size_t row)
{
    return w->x + (plane * w->f->size + row) * WIDE;
}

/* ---- forward ---- */

/* Rows `row` and on of the triangle. */
INLINE void forward_tile(size_t width, const wide_work *w, const block_view *b, size_t row)
{
    const double *l = b->values + row, *inverse = b->inverse + row;
    for (size_t p = 0; p < w->planes; p++) {
        octet sums[TILE] = {0};
        double *own = plane_at(w, p, b->first);
        sum_columns(width, l, b->row_count, row, own, sums);
#pragma GCC unroll 4
        for (size_t r = 0; r < width; r++) {
            octet x = load(own + WIDE * (row + r));
            x = (octet){x.low - sums[r].low, x.high - sums[r].high};
            x = (octet){x.low * all(inverse[r]), x.high * all(inverse[r])};
            store(x, own + WIDE * (row + r));
#pragma GCC unroll 4
            for (size_t i = r + 1; i < width; i++) {
                sums[i] = add_scaled(sums[i], l[(row + r) * b->row_count + i], x);
            }
        }
    }
}

/* Rows below the triangle. */
INLINE void forward_below(size_t width, const wide_work *w, const block_view *b, size_t row)
{
    for (size_t p = 0; p < w->planes; p++) {
        octet sums[TILE] = {0};
        sum_columns(width, b->values + row, b->row_count, b->column_count, plane_at(w, p, b->first), sums);
#pragma GCC unroll 4
        for (size_t r = 0; r < width; r++) {
            double *to = plane_at(w, p, (size_t)b->rows[row + r - b->column_count]);
            const octet x = load(to);
            store((octet){x.low - sums[r].low, x.high - sums[r].high}, to);
        }
    }
}

INLINE void forward_block(const wide_work *w, const block_view *b)
{
    size_t row = 0;
    for (; row + TILE <= b->column_count; row += TILE) {
        forward_tile(TILE, w, b, row);
    }
    for (; row < b->column_count; row++) {
        forward_tile(1, w, b, row);
    }
    for (; row + TILE <= b->row_count; row += TILE) {
        forward_below(TILE, w, b, row);
    }
    for (; row < b->row_count; row++) {
        forward_below(1, w, b, row);
    }
}

/* ---- backward ---- */

INLINE void backward_tile(size_t width, const wide_work *w, const block_view *b, size_t column)
{
    const size_t rows = b->row_count, end = column + width;
    const double *l = b->values + column * rows, *inverse = b->inverse + column;
    for (size_t p = 0; p < w->planes; p++) {
        octet sums[TILE] = {0};
        double *own = plane_at(w, p, b->first);
        sum_rows(width, l + end, rows, b->column_count - end, own + WIDE * end, sums);
        sum_rows(width, l + b->column_count, rows, rows - b->column_count, w->below + p * w->most_rows * WIDE, sums);
#pragma GCC unroll 4
        for (size_t k = width; k-- > 0;) {
            octet x = load(own + WIDE * (column + k));
            x = (octet){x.low - sums[k].low, x.high - sums[k].high};
            x = (octet){x.low * all(inverse[k]), x.high * all(inverse[k])};
            store(x, own + WIDE * (column + k));
#pragma GCC unroll 4
            for (size_t i = 0; i < k; i++) {
                sums[i] = add_scaled(sums[i], l[i * rows + column + k], x);
            }
        }
    }
}

INLINE void backward_block(const wide_work *w, const block_view *b)
{
    size_t column = b->column_count;
    for (size_t p = 0; p < w->planes; p++) {
        for (size_t i = b->column_count; i < b->row_count; i++) {
            memcpy(w->below + (p * w->most_rows + i - b->column_count) * WIDE,
                   plane_at(w, p, (size_t)b->rows[i - b->column_count]), WIDE * sizeof(double));
        }
    }
    for (; column % TILE != 0; column--) {
        backward_tile(1, w, b, column - 1);
    }
    for (; column > 0; column -= TILE) {
        backward_tile(TILE, w, b, column - TILE);
    }
}

INLINE void substitute(const wide_work *w)
{
    for (size_t s = 0; s < w->f->count; s++) {
        const block_view block = view_block(w->f, s, w->inverse);
        forward_block(w, &block);
    }
    for (size_t s = w->f->count; s-- > 0;) {
        const block_view block = view_block(w->f, s, w->inverse);
        backward_block(w, &block);
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void substitute_avx2(const wide_work *w)
{
    substitute(w);
}
#endif

static void substitute_any(const wide_work *w)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        substitute_avx2(w);
        return;
    }
#endif
    substitute(w);
}

void sn_supernodal_wide_solve(const sn_supernodes *factor, int column_count, double *x, double *work)
{
    const size_t size = factor->size, columns = (size_t)column_count;
    wide_work w = {.f = factor, .planes = (columns + WIDE - 1) / WIDE, .inverse = work, .x = work + size};
    w.below = w.x + w.planes * WIDE * size;
    w.most_rows = sn_supernodal_most_rows(factor);
    sn_supernodal_work_init(factor, work);
    for (size_t p = 0; p < w.planes; p++) {
        for (size_t i = 0; i < size; i++) {
            for (size_t c = 0; c < WIDE; c++) {
                const size_t column = p * WIDE + c;
                plane_at(&w, p, i)[c] = column < columns ? x[column * size + (size_t)factor->order[i]] : 0;
            }
        }
    }
    substitute_any(&w);
    for (size_t c = 0; c < columns; c++) {
        for (size_t i = 0; i < size; i++) {
            x[c * size + (size_t)factor->order[i]] = plane_at(&w, c / WIDE, i)[c % WIDE];
        }
    }
}

/* SPDX-License-Identifier: MIT */
/* S = Q^T A^-1 Q = Y^T Y with Y = L^-1 P Q: forward substitution only, supernode by supernode, each with only the
 * columns of Q that reach it. A column that is non-zero in one limb only reaches few supernodes before the last ones.
 */
#include <cblas.h>
#include <string.h>

#include "author/sparse/schur.h"

#define PANEL_ROWS 128 /* rows of Y whose products are added at once */

typedef struct substitution {
    const sn_supernodes *f;
    size_t width;        /* columns of Q */
    int32_t *supernodes; /* (size) supernode of each row */
    double *y;           /* (size x width) row-major, in the factor's order: right-hand sides minus the known terms */
    bool *is_active;     /* (count x width) whether a column reaches a supernode */
    int32_t *active;     /* (width) columns that reach the current supernode */
    double *own, *below; /* (most rows x width) the supernode's rows of Y, and their terms for the rows below */
    double *panel;       /* (PANEL_ROWS x width) rows of Y */
    bool *is_in_panel;   /* (width) columns with non-zeros in the panel */
    double *packed, *panel_product; /* (PANEL_ROWS x width), (width x width) those columns, and their products */
    size_t panel_rows;
    double *schur;
} substitution;

static bool init(substitution *w, const sn_supernodes *f, size_t width, double *schur, sn_arena *scratch)
{
    *w = (substitution){.f = f,
                        .width = width,
                        .supernodes = SN_NEW(scratch, int32_t, f->size),
                        .y = SN_NEW(scratch, double, f->size *width),
                        .is_active = SN_NEW(scratch, bool, f->count *width),
                        .active = SN_NEW(scratch, int32_t, width),
                        .own = SN_NEW(scratch, double, sn_supernodal_max_rows(f) * width),
                        .below = SN_NEW(scratch, double, sn_supernodal_max_rows(f) * width),
                        .panel = SN_NEW(scratch, double, PANEL_ROWS *width),
                        .is_in_panel = SN_NEW(scratch, bool, width),
                        .packed = SN_NEW(scratch, double, PANEL_ROWS *width),
                        .panel_product = SN_NEW(scratch, double, width *width),
                        .schur = schur};
    return w->supernodes && w->y && w->is_active && w->active && w->own && w->below && w->panel && w->is_in_panel &&
           w->packed && w->panel_product;
}

static bool load_columns(const substitution *w, const sn_sparse_columns *q, sn_arena *scratch)
{
    int32_t *position = SN_NEW(scratch, int32_t, w->f->size);
    if (!position) {
        return false;
    }
    for (size_t i = 0; i < w->f->size; i++) {
        position[w->f->order[i]] = (int32_t)i;
    }
    for (size_t s = 0; s < w->f->count; s++) {
        for (int32_t i = w->f->first_columns[s]; i < w->f->first_columns[s + 1]; i++) {
            w->supernodes[i] = (int32_t)s;
        }
    }
    size_t first = 0;
    for (int b = 0; b < q->block_count; b++) {
        const sn_column_block *block = &q->blocks[b];
        const size_t rows = (size_t)block->row_count, columns = (size_t)block->column_count;
        for (size_t i = 0; i < rows * columns; i++) {
            const size_t row = (size_t)position[block->rows[i % rows]], column = first + i / rows;
            w->y[row * w->width + column] = block->values[i];
            w->is_active[(size_t)w->supernodes[row] * w->width + column] = true;
        }
        first += columns;
    }
    return true;
}

/* Adds the products of the panel's rows to S and empties the panel. */
static void add_panel(substitution *w)
{
    size_t count = 0;
    for (size_t c = 0; c < w->width; c++) {
        if (w->is_in_panel[c]) {
            w->active[count++] = (int32_t)c;
        }
    }
    for (size_t r = 0; r < w->panel_rows; r++) {
        for (size_t c = 0; c < count; c++) {
            w->packed[r * count + c] = w->panel[r * w->width + (size_t)w->active[c]];
        }
    }
    if (count > 0) {
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)count, (int)w->panel_rows, 1, w->packed, (int)count,
                    0, w->panel_product, (int)count);
    }
    for (size_t j = 0; j < count; j++) {
        for (size_t i = j; i < count; i++) {
            w->schur[(size_t)w->active[j] * w->width + (size_t)w->active[i]] += w->panel_product[j * count + i];
        }
    }
    memset(w->panel, 0, sizeof *w->panel * w->panel_rows * w->width);
    memset(w->is_in_panel, 0, sizeof *w->is_in_panel * w->width);
    w->panel_rows = 0;
}

/* own (row_count x count): rows of Y in the columns of `active`. */
static void add_to_panel(substitution *w, size_t s, size_t row_count)
{
    const bool *is_active = w->is_active + s * w->width;
    for (size_t r = 0, next = 0; r < row_count; r++) {
        if (w->panel_rows == PANEL_ROWS) {
            add_panel(w);
        }
        double *row = w->panel + w->panel_rows++ * w->width;
        for (size_t c = 0; c < w->width; c++) {
            if (is_active[c]) {
                row[c] = w->own[next++];
                w->is_in_panel[c] = true;
            }
        }
    }
}

static size_t list_active(const substitution *w, size_t s)
{
    size_t count = 0;
    for (size_t c = 0; c < w->width; c++) {
        if (w->is_active[s * w->width + c]) {
            w->active[count++] = (int32_t)c;
        }
    }
    return count;
}

/* Solves for the supernode's rows of Y and subtracts their terms from the rows below; `count` columns are active. */
static void solve_block(const substitution *w, size_t s, size_t count)
{
    const sn_supernodes *f = w->f;
    const size_t first = (size_t)f->first_columns[s], columns = sn_supernode_column_count(f, s);
    const size_t rows = sn_supernode_row_count(f, s), stride = sn_supernode_stride(rows), below_count = rows - columns;
    const double *values = f->values + f->value_starts[s];
    for (size_t r = 0; r < columns; r++) {
        for (size_t c = 0; c < count; c++) {
            w->own[r * count + c] = w->y[(first + r) * w->width + (size_t)w->active[c]];
        }
    }
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)count, (int)columns, 1, values,
                (int)stride, w->own, (int)count);
    if (below_count == 0) {
        return;
    }
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)count, (int)below_count, (int)columns, 1, w->own,
                (int)count, values + columns, (int)stride, 0, w->below, (int)count);
    const int32_t *below = f->rows + (size_t)f->row_starts[s] + columns;
    for (size_t r = 0; r < below_count; r++) {
        double *row = w->y + (size_t)below[r] * w->width;
        for (size_t c = 0; c < count; c++) {
            row[w->active[c]] -= w->below[r * count + c];
        }
    }
    bool *parent = w->is_active + (size_t)w->supernodes[below[0]] * w->width;
    for (size_t c = 0; c < count; c++) {
        parent[w->active[c]] = true;
    }
}

sn_result sn_supernodal_schur(const sn_supernodes *factor, const sn_sparse_columns *q, double *schur)
{
    sn_arena scratch = {0};
    substitution work;
    const size_t width = (size_t)q->column_count;
    const bool is_ready = init(&work, factor, width, schur, &scratch) && load_columns(&work, q, &scratch);
    openblas_set_num_threads(1);
    memset(schur, 0, sizeof *schur * width * width);
    for (size_t s = 0; is_ready && s < factor->count; s++) {
        const size_t count = list_active(&work, s);
        if (count > 0) {
            solve_block(&work, s, count);
            add_to_panel(&work, s, sn_supernode_column_count(factor, s));
        }
    }
    if (is_ready) {
        add_panel(&work);
    }
    sn_arena_finish(&scratch);
    return is_ready ? SN_OK : SN_ERROR_MEMORY;
}

/* SPDX-License-Identifier: MIT */
/* L of P A P^T = L L^T in float, over the supernodes that CHOLMOD found: it has no such factor itself. Right-looking: a
 * supernode that is done takes its products off the rows of those above it, a panel of columns at a time. */
#include <cblas.h>
#include <string.h>

#include "author/sparse/supernodal.h"

#define PANEL 128

extern void spotrf_(const char *uplo, const int *n, float *a, const int *lda, int *info, size_t uplo_length);

typedef struct factorization {
    const sn_supernodes *f;
    float *values;
    int32_t *supernodes; /* (size) of each column */
    int32_t *places;     /* (size) of a row in the supernode at hand */
    int32_t *relative;   /* (most rows) the same, by the rows of the one that is done */
    float *product;      /* (most rows x PANEL) */
} factorization;

static bool start(factorization *w, sn_arena *scratch)
{
    const sn_supernodes *f = w->f;
    const size_t most = sn_supernodal_most_rows(f);
    w->supernodes = SN_NEW(scratch, int32_t, f->size);
    w->places = SN_NEW(scratch, int32_t, f->size);
    w->relative = SN_NEW(scratch, int32_t, most);
    w->product = SN_NEW(scratch, float, most *PANEL);
    if (!w->supernodes || !w->places || !w->relative || !w->product) {
        return false;
    }
    for (size_t s = 0; s < f->count; s++) {
        for (int32_t i = f->first_columns[s]; i < f->first_columns[s + 1]; i++) {
            w->supernodes[i] = (int32_t)s;
        }
    }
    return true;
}

static size_t column_count_of(const sn_supernodes *f, size_t s)
{
    return (size_t)(f->first_columns[s + 1] - f->first_columns[s]);
}

static size_t row_count_of(const sn_supernodes *f, size_t s)
{
    return (size_t)(f->row_starts[s + 1] - f->row_starts[s]);
}

static void place_rows(const factorization *w, size_t s)
{
    const int32_t *rows = w->f->rows + w->f->row_starts[s];
    for (size_t i = 0; i < row_count_of(w->f, s); i++) {
        w->places[rows[i]] = (int32_t)i;
    }
}

/* A's lower triangle into the blocks; the upper one of P A P^T is the same entries. Counted by supernode first, so that
 * each places its rows once. */
static bool enter(const factorization *w, const sn_sparse *a, sn_arena *scratch)
{
    typedef struct entry {
        int32_t row, column;
        float value;
    } entry;
    const sn_supernodes *f = w->f;
    const size_t entries = (size_t)a->column_starts[a->size];
    int32_t *places = SN_NEW(scratch, int32_t, f->size);
    size_t *starts = SN_NEW(scratch, size_t, f->count + 2);
    entry *list = SN_NEW(scratch, entry, entries);
    if (!places || !starts || !list) {
        return false;
    }
    for (size_t i = 0; i < f->size; i++) {
        places[f->order[i]] = (int32_t)i;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int column = 0; column < a->size; column++) {
            for (int32_t i = a->column_starts[column]; i < a->column_starts[column + 1]; i++) {
                const int32_t p = places[column], q = places[a->rows[i]], first = p < q ? p : q;
                size_t *place = starts + w->supernodes[first] + (pass == 0 ? 2 : 1);
                if (pass == 1) {
                    list[*place] = (entry){p < q ? q : p, first, (float)a->values[i]};
                }
                ++*place;
            }
        }
        for (size_t s = 0; s < f->count && pass == 0; s++) {
            starts[s + 2] += starts[s + 1];
        }
    }
    for (size_t s = 0; s < f->count; s++) {
        float *block = w->values + f->value_starts[s];
        place_rows(w, s);
        for (size_t i = starts[s]; i < starts[s + 1]; i++) {
            const size_t column = (size_t)(list[i].column - f->first_columns[s]);
            block[column * row_count_of(f, s) + (size_t)w->places[list[i].row]] = list[i].value;
        }
    }
    return true;
}

/* The triangle of a supernode, and its rows below. */
static bool finish_block(const factorization *w, size_t s)
{
    const int rows = (int)row_count_of(w->f, s), columns = (int)column_count_of(w->f, s);
    float *block = w->values + w->f->value_starts[s];
    int info = 0;
    spotrf_("L", &columns, block, &rows, &info, 1);
    if (info == 0 && rows > columns) {
        cblas_strsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, rows - columns, columns, 1, block,
                    rows, block + columns, rows);
    }
    return info == 0;
}

/* Takes columns from `first` to `end` of the product, rows of the supernode that is done, off the one they belong to.
 */
static void subtract_columns(const factorization *w, const int32_t *rows, size_t count, size_t first, size_t end,
                             const float *product, size_t stride)
{
    const size_t target = (size_t)w->supernodes[rows[first]];
    float *block = w->values + w->f->value_starts[target];
    place_rows(w, target);
    for (size_t i = first; i < count; i++) {
        w->relative[i] = w->places[rows[i]];
    }
    for (size_t c = first; c < end; c++, product += stride + 1) {
        float *column = block + (size_t)(rows[c] - w->f->first_columns[target]) * row_count_of(w->f, target);
        for (size_t i = c; i < count; i++) {
            column[w->relative[i]] -= product[i - c];
        }
    }
}

static void update_above(const factorization *w, size_t s)
{
    const size_t columns = column_count_of(w->f, s), all = row_count_of(w->f, s), count = all - columns;
    const int32_t *rows = w->f->rows + (size_t)w->f->row_starts[s] + columns;
    const float *below = w->values + (size_t)w->f->value_starts[s] + columns;
    for (size_t panel = 0; panel < count; panel += PANEL) {
        const size_t width = count - panel < PANEL ? count - panel : PANEL, stride = count - panel;
        cblas_sgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)stride, (int)width, (int)columns, 1, below + panel,
                    (int)all, below + panel, (int)all, 0, w->product, (int)stride);
        for (size_t first = panel, end; first < panel + width; first = end) {
            end = first + 1;
            while (end < panel + width && w->supernodes[rows[end]] == w->supernodes[rows[first]]) {
                end++;
            }
            subtract_columns(w, rows, count, first, end, w->product + (first - panel) * (stride + 1), stride);
        }
    }
}

sn_result sn_supernodal_factorize_f32(const sn_supernodes *factor, const sn_sparse *matrix, sn_arena *scratch,
                                      float *values32, bool *is_definite)
{
    factorization w = {.f = factor, .values = values32};
    *is_definite = start(&w, scratch) && enter(&w, matrix, scratch);
    if (!*is_definite) {
        return SN_ERROR_MEMORY;
    }
    for (size_t s = 0; s < factor->count && *is_definite; s++) {
        *is_definite = finish_block(&w, s);
        if (*is_definite) {
            update_above(&w, s);
        }
    }
    return SN_OK;
}

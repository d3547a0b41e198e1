/* SPDX-License-Identifier: MIT */
#include "author/weights/bilaplacian.h"

#include <stdlib.h>
#include <string.h>

/* A column of K: the vertices with nonzero entries, and values by vertex. */
typedef struct accumulated_column {
    int32_t count;
    int32_t *rows;    /* (size) */
    double *entries;  /* (size) zero outside `rows` */
    int32_t *visited; /* (size) column + 1 if the vertex is in `rows` */
} accumulated_column;

static bool start_column(int size, sn_arena *scratch, accumulated_column *column)
{
    column->rows = SN_NEW(scratch, int32_t, size);
    column->entries = SN_NEW(scratch, double, size);
    column->visited = SN_NEW(scratch, int32_t, size);
    return column->rows && column->entries && column->visited;
}

static void accumulate_column(const sn_symmetric_rows *l, const double *mass, int32_t index, accumulated_column *column)
{
    column->count = 0;
    for (int32_t i = l->starts[index]; i < l->starts[index + 1]; ++i) {
        const int32_t mid = l->columns[i];
        const double factor = l->values[i] / mass[mid];
        for (int32_t j = l->starts[mid]; j < l->starts[mid + 1]; ++j) {
            const int32_t row = l->columns[j];
            if (column->visited[row] != index + 1) {
                column->visited[row] = index + 1;
                column->entries[row] = 0;
                column->rows[column->count++] = row;
            }
            column->entries[row] += factor * l->values[j];
        }
    }
}

/* Keeps the rows of the lower triangle over the free vertices. */
static void keep_lower_rows(const int32_t *free_index, int32_t index, accumulated_column *column)
{
    const int32_t count = column->count;
    column->count = 0;
    for (int32_t i = 0; i < count; ++i) {
        const int32_t row = column->rows[i];
        if (free_index[row] >= 0 && free_index[row] >= free_index[index]) {
            column->rows[column->count++] = row;
        }
    }
}

static int ascending(const void *left, const void *right)
{
    const int32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

typedef struct sources {
    const sn_symmetric_rows *laplacian;
    const double *mass;
    const int32_t *free_index;
    const double *shift;
} sources;

static sn_result count_entries(const sources *in, accumulated_column *column, sn_sparse *out)
{
    size_t total = 0;
    for (int32_t v = 0; v < in->laplacian->size; ++v) {
        if (in->free_index[v] < 0) {
            continue;
        }
        accumulate_column(in->laplacian, in->mass, v, column);
        keep_lower_rows(in->free_index, v, column);
        total += (size_t)column->count;
        out->column_starts[in->free_index[v] + 1] = (int32_t)total;
        if (total > INT32_MAX) {
            return sn_fail_within(SN_ERROR_UNSUPPORTED,
                                  "the squared Laplacian of %d vertices is too large; use a coarser mesh",
                                  in->laplacian->size);
        }
    }
    return SN_OK;
}

static void fill_entries(const sources *in, accumulated_column *column, const sn_sparse *out)
{
    memset(column->visited, 0, (size_t)in->laplacian->size * sizeof *column->visited);
    for (int32_t v = 0; v < in->laplacian->size; ++v) {
        const int32_t own = in->free_index[v];
        if (own < 0) {
            continue;
        }
        int32_t *rows = out->rows + out->column_starts[own];
        double *values = out->values + out->column_starts[own];
        accumulate_column(in->laplacian, in->mass, v, column);
        keep_lower_rows(in->free_index, v, column);
        qsort(column->rows, (size_t)column->count, sizeof *column->rows, ascending);
        for (int32_t i = 0; i < column->count; ++i) {
            rows[i] = in->free_index[column->rows[i]];
            values[i] = column->entries[column->rows[i]];
        }
        values[0] += in->shift[v];
    }
}

static sn_result build(const sources *in, int free_count, sn_arena *scratch, sn_arena *arena, sn_sparse *out)
{
    accumulated_column column = {0};
    out->size = free_count;
    out->column_starts = SN_NEW(arena, int32_t, free_count + 1);
    if (!out->column_starts || !start_column(in->laplacian->size, scratch, &column)) {
        return SN_ERROR_MEMORY;
    }
    const sn_result result = count_entries(in, &column, out);
    if (result != SN_OK) {
        return result;
    }
    out->rows = SN_NEW(arena, int32_t, out->column_starts[free_count]);
    out->values = SN_NEW(arena, double, out->column_starts[free_count]);
    if (!out->rows || !out->values) {
        return SN_ERROR_MEMORY;
    }
    fill_entries(in, &column, out);
    return SN_OK;
}

sn_result sn_bilaplacian_build(const sn_symmetric_rows *laplacian, const double *mass, const int32_t *free_index,
                               const double *shift, sn_arena *arena, sn_sparse *bilaplacian)
{
    sn_arena scratch = {0};
    const sources in = {laplacian, mass, free_index, shift};
    int free_count = 0;
    for (int v = 0; v < laplacian->size; ++v) {
        free_count += free_index[v] >= 0;
    }
    const sn_result result = build(&in, free_count, &scratch, arena, bilaplacian);
    sn_arena_finish(&scratch);
    return result;
}

void sn_bilaplacian_row(const sn_symmetric_rows *laplacian, int v, int column_count, const double *curvature,
                        double *row)
{
    const size_t columns = (size_t)column_count;
    memset(row, 0, columns * sizeof *row);
    for (int32_t i = laplacian->starts[v]; i < laplacian->starts[v + 1]; ++i) {
        const double *other = curvature + (size_t)laplacian->columns[i] * columns, value = laplacian->values[i];
        for (size_t j = 0; j < columns; ++j) {
            row[j] += value * other[j];
        }
    }
}

double sn_bilaplacian_energy(const sn_symmetric_rows *laplacian, const double *mass, int column_count,
                             const double *weights, double *curvature)
{
    const size_t columns = (size_t)column_count;
    double energy = 0;
    for (int v = 0; v < laplacian->size; ++v) {
        double *row = curvature + (size_t)v * columns, sum = 0;
        sn_bilaplacian_row(laplacian, v, column_count, weights, row);
        for (size_t j = 0; j < columns; ++j) {
            sum += row[j] * row[j];
            row[j] /= mass[v];
        }
        energy += sum / mass[v] / 2;
    }
    return energy;
}

/* SPDX-License-Identifier: MIT */
/* Cotangent Laplacian of a tetrahedral mesh. The tets' edge terms are collected by the larger vertex of each edge,
 * merged there, and distributed to the columns of the smaller vertex, which are thus sorted. Sums run in the order of
 * the tets, so the bits depend on nothing else. */
#include "author/sparse/laplacian.h"

#include "host/math/vec3.h"

#define EDGES 6 /* of a tet */

typedef struct element_list {
    const sn_tet_mesh *mesh;
    const double *gradients, *volumes, *scale;
} element_list;

/* The lower triangle by rows: entries starts[v] to ends[v] - 1 are (columns, values), unsorted. */
typedef struct row_list {
    uint32_t *starts, *ends; /* (vertex_count + 1), (vertex_count) */
    int32_t *columns;        /* (6 tet_count) */
    double *values;          /* (6 tet_count) */
    double *diagonal;        /* (vertex_count) */
} row_list;

static const size_t edges[EDGES][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

static int32_t lesser(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t greater(int32_t a, int32_t b)
{
    return a < b ? b : a;
}

static sn_result allocate_rows(const sn_tet_mesh *mesh, sn_arena *scratch, row_list *rows)
{
    const size_t vertex_count = (size_t)mesh->vertex_count, tet_count = (size_t)mesh->tet_count;
    if (4 * tet_count > INT32_MAX) { /* indices of 6 entries per tet must fit into uint32_t */
        return sn_fail_within(SN_ERROR_UNSUPPORTED, "a Laplacian of %d tets is too large", mesh->tet_count);
    }
    rows->starts = SN_NEW(scratch, uint32_t, vertex_count + 1);
    rows->ends = SN_NEW(scratch, uint32_t, vertex_count);
    rows->columns = SN_NEW(scratch, int32_t, EDGES * tet_count);
    rows->values = SN_NEW(scratch, double, EDGES *tet_count);
    rows->diagonal = SN_NEW(scratch, double, vertex_count);
    return rows->starts && rows->ends && rows->columns && rows->values && rows->diagonal ? SN_OK : SN_ERROR_MEMORY;
}

static void count_edges(const sn_tet_mesh *mesh, const row_list *rows)
{
    for (size_t t = 0; t < (size_t)mesh->tet_count; t++) {
        const int32_t *v = mesh->tets + 4 * t;
        for (size_t e = 0; e < EDGES; e++) {
            rows->starts[greater(v[edges[e][0]], v[edges[e][1]]) + 1]++;
        }
    }
    for (size_t v = 0; v < (size_t)mesh->vertex_count; v++) {
        rows->starts[v + 1] += rows->starts[v];
        rows->ends[v] = rows->starts[v];
    }
}

/* Appends scale V grad_i . grad_j of every edge of every tet to its row. */
static void append_entries(const element_list *elements, const row_list *rows)
{
    for (size_t t = 0; t < (size_t)elements->mesh->tet_count; t++) {
        const int32_t *v = elements->mesh->tets + 4 * t;
        const double *g = elements->gradients + 12 * t;
        const double weight = elements->volumes[t] * (elements->scale ? elements->scale[t] : 1);
        for (size_t k = 0; k < 4; k++) {
            rows->diagonal[v[k]] += weight * sn_dot3(g + 3 * k, g + 3 * k);
        }
#pragma GCC unroll 6
        for (size_t e = 0; e < EDGES; e++) {
            const size_t i = edges[e][0], j = edges[e][1];
            const double value = weight * sn_dot3(g + 3 * i, g + 3 * j);
            const uint32_t slot = rows->ends[greater(v[i], v[j])];
            rows->columns[slot] = lesser(v[i], v[j]);
            rows->values[slot] = value;
            if (v[i] != v[j]) {
                rows->ends[greater(v[i], v[j])] = slot + 1;
            } else { /* a degenerate tet of a flat mesh */
                rows->diagonal[v[i]] += 2 * value;
            }
        }
    }
}

/* Sums a row's entries of the same column into the first of them; entry_ends[column] is one past that entry, if it is
 * in this row. Increments counts[column] for each remaining entry. Has no branches that depend on data. */
static void merge_row(const row_list *rows, size_t row, uint32_t *entry_ends, int32_t *counts)
{
    const uint32_t start = rows->starts[row];
    uint32_t end = start;
    for (uint32_t e = start; e < rows->ends[row]; e++) {
        const int32_t column = rows->columns[e];
        const double value = rows->values[e];
        const bool is_known = entry_ends[column] > start;
        const uint32_t slot = is_known ? entry_ends[column] - 1 : end;
        const double sums[2] = {0, rows->values[slot]};
        rows->columns[slot] = column;
        rows->values[slot] = sums[is_known] + value;
        entry_ends[column] = slot + 1;
        counts[column] += !is_known;
        end += !is_known;
    }
    rows->ends[row] = end;
}

static sn_result merge_rows(const sn_tet_mesh *mesh, const row_list *rows, sn_arena *scratch, int32_t *column_starts)
{
    const size_t vertex_count = (size_t)mesh->vertex_count;
    uint32_t *entry_ends = SN_NEW(scratch, uint32_t, vertex_count);
    size_t total = 0;
    if (!entry_ends) {
        return SN_ERROR_MEMORY;
    }
    for (size_t v = 0; v < vertex_count; v++) {
        merge_row(rows, v, entry_ends, column_starts + 1);
    }
    for (size_t v = 0; v < vertex_count; v++) {
        total += 1 + (size_t)column_starts[v + 1];
        if (total > INT32_MAX) {
            return sn_fail_within(SN_ERROR_UNSUPPORTED, "a Laplacian of %d vertices is too large", mesh->vertex_count);
        }
        column_starts[v + 1] = (int32_t)total;
    }
    return SN_OK;
}

/* next (size): the next free entry of each column. */
static void fill_columns(const row_list *rows, int32_t *next, const sn_sparse *laplacian)
{
    for (int32_t v = 0; v < laplacian->size; v++) {
        const int32_t at = laplacian->column_starts[v];
        laplacian->rows[at] = v;
        laplacian->values[at] = rows->diagonal[v];
        next[v] = at + 1;
    }
    for (int32_t row = 0; row < laplacian->size; row++) {
        for (uint32_t e = rows->starts[row]; e < rows->ends[row]; e++) {
            const int32_t at = next[rows->columns[e]]++;
            laplacian->rows[at] = row;
            laplacian->values[at] = rows->values[e];
        }
    }
}

static sn_result assemble(const element_list *elements, sn_arena *scratch, sn_arena *arena, sn_sparse *laplacian)
{
    const size_t vertex_count = (size_t)elements->mesh->vertex_count;
    row_list rows = {0};
    int32_t *next = SN_NEW(scratch, int32_t, vertex_count);
    laplacian->size = elements->mesh->vertex_count;
    laplacian->column_starts = SN_NEW(arena, int32_t, vertex_count + 1);
    if (!next || !laplacian->column_starts) {
        return SN_ERROR_MEMORY;
    }
    sn_result result = allocate_rows(elements->mesh, scratch, &rows);
    if (result == SN_OK) {
        count_edges(elements->mesh, &rows);
        append_entries(elements, &rows);
        result = merge_rows(elements->mesh, &rows, scratch, laplacian->column_starts);
    }
    if (result != SN_OK) {
        return result;
    }
    const size_t total = (size_t)laplacian->column_starts[vertex_count];
    laplacian->rows = SN_NEW(arena, int32_t, total);
    laplacian->values = SN_NEW(arena, double, total);
    if (!laplacian->rows || !laplacian->values) {
        return SN_ERROR_MEMORY;
    }
    fill_columns(&rows, next, laplacian);
    return SN_OK;
}

sn_result sn_laplacian_build(const sn_tet_mesh *mesh, const double *gradients, const double *volumes,
                             const double *scale, const double *shift, sn_arena *arena, sn_sparse *laplacian)
{
    sn_arena scratch = {0};
    const element_list elements = {mesh, gradients, volumes, scale};
    const sn_result result = assemble(&elements, &scratch, arena, laplacian);
    sn_arena_finish(&scratch);
    if (result == SN_OK && shift) {
        for (size_t v = 0; v < (size_t)mesh->vertex_count; v++) {
            laplacian->values[laplacian->column_starts[v]] +=
                shift[v]; /* the diagonal entry is the first of its column */
        }
    }
    return result;
}

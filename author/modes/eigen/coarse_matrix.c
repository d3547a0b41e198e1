/* SPDX-License-Identifier: MIT */
/* The matrix of a coarse space, p^T (K - 1) p + 1, computed through (K - 1) p. */
#include <stdlib.h>
#include <string.h>

#include "author/modes/eigen/node_support.h"

#define IMAGE_ROW 24 /* initial estimate of the entries in a row of K p, per axis */
#define ROW_PARTS 16

typedef double corners __attribute__((vector_size(SN_CORNERS * sizeof(double))));

static int compare_numbers(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Grows the arrays for `added` more entries. Returns SN_ERROR_UNSUPPORTED without a message if 32-bit indices do not
 * suffice. */
static sn_result grow(sn_sparse *matrix, size_t filled, size_t added, size_t *capacity, sn_arena *arena)
{
    if (filled + added <= *capacity) {
        return SN_OK;
    }
    if (filled + added > INT32_MAX / 2) {
        return SN_ERROR_UNSUPPORTED;
    }
    const size_t new_capacity = filled > 0 ? 2 * (filled + added) : added;
    int32_t *rows = SN_NEW(arena, int32_t, new_capacity);
    double *values = SN_NEW(arena, double, new_capacity);
    if (!rows || !values) {
        return SN_ERROR_MEMORY;
    }
    if (filled > 0) {
        memcpy(rows, matrix->rows, filled * sizeof *rows);
        memcpy(values, matrix->values, filled * sizeof *values);
    }
    matrix->rows = rows;
    matrix->values = values;
    *capacity = new_capacity;
    return SN_OK;
}

/* The part of a row of (K - 1) p that comes from neighbours with the same nodes. */
typedef struct row_part {
    const int32_t *nodes; /* (SN_CORNERS) */
    corners sums;
} row_part;

/* Appends a part to the row that begins at `start`; entry_ends[node] is one past a node's entry if it is in this row.
 * Returns the row's new end. */
static uint32_t append_part(const row_part *part, uint32_t start, uint32_t end, uint32_t *entry_ends,
                            const sn_sparse *image)
{
    for (size_t c = 0; c < SN_CORNERS; ++c) {
        const int32_t node = part->nodes[c];
        if (part->sums[c] == 0) {
            continue;
        }
        if (entry_ends[node] <= start) {
            image->rows[end] = node;
            image->values[end++] = 0;
            entry_ends[node] = end;
        }
        image->values[entry_ends[node] - 1] += part->sums[c];
    }
    return end;
}

/* Row v of (K - 1) p. */
static void append_row(const sn_coarse_space *space, const sn_matrix_rows *k, size_t v, uint32_t *entry_ends,
                       const sn_sparse *image)
{
    const uint32_t start = (uint32_t)image->column_starts[v];
    uint32_t end = start;
    row_part parts[ROW_PARTS];
    size_t count = 0;
    for (size_t e = k->starts[v]; e < k->starts[v + 1]; ++e) {
        const size_t u = (size_t)k->columns[e];
        const int32_t *nodes = space->nodes + SN_CORNERS * u;
        corners weights;
        memcpy(&weights, space->weights + SN_CORNERS * u, sizeof weights);
        const corners products = (k->values[e] - (u == v ? 1 : 0)) * weights;
        size_t at = 0;
        while (at < count && memcmp(parts[at].nodes, nodes, SN_CORNERS * sizeof *nodes) != 0) {
            ++at;
        }
        if (at < count) {
            parts[at].sums += products;
            continue;
        }
        if (count == ROW_PARTS) {
            end = append_part(&parts[--count], start, end, entry_ends, image);
        }
        parts[count++] = (row_part){nodes, products};
    }
    for (size_t i = 0; i < count; ++i) {
        end = append_part(&parts[i], start, end, entry_ends, image);
    }
    image->column_starts[v + 1] = (int32_t)end;
}

/* image = (K - 1) p, stored by rows. */
static sn_result build_image(const sn_coarse_space *space, const sn_matrix_rows *k, sn_arena *arena, sn_sparse *image)
{
    uint32_t *entry_ends = SN_NEW(arena, uint32_t, space->coarse_size);
    size_t capacity = 0;
    *image = (sn_sparse){.size = (int)space->size, .column_starts = SN_NEW(arena, int32_t, space->size + 1)};
    SN_TRY(entry_ends && image->column_starts
               ? grow(image, 0, IMAGE_ROW * space->axis_count * space->size, &capacity, arena)
               : SN_ERROR_MEMORY);
    for (size_t v = 0; v < space->size; ++v) {
        const size_t max_entries = SN_CORNERS * (k->starts[v + 1] - k->starts[v]) + 1;
        SN_TRY(grow(image, (size_t)image->column_starts[v], max_entries, &capacity, arena));
        append_row(space, k, v, entry_ends, image);
    }
    return SN_OK;
}

/* Column j of the lower triangle: sums (coarse_size) and touched, its sorted rows; returns their number. */
static size_t gather_column(const sn_coarse_space *space, const sn_sparse *image, const sn_node_support *support,
                            int32_t j, double *sums, bool *is_touched, int32_t *touched)
{
    size_t count = 0;
    for (size_t r = support->starts[j]; r < support->starts[j + 1]; ++r) {
        const size_t entry = (size_t)support->vertices[r], v = entry / SN_CORNERS;
        for (int32_t e = image->column_starts[v]; e < image->column_starts[v + 1]; ++e) {
            const int32_t i = image->rows[e];
            if (i < j) {
                continue;
            }
            if (!is_touched[i]) {
                is_touched[i] = true;
                touched[count++] = i;
            }
            sums[i] += space->weights[entry] * image->values[e];
        }
    }
    qsort(touched, count, sizeof *touched, compare_numbers);
    return count;
}

sn_result sn_coarse_space_matrix(const sn_coarse_space *space, const sn_matrix_rows *k, sn_arena *arena,
                                 sn_sparse *matrix)
{
    sn_arena scratch = {0};
    sn_node_support support;
    sn_sparse image;
    double *sums = SN_NEW(&scratch, double, space->coarse_size);
    bool *is_touched = SN_NEW(&scratch, bool, space->coarse_size);
    int32_t *touched = SN_NEW(&scratch, int32_t, space->coarse_size);
    *matrix =
        (sn_sparse){.size = (int)space->coarse_size, .column_starts = SN_NEW(arena, int32_t, space->coarse_size + 1)};
    sn_result result = sums && is_touched && touched && matrix->column_starts
                           ? sn_node_support_list(space, space->coarse_size, &scratch, &support)
                           : SN_ERROR_MEMORY;
    result = result == SN_OK ? build_image(space, k, &scratch, &image) : result;
    size_t filled = 0, capacity = 0;
    for (int32_t j = 0; j < matrix->size && result == SN_OK; ++j) {
        const size_t count = gather_column(space, &image, &support, j, sums, is_touched, touched);
        result = grow(matrix, filled, count, &capacity, arena);
        for (size_t i = 0; i < count && result == SN_OK; ++i, ++filled) {
            matrix->rows[filled] = touched[i];
            matrix->values[filled] = sums[touched[i]] + (touched[i] == j ? 1 : 0);
            sums[touched[i]] = 0;
            is_touched[touched[i]] = false;
        }
        matrix->column_starts[j + 1] = (int32_t)filled;
    }
    if (result == SN_ERROR_UNSUPPORTED) { /* only from grow */
        matrix->size = 0;
        result = SN_OK;
    }
    sn_arena_finish(&scratch);
    return result;
}

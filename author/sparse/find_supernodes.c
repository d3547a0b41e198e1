/* SPDX-License-Identifier: MIT */
/* Supernodes of a Cholesky factor: runs of columns with one common pattern, merged with their parent while few explicit
 * zeros are stored (relaxed supernodes: Ashcraft and Grimes 1989, "The influence of relaxed supernode partitions on the
 * multifrontal method"; the limits are the defaults of Chen, Davis, Hager and Rajamanickam 2008, "Algorithm 887:
 * CHOLMOD"). The order of the unknowns is a postorder of the elimination tree (Liu 1990). */
#include "author/sparse/find_supernodes.h"

#include <stdlib.h>
#include <string.h>

#define NONE (-1)

/* Limits of a merge: any supernode of at most 4 columns; 80% zeros up to 16 columns; 10% up to 48; 5% above. */
static const struct {
    int columns;
    double zeros;
} limits[] = {{16, 0.8}, {48, 0.1}, {INT32_MAX, 0.05}};
#define ALWAYS_MERGED 4

/* The upper triangle of the permuted matrix as rows: row i holds the columns j < i of its lower triangle. */
typedef struct lower_rows {
    int32_t *starts, *columns;
} lower_rows;

static sn_result permute(const sn_sparse *matrix, const int32_t *order, sn_arena *arena, lower_rows *lower)
{
    const size_t n = (size_t)matrix->size;
    int32_t *rank = SN_NEW(arena, int32_t, n);
    lower->starts = SN_NEW(arena, int32_t, n + 2);
    lower->columns = SN_NEW(arena, int32_t, (size_t)matrix->column_starts[n]);
    if (!rank || !lower->starts || !lower->columns) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < n; ++i) {
        rank[order[i]] = (int32_t)i;
    }
    int32_t *ends = lower->starts + 1; /* where the next entry of each row goes; afterwards the start of the next row */
    memset(lower->starts, 0, (n + 2) * sizeof *lower->starts);
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t j = 0; j < matrix->size; ++j) {
            for (int32_t k = matrix->column_starts[j]; k < matrix->column_starts[j + 1]; ++k) {
                const int32_t a = rank[j], b = rank[matrix->rows[k]];
                const int32_t row = a > b ? a : b, column = a > b ? b : a;
                if (row != column && pass == 0) {
                    ++ends[row + 1];
                } else if (row != column) {
                    lower->columns[ends[row]++] = column;
                }
            }
        }
        for (size_t i = 0; i < n && pass == 0; ++i) {
            ends[i + 1] += ends[i];
        }
    }
    return SN_OK;
}

/* Liu's algorithm with path compression. */
static void find_parents(int size, const lower_rows *lower, int32_t *ancestors, int32_t *parents)
{
    for (int32_t i = 0; i < size; ++i) {
        parents[i] = ancestors[i] = NONE;
        for (int32_t k = lower->starts[i]; k < lower->starts[i + 1]; ++k) {
            int32_t j = lower->columns[k];
            while (j != NONE && j != i) {
                const int32_t next = ancestors[j];
                ancestors[j] = i;
                if (next == NONE) {
                    parents[j] = i;
                }
                j = next;
            }
        }
    }
}

/* Runs of columns with one pattern. Returns their number; starts (count + 1). */
static int find_fundamental(int size, const int32_t *parents, const int32_t *counts, int32_t *child_counts,
                            int32_t *starts)
{
    int count = 0;
    memset(child_counts, 0, (size_t)size * sizeof *child_counts);
    for (int32_t j = 0; j < size; ++j) {
        if (parents[j] != NONE) {
            ++child_counts[parents[j]];
        }
    }
    for (int32_t j = 0; j < size; ++j) {
        if (j == 0 || parents[j - 1] != j || counts[j - 1] != counts[j] + 1 || child_counts[j] > 1) {
            starts[count++] = j;
        }
    }
    starts[count] = size;
    return count;
}

typedef struct candidate {
    int32_t parent;        /* the supernode above, or NONE */
    int32_t merged;        /* the supernode that it has become a part of, or NONE */
    int32_t columns, rows; /* rows: those of its first column */
    double zeros;          /* explicit zeros that it stores */
} candidate;

static bool is_worth_merging(const candidate *lower, const candidate *upper, double *zeros)
{
    const int columns = lower->columns + upper->columns;
    const double new_zeros = (double)lower->columns * (upper->rows + lower->columns - lower->rows);
    const double size = (double)columns * (columns + 1) / 2 + (double)columns * (upper->rows - upper->columns);
    *zeros = upper->zeros;
    if (columns <= ALWAYS_MERGED || new_zeros == 0) { /* the zeros of such small supernodes are not counted */
        return true;
    }
    *zeros += new_zeros;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i) {
        if (columns <= limits[i].columns && *zeros / size < limits[i].zeros) {
            return size < (double)INT32_MAX / sizeof(double);
        }
    }
    return false;
}

/* Merges supernodes with the one above, from the last to the first; those that remain have merged == NONE. */
static void merge(int count, candidate *list)
{
    for (int s = count - 2; s >= 0; --s) {
        int32_t above = list[s].parent;
        while (above != NONE && list[above].merged != NONE) {
            above = list[above].merged;
        }
        double zeros = 0;
        if (above == s + 1 && is_worth_merging(&list[s], &list[s + 1], &zeros)) {
            list[s].zeros = zeros;
            list[s + 1].merged = s;
            list[s].rows = list[s].columns + list[s + 1].rows;
            list[s].columns += list[s + 1].columns;
        }
    }
}

/* The rows of every supernode, ascending, its own columns first: each row is entered into the supernodes on the paths
 * of the tree from the nonzeros of the matrix in that row up to the row itself. */
static void fill_rows(int size, const lower_rows *lower, const int32_t *of_column, const int32_t *above,
                      int32_t *visited, int32_t *ends, sn_supernode_list *list)
{
    for (int s = 0; s < list->count; ++s) {
        visited[s] = NONE;
        ends[s] = list->row_starts[s];
    }
    for (int32_t row = 0; row < size; ++row) {
        const int32_t own = of_column[row];
        list->rows[ends[own]++] = row;
        visited[own] = row;
        for (int32_t k = lower->starts[row]; k < lower->starts[row + 1]; ++k) {
            for (int32_t s = of_column[lower->columns[k]]; s != NONE && visited[s] != row; s = above[s]) {
                list->rows[ends[s]++] = row;
                visited[s] = row;
            }
        }
    }
}

sn_result sn_find_supernodes(const sn_sparse *matrix, const int32_t *order, const int32_t *counts, sn_arena *scratch,
                             sn_arena *arena, sn_supernode_list *list)
{
    const size_t n = (size_t)matrix->size;
    lower_rows lower;
    int32_t *parents = SN_NEW(scratch, int32_t, n), *work = SN_NEW(scratch, int32_t, n);
    int32_t *starts = SN_NEW(scratch, int32_t, n + 1), *of_column = SN_NEW(scratch, int32_t, n);
    if (!parents || !work || !starts || !of_column || permute(matrix, order, scratch, &lower) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    find_parents(matrix->size, &lower, work, parents);
    const int fundamental = find_fundamental(matrix->size, parents, counts, work, starts);
    candidate *candidates = SN_NEW(scratch, candidate, (size_t)fundamental);
    if (!candidates) {
        return SN_ERROR_MEMORY;
    }
    for (int s = 0; s < fundamental; ++s) {
        for (int32_t j = starts[s]; j < starts[s + 1]; ++j) {
            of_column[j] = s;
        }
    }
    for (int s = 0; s < fundamental; ++s) {
        const int32_t above = parents[starts[s + 1] - 1];
        candidates[s] = (candidate){.parent = above == NONE ? NONE : of_column[above],
                                    .merged = NONE,
                                    .columns = starts[s + 1] - starts[s],
                                    .rows = counts[starts[s]]};
    }
    merge(fundamental, candidates);

    list->count = 0;
    for (int s = 0; s < fundamental; ++s) {
        list->count += candidates[s].merged == NONE;
    }
    const size_t count = (size_t)list->count;
    int32_t *above = SN_NEW(scratch, int32_t, count), *visited = SN_NEW(scratch, int32_t, count);
    int32_t *ends = SN_NEW(scratch, int32_t, count);
    list->first_columns = SN_NEW(arena, int32_t, count + 1);
    list->row_starts = SN_NEW(arena, int32_t, count + 1);
    if (!above || !visited || !ends || !list->first_columns || !list->row_starts) {
        return SN_ERROR_MEMORY;
    }
    double row_count = 0;
    for (int s = 0, kept = 0; s < fundamental; ++s) {
        if (candidates[s].merged == NONE) {
            list->first_columns[kept] = starts[s];
            list->row_starts[kept++] = (int32_t)row_count;
            row_count += candidates[s].rows;
        }
    }
    if (row_count > INT32_MAX) {
        return SN_ERROR_UNSUPPORTED;
    }
    list->first_columns[count] = matrix->size;
    list->row_starts[count] = (int32_t)row_count;
    list->rows = SN_NEW(arena, int32_t, (size_t)row_count);
    if (!list->rows) {
        return SN_ERROR_MEMORY;
    }
    for (int s = 0; s < list->count; ++s) {
        for (int32_t j = list->first_columns[s]; j < list->first_columns[s + 1]; ++j) {
            of_column[j] = s;
        }
    }
    for (int s = 0; s < list->count; ++s) {
        const int32_t parent = parents[list->first_columns[s + 1] - 1];
        above[s] = parent == NONE ? NONE : of_column[parent];
    }
    fill_rows(matrix->size, &lower, of_column, above, visited, ends, list);
    return SN_OK;
}

/* SPDX-License-Identifier: MIT */
/* Cotangent Laplacian of a tetrahedral mesh, assembled column by column from the tets around each vertex: the sums run
 * in the order of the tets, so that the bits depend on nothing else. */
#include "author/sparse/laplacian.h"

#include "host/math/vec3.h"

/* The corners of tets at each vertex, ascending: 4 t + k is corner k of tet t. */
typedef struct star_list {
    size_t *starts;   /* (vertex_count + 1) */
    int32_t *corners; /* (4 tet_count) */
} star_list;

static sn_result build_stars(const sn_tet_mesh *mesh, sn_arena *scratch, star_list *stars)
{
    const size_t vertex_count = (size_t)mesh->vertex_count, corner_count = 4 * (size_t)mesh->tet_count;
    if (corner_count > INT32_MAX) {
        return sn_fail_within(SN_ERROR_UNSUPPORTED, "a Laplacian of %d tets is too large", mesh->tet_count);
    }
    stars->starts = SN_NEW(scratch, size_t, vertex_count + 1);
    stars->corners = SN_NEW(scratch, int32_t, corner_count);
    size_t *next = SN_NEW(scratch, size_t, vertex_count);
    if (!stars->starts || !stars->corners || !next) {
        return SN_ERROR_MEMORY;
    }
    for (size_t c = 0; c < corner_count; c++) {
        stars->starts[mesh->tets[c] + 1]++;
    }
    for (size_t v = 0; v < vertex_count; v++) {
        stars->starts[v + 1] += stars->starts[v];
        next[v] = stars->starts[v];
    }
    for (size_t c = 0; c < corner_count; c++) {
        stars->corners[next[mesh->tets[c]]++] = (int32_t)c;
    }
    return SN_OK;
}

typedef struct element_list {
    const sn_tet_mesh *mesh;
    const double *gradients, *volumes, *scale;
} element_list;

/* Rows from `column` on that share a tet with it. seen[v] == column + 1 marks a row as counted. Rows before the column
 * are marked as well, here and below: nothing looks at them again, and no branch has to be foreseen. */
static size_t count_rows(const sn_tet_mesh *mesh, const star_list *stars, int column, int32_t *seen)
{
    size_t count = 1;
    for (size_t s = stars->starts[column]; s < stars->starts[column + 1]; s++) {
        const int32_t *v = mesh->tets + (stars->corners[s] & ~3);
        for (size_t k = 0; k < 4; k++) {
            count += (size_t)(v[k] > column) & (size_t)(seen[v[k]] != column + 1);
            seen[v[k]] = column + 1;
        }
    }
    return count;
}

static sn_result count_columns(const sn_tet_mesh *mesh, const star_list *stars, int32_t *seen, int32_t *column_starts)
{
    size_t total = 0;
    for (int column = 0; column < mesh->vertex_count; column++) {
        total += count_rows(mesh, stars, column, seen);
        if (total > INT32_MAX) {
            return sn_fail_within(SN_ERROR_UNSUPPORTED, "a Laplacian of %d vertices is too large", mesh->vertex_count);
        }
        column_starts[column + 1] = (int32_t)total;
    }
    return SN_OK;
}

/* Adds scale V grad_column . grad_row of the tets around `column` to sums[row], and lists the rows: one more may be
 * written than there are. */
static size_t add_column(const element_list *elements, const star_list *stars, int column, int32_t *seen, double *sums,
                         int32_t *rows)
{
    size_t count = 0;
    rows[count++] = column;
    seen[column] = column + 1;
    for (size_t s = stars->starts[column]; s < stars->starts[column + 1]; s++) {
        const size_t t = (size_t)stars->corners[s] / 4;
        const int32_t *v = elements->mesh->tets + 4 * t;
        const double *g = elements->gradients + 12 * t, *own = g + 3 * (stars->corners[s] & 3);
        const double weight = elements->volumes[t] * (elements->scale ? elements->scale[t] : 1);
        for (size_t k = 0; k < 4; k++) {
            sums[v[k]] += weight * sn_dot3(own, g + 3 * k);
            rows[count] = v[k];
            count += (size_t)(v[k] > column) & (size_t)(seen[v[k]] != column + 1);
            seen[v[k]] = column + 1;
        }
    }
    return count;
}

static void sort_ascending(size_t count, int32_t *values)
{
    for (size_t i = 1; i < count; i++) {
        const int32_t value = values[i];
        size_t place = i;
        for (; place > 0 && values[place - 1] > value; place--) {
            values[place] = values[place - 1];
        }
        values[place] = value;
    }
}

static void fill_columns(const element_list *elements, const star_list *stars, int32_t *seen, double *sums,
                         const sn_sparse *laplacian)
{
    for (int column = 0; column < laplacian->size; column++) {
        const size_t start = (size_t)laplacian->column_starts[column];
        const size_t count = add_column(elements, stars, column, seen, sums, laplacian->rows + start);
        sort_ascending(count, laplacian->rows + start);
        for (size_t i = start; i < start + count; i++) {
            laplacian->values[i] = sums[laplacian->rows[i]];
            sums[laplacian->rows[i]] = 0;
        }
    }
}

static sn_result assemble(const element_list *elements, sn_arena *scratch, sn_arena *arena, sn_sparse *laplacian)
{
    const size_t vertex_count = (size_t)elements->mesh->vertex_count;
    star_list stars = {0};
    int32_t *seen = SN_NEW(scratch, int32_t, vertex_count);
    double *sums = SN_NEW(scratch, double, vertex_count);
    laplacian->size = elements->mesh->vertex_count;
    laplacian->column_starts = SN_NEW(arena, int32_t, vertex_count + 1);
    if (!seen || !sums || !laplacian->column_starts) {
        return SN_ERROR_MEMORY;
    }
    sn_result result = build_stars(elements->mesh, scratch, &stars);
    if (result == SN_OK) {
        result = count_columns(elements->mesh, &stars, seen, laplacian->column_starts);
    }
    if (result != SN_OK) {
        return result;
    }
    const size_t total = (size_t)laplacian->column_starts[vertex_count];
    laplacian->rows = SN_NEW(arena, int32_t, total + 1);
    laplacian->values = SN_NEW(arena, double, total);
    if (!laplacian->rows || !laplacian->values) {
        return SN_ERROR_MEMORY;
    }
    for (size_t v = 0; v < vertex_count; v++) {
        seen[v] = 0;
    }
    fill_columns(elements, &stars, seen, sums, laplacian);
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
            laplacian->values[laplacian->column_starts[v]] += shift[v]; /* the diagonal leads its column */
        }
    }
    return result;
}

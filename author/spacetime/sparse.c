/* SPDX-License-Identifier: MIT */
/* The spacetime system as one sparse matrix with a Cholesky factorization. Unknowns are ordered by vertex, so that each
 * pair of vertices is a dense block. The sparsity pattern is that of L N L: vertices at most two edges apart. */
#include <string.h>

#include "author/spacetime/solver.h"

struct sn_spacetime_sparse {
    int vertex_count, function_count, unknown_count;
    int32_t *unknowns; /* (vertex_count x function_count) or -1 */
    sn_factor *factor;
    sn_arena arena;
};

/* Both triangles of L, by rows. */
typedef struct rows {
    int32_t *starts, *columns;
    double *values;
} rows;

static sn_result mirror(const sn_sparse *lower, sn_arena *arena, rows *full)
{
    const int n = lower->size;
    const int32_t filled = lower->column_starts[n];
    *full = (rows){.starts = SN_NEW(arena, int32_t, n + 1),
                   .columns = SN_NEW(arena, int32_t, 2 * (size_t)filled),
                   .values = SN_NEW(arena, double, 2 * (size_t)filled)};
    int32_t *next_entries = SN_NEW(arena, int32_t, n + 1);
    if (!full->starts || !full->columns || !full->values || !next_entries) {
        return SN_ERROR_MEMORY;
    }
    for (int column = 0; column < n; ++column) {
        for (int32_t i = lower->column_starts[column]; i < lower->column_starts[column + 1]; ++i) {
            ++next_entries[lower->rows[i] + 1];
            next_entries[column + 1] += lower->rows[i] != column;
        }
    }
    for (int row = 0; row < n; ++row) {
        next_entries[row + 1] += next_entries[row];
    }
    memcpy(full->starts, next_entries, ((size_t)n + 1) * sizeof *next_entries);
    for (int column = 0; column < n; ++column) {
        for (int32_t i = lower->column_starts[column]; i < lower->column_starts[column + 1]; ++i) {
            const int32_t row = lower->rows[i];
            full->columns[next_entries[row]] = column;
            full->values[next_entries[row]++] = lower->values[i];
            if (row != column) {
                full->columns[next_entries[column]] = row;
                full->values[next_entries[column]++] = lower->values[i];
            }
        }
    }
    return SN_OK;
}

/* A column over vertices: L N L, L and the diagonal, from the current vertex on. */
typedef struct column {
    int count;
    int32_t *vertices; /* ascending */
    double *stiff, *square;
    bool *is_visited;
} column;

static void add_vertex(column *c, int32_t vertex, int32_t first)
{
    if (vertex >= first && !c->is_visited[vertex]) {
        int at = c->count++;
        c->is_visited[vertex] = true;
        for (; at > 0 && c->vertices[at - 1] > vertex; --at) {
            c->vertices[at] = c->vertices[at - 1];
        }
        c->vertices[at] = vertex;
    }
}

static void fill_column(const sn_spacetime_system *s, const rows *l, int32_t u, column *c)
{
    c->count = 0;
    for (int32_t i = l->starts[u]; i < l->starts[u + 1]; ++i) {
        const int32_t mid = l->columns[i];
        add_vertex(c, mid, u);
        c->stiff[mid] = l->values[i];
        for (int32_t k = l->starts[mid]; k < l->starts[mid + 1]; ++k) {
            add_vertex(c, l->columns[k], u);
            c->square[l->columns[k]] += l->values[i] * s->norm[mid] * l->values[k];
        }
    }
}

static void clear_column(const rows *l, int32_t u, column *c)
{
    for (int32_t i = l->starts[u]; i < l->starts[u + 1]; ++i) {
        const int32_t mid = l->columns[i];
        c->stiff[mid] = 0;
        c->is_visited[mid] = false;
        for (int32_t k = l->starts[mid]; k < l->starts[mid + 1]; ++k) {
            c->square[l->columns[k]] = 0;
            c->is_visited[l->columns[k]] = false;
        }
    }
}

/* Returns the entry of (vertex v, function j) and (vertex u, function i). */
static double entry(const sn_spacetime_system *s, const column *c, int32_t v, int j, int32_t u, int i)
{
    const int count = s->function_count;
    const double *m = s->mass, *norm = s->norm;
    double value = s->p1[j * count + i] * m[v] * norm[v] * c->stiff[v] +
                   s->p1[i * count + j] * c->stiff[v] * norm[u] * m[u] + s->p2[j * count + i] * c->square[v];
    if (v == u) {
        value += s->p0[j * count + i] * m[v] * norm[v] * m[v] + s->regularisation * s->p2[j * count + i] * m[v];
    }
    return value;
}

/* Writes the columns of one vertex's unknowns below the diagonal. Only counts entries if `values` is null. */
static void write_column(const sn_spacetime_system *s, const sn_spacetime_sparse *sparse, const column *c, int32_t u,
                         sn_sparse *matrix, size_t *filled)
{
    const int count = s->function_count;
    for (int i = 0; i < count; ++i) {
        const int32_t to = sparse->unknowns[u * count + i];
        for (int k = 0; k < c->count && to >= 0; ++k) {
            for (int j = 0; j < count; ++j) {
                const int32_t from = sparse->unknowns[c->vertices[k] * count + j];
                if (from >= to && matrix->values) {
                    matrix->rows[*filled] = from;
                    matrix->values[*filled] = entry(s, c, c->vertices[k], j, u, i);
                }
                *filled += from >= to;
            }
        }
        if (to >= 0 && matrix->values) {
            matrix->column_starts[to + 1] = (int32_t)*filled;
        }
    }
}

static size_t build_columns(const sn_spacetime_system *s, const sn_spacetime_sparse *sparse, const rows *l, column *c,
                            sn_sparse *matrix)
{
    size_t filled = 0;
    for (int32_t u = 0; u < s->vertex_count; ++u) {
        fill_column(s, l, u, c);
        write_column(s, sparse, c, u, matrix, &filled);
        clear_column(l, u, c);
    }
    return filled;
}

static sn_result build_matrix(const sn_spacetime_system *s, const sn_spacetime_sparse *sparse, sn_arena *arena,
                              sn_sparse *matrix)
{
    const size_t n = (size_t)s->vertex_count;
    column c = {.vertices = SN_NEW(arena, int32_t, n),
                .stiff = SN_NEW(arena, double, n),
                .square = SN_NEW(arena, double, n),
                .is_visited = SN_NEW(arena, bool, n)};
    rows l;
    *matrix = (sn_sparse){.size = sparse->unknown_count};
    if (!c.vertices || !c.stiff || !c.square || !c.is_visited || mirror(s->stiffness, arena, &l) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    const size_t filled = build_columns(s, sparse, &l, &c, matrix);
    if (filled > INT32_MAX) {
        return sn_fail_within(SN_ERROR_UNSUPPORTED,
                              "a spacetime system of %d unknowns is too large; use fewer keys or a coarser mesh",
                              sparse->unknown_count);
    }
    matrix->column_starts = SN_NEW(arena, int32_t, (size_t)matrix->size + 1);
    matrix->rows = SN_NEW(arena, int32_t, filled);
    matrix->values = SN_NEW(arena, double, filled);
    if (!matrix->column_starts || !matrix->rows || !matrix->values) {
        return SN_ERROR_MEMORY;
    }
    build_columns(s, sparse, &l, &c, matrix);
    return SN_OK;
}

static sn_result number_unknowns(const sn_spacetime_system *s, sn_spacetime_sparse *sparse)
{
    const int count = s->function_count;
    sparse->unknowns = SN_NEW(&sparse->arena, int32_t, (size_t)s->vertex_count * (size_t)count);
    if (!sparse->unknowns) {
        return SN_ERROR_MEMORY;
    }
    for (int v = 0; v < s->vertex_count; ++v) {
        for (int j = 0; j < count; ++j) {
            const bool is_free = s->is_free[(size_t)j * (size_t)s->vertex_count + (size_t)v];
            sparse->unknowns[v * count + j] = is_free ? sparse->unknown_count++ : -1;
        }
    }
    return SN_OK;
}

sn_result sn_spacetime_sparse_create(const sn_spacetime_system *system, sn_spacetime_sparse **created)
{
    sn_arena scratch = {0};
    sn_sparse matrix;
    sn_spacetime_sparse *sparse = sn_alloc(1, sizeof *sparse);
    sn_result result = SN_ERROR_MEMORY;
    if (sparse) {
        sparse->vertex_count = system->vertex_count;
        sparse->function_count = system->function_count;
        result = number_unknowns(system, sparse);
    }
    if (result == SN_OK) {
        result = build_matrix(system, sparse, &scratch, &matrix);
    }
    if (result == SN_OK && sparse->unknown_count > 0) {
        result = sn_factor_create(&matrix, "the spacetime system", &sparse->factor);
    }
    sn_arena_finish(&scratch);
    if (result != SN_OK) {
        sn_spacetime_sparse_destroy(&sparse);
    }
    *created = sparse;
    return result;
}

double sn_spacetime_sparse_bytes(const sn_spacetime_sparse *sparse)
{
    return sparse->factor ? (double)sizeof(double) * (double)sn_factor_value_count(sparse->factor) : 0;
}

void sn_spacetime_sparse_destroy(sn_spacetime_sparse **sparse)
{
    if (*sparse) {
        sn_factor_destroy(&(*sparse)->factor);
        sn_arena_finish(&(*sparse)->arena);
        sn_free(*sparse, 1, sizeof **sparse);
        *sparse = NULL;
    }
}

sn_result sn_spacetime_sparse_solve(const sn_spacetime_sparse *s, int column_count, double *columns)
{
    const size_t n = (size_t)s->vertex_count, count = (size_t)s->function_count;
    const size_t unknowns = (size_t)s->unknown_count, size = n * count;
    sn_arena scratch = {0};
    double *x = SN_NEW(&scratch, double, (size_t)column_count *unknowns);
    sn_result result = x ? SN_OK : SN_ERROR_MEMORY;
    for (size_t c = 0; c < (size_t)column_count && result == SN_OK; ++c) {
        for (size_t i = 0; i < size; ++i) {
            const int32_t at = s->unknowns[i % n * count + i / n];
            if (at >= 0) {
                x[c * unknowns + (size_t)at] = columns[c * size + i];
            }
        }
    }
    if (result == SN_OK && unknowns > 0) {
        result = sn_factor_solve(s->factor, column_count, x);
    }
    for (size_t c = 0; c < (size_t)column_count && result == SN_OK; ++c) {
        for (size_t i = 0; i < size; ++i) {
            const int32_t at = s->unknowns[i % n * count + i / n];
            columns[c * size + i] = at >= 0 ? x[c * unknowns + (size_t)at] : 0;
        }
    }
    sn_arena_finish(&scratch);
    return result;
}

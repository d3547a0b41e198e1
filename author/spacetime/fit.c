/* SPDX-License-Identifier: MIT */
/* Iterates (L + s B^T B) x = J p(x) + s B^T y for eight shapes at once. B contains the surface's weights. */
#include "author/spacetime/fit.h"

#include <math.h>
#include <string.h>

#include "author/sparse/laplacian.h"

#define LANES SN_SPACETIME_LANES
#define STIFFNESS 1000.0
#define ITERATION_LIMIT 60

typedef struct fitting {
    sn_spacetime_elastic elastic;
    const sn_tet_mesh *mesh;
    const sn_spacetime_surface *surface;
    sn_sparse stiffness;
    sn_factor *factor;
    double spring;
    double *x, *forces; /* (vertex_count x 3 x LANES) */
    double *pull;       /* (3 x vertex_count x LANES) s B^T y */
    double *right;      /* (3 LANES x vertex_count) */
    double *product;    /* (vertex_count) */
} fitting;

/* s B^T B by columns, with one entry for each pair of a surface vertex's corners. */
typedef struct springs {
    int32_t *starts; /* (vertex_count + 2) shifted by one column while entries are filled */
    int32_t *rows;
    double *values;
} springs;

#define PAIRS 10 /* pairs of four corners, with repetition */

/* Counts entries if `rows` is null, otherwise fills them. */
static void add_pairs(const fitting *f, springs *s)
{
    for (size_t i = 0; i < (size_t)f->surface->vertex_count; ++i) {
        const int32_t *corners = f->surface->corners + 4 * i;
        const double *weights = f->surface->weights + 4 * i;
        for (int k = 0; k < PAIRS; ++k) {
            static const int firsts[PAIRS] = {0, 1, 2, 3, 0, 0, 0, 1, 1, 2},
                             seconds[PAIRS] = {0, 1, 2, 3, 1, 2, 3, 2, 3, 3};
            const int a = firsts[k], b = seconds[k];
            const int32_t u = corners[a], v = corners[b], low = u < v ? u : v;
            if (!s->rows) {
                ++s->starts[low + 2];
                continue;
            }
            const double multiplicity = u == v && a != b ? 2 : 1;
            s->rows[s->starts[low + 1]] = u + v - low;
            s->values[s->starts[low + 1]++] = multiplicity * f->spring * weights[a] * weights[b];
        }
    }
}

static sn_result list_springs(const fitting *f, sn_arena *arena, springs *s)
{
    const size_t n = (size_t)f->elastic.vertex_count, count = PAIRS * (size_t)f->surface->vertex_count;
    *s = (springs){.starts = SN_NEW(arena, int32_t, n + 2)};
    if (!s->starts) {
        return SN_ERROR_MEMORY;
    }
    add_pairs(f, s);
    for (size_t v = 1; v <= n; ++v) {
        s->starts[v + 1] += s->starts[v];
    }
    s->rows = SN_NEW(arena, int32_t, count);
    s->values = SN_NEW(arena, double, count);
    if (!s->rows || !s->values) {
        return SN_ERROR_MEMORY;
    }
    add_pairs(f, s);
    return SN_OK;
}

/* Writes a column of the sum with ascending rows. Returns the start of the next column. `dense` and `marks` are (size).
 */
static size_t add_column(const sn_sparse *l, const springs *s, int column, size_t first, double *dense, int32_t *marks,
                         sn_sparse *sum)
{
    size_t filled = first;
    for (int32_t i = l->column_starts[column]; i < l->column_starts[column + 1]; ++i) {
        dense[l->rows[i]] = l->values[i];
        marks[l->rows[i]] = column;
        sum->rows[filled++] = l->rows[i];
    }
    for (int32_t i = s->starts[column]; i < s->starts[column + 1]; ++i) {
        const int32_t row = s->rows[i];
        if (marks[row] != column) {
            size_t at = filled++;
            marks[row] = column;
            dense[row] = 0;
            for (; at > first && sum->rows[at - 1] > row; --at) {
                sum->rows[at] = sum->rows[at - 1];
            }
            sum->rows[at] = row;
        }
        dense[row] += s->values[i];
    }
    for (size_t i = first; i < filled; ++i) {
        sum->values[i] = dense[sum->rows[i]];
    }
    return filled;
}

/* Builds the sum of L and the springs. */
static sn_result build_matrix(const fitting *f, sn_arena *arena, sn_sparse *sum)
{
    const size_t n = (size_t)f->elastic.vertex_count;
    const size_t capacity = (size_t)f->stiffness.column_starts[n] + PAIRS * (size_t)f->surface->vertex_count;
    springs s;
    if (capacity > INT32_MAX) {
        return sn_fail_within(SN_ERROR_UNSUPPORTED, "a surface of %d vertices is too large to fit; use fewer vertices",
                              f->surface->vertex_count);
    }
    int32_t *marks = SN_NEW(arena, int32_t, n);
    double *dense = SN_NEW(arena, double, n);
    *sum = (sn_sparse){.size = (int)n,
                       .column_starts = SN_NEW(arena, int32_t, n + 1),
                       .rows = SN_NEW(arena, int32_t, capacity),
                       .values = SN_NEW(arena, double, capacity)};
    if (!marks || !dense || !sum->column_starts || !sum->rows || !sum->values || list_springs(f, arena, &s) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    memset(marks, -1, n * sizeof *marks);
    for (int column = 0; column < (int)n; ++column) {
        const size_t first = (size_t)sum->column_starts[column];
        sum->column_starts[column + 1] = (int32_t)add_column(&f->stiffness, &s, column, first, dense, marks, sum);
    }
    return SN_OK;
}

/* Returns STIFFNESS times the mean diagonal of L, scaled by the ratio of mesh vertices to surface vertices. */
static double choose_spring(const fitting *f)
{
    double sum = 0;
    for (int v = 0; v < f->elastic.vertex_count; ++v) {
        sum += f->stiffness.values[f->stiffness.column_starts[v]];
    }
    return STIFFNESS * sum / f->surface->vertex_count;
}

static sn_result init_fitting(fitting *f, const sn_tet_mesh *mesh, const sn_spacetime_material *material,
                              sn_arena *arena)
{
    const size_t size = 3 * LANES * (size_t)mesh->vertex_count;
    sn_sparse matrix;
    sn_result result = sn_spacetime_elastic_build(mesh, material, arena, &f->elastic);
    f->mesh = mesh;
    if (result == SN_OK) {
        result = sn_laplacian_build(mesh, f->elastic.gradients, f->elastic.weights, NULL, NULL, arena, &f->stiffness);
    }
    if (result == SN_OK) {
        f->spring = choose_spring(f);
        f->x = SN_NEW(arena, double, size);
        f->forces = SN_NEW(arena, double, size);
        f->pull = SN_NEW(arena, double, size);
        f->right = SN_NEW(arena, double, size);
        f->product = SN_NEW(arena, double, mesh->vertex_count);
        const bool is_ok = f->x && f->forces && f->pull && f->right && f->product;
        result = is_ok ? build_matrix(f, arena, &matrix) : SN_ERROR_MEMORY;
    }
    return result == SN_OK ? sn_factor_create(&matrix, "the fit of a surface", &f->factor) : result;
}

/* Loads a block of shapes, starting at rest. Unused lanes repeat the last shape. */
static void set_shapes(fitting *f, int count, const double *const *shapes)
{
    const size_t n = (size_t)f->elastic.vertex_count;
    memset(f->pull, 0, 3 * LANES * n * sizeof *f->pull);
    for (int lane = 0; lane < LANES; ++lane) {
        const double *shape = shapes[lane < count ? lane : count - 1];
        for (size_t i = 0; i < 3 * n; ++i) {
            f->x[i * LANES + (size_t)lane] = f->mesh->positions[i];
        }
        for (size_t i = 0; i < 4 * (size_t)f->surface->vertex_count; ++i) {
            for (size_t d = 0; d < 3; ++d) {
                f->pull[(3 * (size_t)lane + d) * n + (size_t)f->surface->corners[i]] +=
                    f->spring * f->surface->weights[i] * shape[i / 4 * 3 + d];
            }
        }
    }
}

/* J p = L x - forces */
static sn_result iterate(fitting *f)
{
    const size_t n = (size_t)f->elastic.vertex_count;
    sn_spacetime_elastic_forces(&f->elastic, f->x, f->forces);
    for (size_t column = 0; column < 3 * LANES; ++column) {
        const size_t lane = column / 3, d = column % 3;
        double *right = f->right + column * n;
        for (size_t v = 0; v < n; ++v) {
            right[v] = f->x[(3 * v + d) * LANES + lane];
        }
        sn_sparse_multiply(&f->stiffness, right, f->product);
        for (size_t v = 0; v < n; ++v) {
            right[v] = f->product[v] - f->forces[(3 * v + d) * LANES + lane] + f->pull[column * n + v];
        }
    }
    SN_TRY(sn_factor_solve(f->factor, 3 * LANES, f->right));
    for (size_t i = 0; i < 3 * LANES * n; ++i) {
        const size_t column = i / n, v = i % n;
        f->x[(3 * v + column % 3) * LANES + column / 3] = f->right[i];
    }
    return SN_OK;
}

static sn_result read_shapes(const fitting *f, int count, const double *const *shapes, double *const *positions,
                             double *max_distance)
{
    const size_t n = (size_t)f->elastic.vertex_count, points = (size_t)f->surface->vertex_count;
    double *surface_positions = sn_alloc(points, 3 * sizeof *surface_positions);
    for (int lane = 0; lane < count && surface_positions; ++lane) {
        for (size_t i = 0; i < 3 * n; ++i) {
            positions[lane][i] = f->x[i * LANES + (size_t)lane];
        }
        sn_spacetime_surface_positions(f->surface, positions[lane], surface_positions);
        for (size_t i = 0; i < points; ++i) {
            const double *a = surface_positions + 3 * i, *b = shapes[lane] + 3 * i;
            *max_distance = fmax(*max_distance, hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]));
        }
    }
    sn_free(surface_positions, points, 3 * sizeof *surface_positions);
    return surface_positions ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_spacetime_fit(const sn_tet_mesh *mesh, const sn_spacetime_material *material,
                           const sn_spacetime_surface *surface, int count, const double *const *shapes,
                           double *const *positions, double *error)
{
    sn_arena scratch = {0};
    fitting f = {.surface = surface};
    double low[3], high[3];
    sn_result result = init_fitting(&f, mesh, material, &scratch);
    *error = 0;
    for (int first = 0; first < count && result == SN_OK; first += LANES) {
        const int shape_count = count - first < LANES ? count - first : LANES;
        set_shapes(&f, shape_count, shapes + first);
        for (int i = 0; i < ITERATION_LIMIT && result == SN_OK; ++i) {
            result = iterate(&f);
        }
        if (result == SN_OK) {
            result = read_shapes(&f, shape_count, shapes + first, positions + first, error);
        }
    }
    *error /= sn_tet_mesh_box(mesh, low, high);
    sn_factor_destroy(&f.factor);
    sn_arena_finish(&scratch);
    return result;
}

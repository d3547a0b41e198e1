/* SPDX-License-Identifier: MIT */
/* Interpolates modes to the vertices between curves by harmonic functions of the cotangent Laplacian. Its weights are
 * clamped to positive values, so that each vertex is an average of the curves around it. Points that are vertices fix
 * their values; a point on an edge constrains the mean of its ends by a stiff spring. Components without curves get 0,
 * so their displacement is entirely in mode 0. */
#include <math.h>
#include <string.h>

#include "author/fourier/fourier_fit.h"
#include "author/fourier/topology.h"
#include "host/math/vec3.h"

#define SPRING 1e3 /* relative to the mean diagonal */
/* Bounds of the dimensionless cotangent weights, which are 0.577 between equilateral triangles. */
#define MIN_WEIGHT 0.05
#define MAX_WEIGHT 20.0
#define SHIFT 1e-9 /* relative to the mean diagonal; regularizes components without a curve */

struct sn_fourier_spread {
    const sn_fourier_curves *curves;
    int unknown_count;
    int32_t *unknowns; /* (vertex_count) index of the unknown, or -1 for vertices on curves */
    int32_t *edges;    /* (edge_count x 2) */
    double *weights;   /* (edge_count) */
    int edge_count;
    double spring;
    double *known;     /* (vertex_count x 3) known values of one mode, averaged over the points at a vertex */
    int32_t *counts;   /* (vertex_count) number of points at each vertex */
    double *solutions; /* (unknown_count x 3) column-major */
    double *modes;     /* (harmonic_count + 1) x 3 modes of a point */
    sn_factor *factor; /* null: no unknowns */
    sn_arena arena;
};

static double find_cotangent(const sn_tri_mesh *mesh, int32_t face, int32_t a, int32_t b)
{
    const int32_t *t = mesh->triangles + 3 * (size_t)face;
    const int32_t c = t[0] != a && t[0] != b ? t[0] : t[1] != a && t[1] != b ? t[1] : t[2];
    double u[3], v[3], across[3];
    sn_subtract3(mesh->positions + 3 * (size_t)a, mesh->positions + 3 * (size_t)c, u);
    sn_subtract3(mesh->positions + 3 * (size_t)b, mesh->positions + 3 * (size_t)c, v);
    sn_cross3(u, v, across);
    const double sine = sn_length3(across);
    return sine > 0 ? sn_dot3(u, v) / sine : 0;
}

static void compute_edge_weights(sn_fourier_spread *s, const sn_fit_topology *t)
{
    for (int e = 0; e < t->edge_count; ++e) {
        double sum = 0;
        for (int i = t->face_starts[e]; i < t->face_starts[e + 1]; ++i) {
            sum += find_cotangent(t->mesh, t->faces[i], t->edges[2 * e], t->edges[2 * e + 1]) / 2;
        }
        const bool is_point = t->edges[2 * e] == t->edges[2 * e + 1];
        s->weights[e] = is_point ? 0 : fmin(fmax(sum, MIN_WEIGHT), MAX_WEIGHT);
    }
}

static bool is_vertex(const sn_fourier_point *point)
{
    return point->vertices[0] == point->vertices[1];
}

static void number_unknowns(sn_fourier_spread *s)
{
    for (int i = 0; i < s->curves->point_count; ++i) {
        if (is_vertex(&s->curves->points[i])) {
            ++s->counts[s->curves->points[i].vertices[0]];
        }
    }
    for (int v = 0; v < s->curves->mesh.vertex_count; ++v) {
        s->unknowns[v] = s->counts[v] > 0 ? -1 : s->unknown_count++;
    }
}

/* A matrix during assembly. */
typedef struct assembly {
    sn_sparse matrix;
    int32_t *slots; /* (edge_count) entry of each edge between two unknowns */
    double mean;
} assembly;

/* Edges are sorted by lower, then higher vertex, so rows are ascending in each column. */
static sn_result assemble_laplacian(sn_fourier_spread *s, sn_arena *arena, assembly *a)
{
    sn_sparse *m = &a->matrix;
    const size_t capacity = (size_t)s->unknown_count + (size_t)s->edge_count;
    *m = (sn_sparse){.size = s->unknown_count,
                     .column_starts = SN_NEW(arena, int32_t, s->unknown_count + 1),
                     .rows = SN_NEW(arena, int32_t, capacity),
                     .values = SN_NEW(arena, double, capacity)};
    a->slots = SN_NEW(arena, int32_t, s->edge_count);
    if (!m->column_starts || !m->rows || !m->values || !a->slots) {
        return SN_ERROR_MEMORY;
    }
    for (int e = 0; e < s->edge_count; ++e) {
        const int32_t u = s->unknowns[s->edges[2 * e]], v = s->unknowns[s->edges[2 * e + 1]];
        m->column_starts[u + 1] += u >= 0 && v > u;
    }
    m->column_starts[0] = 0;
    for (int u = 0; u < s->unknown_count; ++u) {
        m->column_starts[u + 1] += m->column_starts[u] + 1;
        m->rows[m->column_starts[u]] = u;
    }
    int32_t column = -1, at = 0;
    for (int e = 0; e < s->edge_count; ++e) {
        const int32_t u = s->unknowns[s->edges[2 * e]], v = s->unknowns[s->edges[2 * e + 1]];
        if (u >= 0 && v > u) {
            at = u == column ? at + 1 : m->column_starts[u] + 1;
            column = u;
            a->slots[e] = at;
            m->rows[at] = v;
            m->values[at] = -s->weights[e];
        }
        for (int k = 0; k < 2; ++k) {
            const int32_t own = k ? v : u;
            if (own >= 0) {
                m->values[m->column_starts[own]] += s->weights[e];
                a->mean += s->weights[e] / s->unknown_count;
            }
        }
    }
    return SN_OK;
}

static int32_t find_edge(const sn_fourier_spread *s, const int32_t *vertices)
{
    int32_t low = 0, high = s->edge_count;
    const int32_t a = vertices[0], b = vertices[1];
    while (high - low > 1) {
        const int32_t mid = low + (high - low) / 2, *edge = s->edges + 2 * (size_t)mid;
        if (edge[0] < a || (edge[0] == a && edge[1] <= b)) {
            low = mid;
        } else {
            high = mid;
        }
    }
    return low;
}

static void add_springs(sn_fourier_spread *s, assembly *a)
{
    for (int i = 0; i < s->curves->point_count; ++i) {
        const sn_fourier_point *p = &s->curves->points[i];
        const double fractions[2] = {1 - p->ratio, p->ratio};
        if (is_vertex(p)) {
            continue;
        }
        const int32_t u = s->unknowns[p->vertices[0]], v = s->unknowns[p->vertices[1]];
        for (int k = 0; k < 2; ++k) {
            const int32_t own = k ? v : u;
            if (own >= 0) {
                a->matrix.values[a->matrix.column_starts[own]] += s->spring * fractions[k] * fractions[k];
            }
        }
        if (u >= 0 && v >= 0) {
            a->matrix.values[a->slots[find_edge(s, p->vertices)]] += s->spring * fractions[0] * fractions[1];
        }
    }
    for (int u = 0; u < s->unknown_count; ++u) {
        a->matrix.values[a->matrix.column_starts[u]] += SHIFT * (a->mean > 0 ? a->mean : 1);
    }
}

static sn_result factorise(sn_fourier_spread *s)
{
    sn_arena scratch = {0};
    assembly a = {.mean = 0};
    sn_result result = assemble_laplacian(s, &scratch, &a);
    if (result == SN_OK) {
        s->spring = SPRING * (a.mean > 0 ? a.mean : 1);
        add_springs(s, &a);
        result = sn_factor_create(&a.matrix, "modes between curves", &s->factor);
    }
    sn_arena_finish(&scratch);
    return result;
}

sn_result sn_fourier_spread_create(const sn_fourier_curves *curves, sn_fourier_spread **spread)
{
    sn_fourier_spread *s = sn_alloc(1, sizeof *s);
    sn_fit_topology topology;
    *spread = s;
    if (!s) {
        return SN_ERROR_MEMORY;
    }
    s->curves = curves;
    sn_result result = sn_fit_topology_build(&curves->mesh, &s->arena, &topology);
    const size_t n = (size_t)curves->mesh.vertex_count;
    if (result == SN_OK) {
        s->edges = topology.edges;
        s->edge_count = topology.edge_count;
        s->weights = SN_NEW(&s->arena, double, topology.edge_count);
        s->unknowns = SN_NEW(&s->arena, int32_t, n);
        s->counts = SN_NEW(&s->arena, int32_t, n);
        s->known = SN_NEW(&s->arena, double, 3 * n);
        s->solutions = SN_NEW(&s->arena, double, 3 * n);
        s->modes = SN_NEW(&s->arena, double, 3 * (size_t)(curves->harmonic_count + 1));
        const bool is_ok = s->weights && s->unknowns && s->counts && s->known && s->solutions && s->modes;
        result = is_ok ? SN_OK : SN_ERROR_MEMORY;
    }
    if (result == SN_OK) {
        compute_edge_weights(s, &topology);
        number_unknowns(s);
        result = s->unknown_count > 0 ? factorise(s) : SN_OK;
    }
    if (result != SN_OK) {
        sn_fourier_spread_destroy(spread);
    }
    return result;
}

void sn_fourier_spread_destroy(sn_fourier_spread **spread)
{
    if (*spread) {
        sn_factor_destroy(&(*spread)->factor);
        sn_arena_finish(&(*spread)->arena);
        sn_free(*spread, 1, sizeof **spread);
        *spread = NULL;
    }
}

/* Adds the right-hand side of a point's spring, given the known value at one of its ends. */
static void add_spring_force(sn_fourier_spread *s, const sn_fourier_point *p, const double *value)
{
    const double fractions[2] = {1 - p->ratio, p->ratio};
    for (int k = 0; k < 2; ++k) {
        const int32_t own = s->unknowns[p->vertices[k]], other = s->unknowns[p->vertices[1 - k]];
        for (int d = 0; d < 3 && own >= 0; ++d) {
            const double known_part =
                other < 0 ? fractions[1 - k] * s->known[3 * (size_t)p->vertices[1 - k] + (size_t)d] : 0;
            s->solutions[(size_t)d * (size_t)s->unknown_count + (size_t)own] +=
                s->spring * fractions[k] * (value[d] - known_part);
        }
    }
}

/* Applies one mode's values at the points of all curves: to vertices (is_spring false) or to springs. */
static void apply_points(sn_fourier_spread *s, const double *series, int mode, bool is_spring)
{
    const sn_fourier_curves *c = s->curves;
    const size_t stride = 3 * SN_FOURIER_TERMS((size_t)c->harmonic_count);
    for (int i = 0; i < c->curve_count; ++i) {
        for (int k = 0; k < c->curves[i].point_count; ++k) {
            const sn_fourier_point *p = &c->points[c->curves[i].first_point + k];
            if (is_vertex(p) == is_spring) {
                continue;
            }
            sn_fourier_curve_modes(c, i, series + stride * (size_t)i, p->parameter, s->modes);
            if (is_spring) {
                add_spring_force(s, p, s->modes + 3 * mode);
            }
            for (int d = 0; d < 3 && !is_spring; ++d) {
                s->known[3 * (size_t)p->vertices[0] + (size_t)d] += s->modes[3 * mode + d] / s->counts[p->vertices[0]];
            }
        }
    }
}

static sn_result spread_mode(sn_fourier_spread *s, const double *series, int mode, double *to)
{
    const size_t n = (size_t)s->curves->mesh.vertex_count, unknowns = (size_t)s->unknown_count;
    memset(s->known, 0, 3 * n * sizeof *s->known);
    memset(s->solutions, 0, 3 * unknowns * sizeof *s->solutions);
    apply_points(s, series, mode, false);
    apply_points(s, series, mode, true);
    for (int e = 0; e < s->edge_count; ++e) {
        for (int k = 0; k < 2; ++k) {
            const size_t vertex = (size_t)s->edges[2 * e + k], other_vertex = (size_t)s->edges[2 * e + 1 - k];
            for (size_t d = 0; d < 3 && s->unknowns[vertex] >= 0 && s->unknowns[other_vertex] < 0; ++d) {
                s->solutions[d * unknowns + (size_t)s->unknowns[vertex]] +=
                    s->weights[e] * s->known[3 * other_vertex + d];
            }
        }
    }
    const sn_result result = s->factor ? sn_factor_solve(s->factor, 3, s->solutions) : SN_OK;
    for (size_t i = 0; i < 3 * n; ++i) {
        const int32_t u = s->unknowns[i / 3];
        to[i] = u < 0 ? s->known[i] : s->solutions[i % 3 * unknowns + (size_t)u];
    }
    return result;
}

sn_result sn_fourier_spread_modes(sn_fourier_spread *s, const double *series, const double *field, double *modes)
{
    const size_t size = 3 * (size_t)s->curves->mesh.vertex_count;
    for (int n = 0; n <= s->curves->harmonic_count; ++n) {
        SN_TRY(spread_mode(s, series, n, modes + size * (size_t)n));
    }
    for (size_t i = 0; i < size; ++i) {
        double sum = 0;
        for (int n = 0; n <= s->curves->harmonic_count; ++n) {
            sum += modes[size * (size_t)n + i];
        }
        modes[i] += field[i] - sum;
    }
    return SN_OK;
}

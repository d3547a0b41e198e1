/* SPDX-License-Identifier: MIT */
#include "host/reduced/view.h"

#include <math.h>
#include <string.h>

#include "host/math/jacobi.h"
#include "host/model/displacement_bound.h"
#include "host/model/tangent_stiffness.h"

/* Columns whose squared length is this fraction of the longest are linearly dependent, as in the cook. */
#define DEPENDENCE 1e-11

/* A unit column whose constrained-out part is below this lies in V's span. */
#define CONSTRAINED_TOLERANCE 1e-7

typedef struct truncation {
    const sn_model *source;
    sn_reduced_view *view;
    int source_count, count; /* coordinates */
    int row_count;           /* source_count plus the constrained-out coordinates */
    int column_count;        /* 4 per remaining mode */
    double *basis;           /* (source_count x count); before remove_constrained (row_count x count) */
    double *map;             /* (column_count x count) mode transforms of each coordinate */
    sn_arena *arena;         /* of the view */
    sn_arena scratch;
} truncation;

/* ---- the basis ---- */

/* result (rows x columns) = a (rows x inner) b (inner x columns) */
static void multiply(const double *a, int rows, int inner, const double *b, int columns, double *result)
{
    memset(result, 0, (size_t)rows * (size_t)columns * sizeof *result);
    for (int i = 0; i < rows; ++i, result += columns) {
        for (int k = 0; k < inner; ++k, ++a) {
            const double *row = b + (size_t)k * (size_t)columns;
            for (int j = 0; j < columns; ++j) {
                result[j] += *a * row[j];
            }
        }
    }
}

static double length_of(const double *column, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += column[i] * column[i];
    }
    return sqrt(sum);
}

/* columns (column_count x row_count): those of coordinate_from_mode, continued by those of constrained_from_mode, one
 * after the other, scaled to unit length by scales (column_count). */
static void gather_columns(const truncation *t, double *columns, double *scales)
{
    const size_t stride = 4 * (size_t)t->source->counts.mode_count;
    for (int k = 0; k < t->column_count; ++k) {
        double *column = columns + (size_t)k * (size_t)t->row_count;
        for (int i = 0; i < t->source_count; ++i) {
            column[i] = t->source->coordinate_from_mode[(size_t)i * stride + (size_t)k];
        }
        for (int i = 0; i < t->source->counts.constrained_coordinate_count; ++i) {
            column[t->source_count + i] = t->source->constrained_from_mode[(size_t)i * stride + (size_t)k];
        }
        const double length = length_of(column, t->row_count);
        scales[k] = length > 0 ? 1 / length : 0;
        for (int i = 0; i < t->row_count; ++i) {
            column[i] *= scales[k];
        }
    }
}

/* Computes orthonormal columns q of the span and their transforms map = diag(scales) rotation / lengths, transposed
 * into the truncation, without dependent columns. Sets count. */
static sn_result orthonormalise(truncation *t)
{
    const size_t n = (size_t)t->row_count, m = (size_t)t->column_count;
    double *columns = SN_NEW(&t->scratch, double, m *n), *rotation = SN_NEW(&t->scratch, double, m *m);
    double *scales = SN_NEW(&t->scratch, double, m);
    if (!columns || !rotation || !scales) {
        return SN_ERROR_MEMORY;
    }
    gather_columns(t, columns, scales);
    sn_jacobi_orthogonalise((int)m, (int)n, columns, rotation);
    const double max_length = length_of(columns + (m - 1) * n, (int)n);
    size_t first = m > n ? m - n : 0;
    while (first < m - 1 && !(pow(length_of(columns + first * n, (int)n) / max_length, 2) > DEPENDENCE)) {
        ++first;
    }
    const size_t count = m - first;
    t->count = (int)count;
    t->basis = SN_NEW(&t->scratch, double, n *count);
    t->map = SN_NEW(&t->scratch, double, m *count);
    if (!t->basis || !t->map) {
        return SN_ERROR_MEMORY;
    }
    for (size_t k = 0; k < count; ++k) {
        const double *column = columns + (first + k) * n, *rotation_row = rotation + (first + k) * m;
        const double length = length_of(column, (int)n);
        for (size_t i = 0; i < n; ++i) {
            t->basis[i * count + k] = column[i] / length;
        }
        for (size_t i = 0; i < m; ++i) {
            t->map[i * count + k] = scales[i] * rotation_row[i] / length;
        }
    }
    return SN_OK;
}

/* Restricts basis and map to the null space of the basis's last rows, which are the constrained-out coordinates. Sets
 * count, to 0 if the null space is empty. */
static sn_result remove_constrained(truncation *t)
{
    const size_t n = (size_t)t->source_count, q = (size_t)t->count,
                 constrained = (size_t)(t->row_count - t->source_count);
    double *columns = SN_NEW(&t->scratch, double, q *constrained), *rotations = SN_NEW(&t->scratch, double, q *q);
    if (!columns || !rotations) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < q * constrained; ++i) {
        columns[i] = t->basis[(n + i % constrained) * q + i / constrained];
    }
    sn_jacobi_orthogonalise((int)q, (int)constrained, columns, rotations);
    size_t count = 0;
    while (count < q && length_of(columns + count * constrained, (int)constrained) < CONSTRAINED_TOLERANCE) {
        ++count;
    }
    double *free_rotations = SN_NEW(&t->scratch, double, q *count);
    double *basis = SN_NEW(&t->scratch, double, n *count);
    double *map = SN_NEW(&t->scratch, double, (size_t)t->column_count *count);
    if (!free_rotations || !basis || !map) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < q * count; ++i) {
        free_rotations[i] = rotations[i % count * q + i / count];
    }
    multiply(t->basis, (int)n, (int)q, free_rotations, (int)count, basis);
    multiply(t->map, t->column_count, (int)q, free_rotations, (int)count, map);
    t->basis = basis;
    t->map = map;
    t->count = (int)count;
    return SN_OK;
}

static sn_result span_modes(truncation *t)
{
    const sn_result result = orthonormalise(t);
    return result == SN_OK && t->row_count > t->source_count ? remove_constrained(t) : result;
}

/* Rotates basis and map so that the stiffness is diagonal, by the columns of its root diag(lambda)^1/2 basis. */
static sn_result diagonalise(truncation *t, double *stiffness)
{
    const size_t n = (size_t)t->source_count, q = (size_t)t->count, m = (size_t)t->column_count;
    double *columns = SN_NEW(&t->scratch, double, q *n), *rotations = SN_NEW(&t->scratch, double, q *q);
    double *rotation = SN_NEW(&t->scratch, double, q *q);
    double *basis = SN_NEW(t->arena, double, n *q), *map = SN_NEW(&t->scratch, double, m *q);
    if (!columns || !rotations || !rotation || !basis || !map) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < n * q; ++i) {
        columns[i % q * n + i / q] = sqrt(t->source->coordinate_stiffness[i / q]) * t->basis[i];
    }
    sn_jacobi_orthogonalise((int)q, (int)n, columns, rotations);
    for (size_t k = 0; k < q; ++k) {
        const double length = length_of(columns + k * n, (int)n);
        stiffness[k] = length * length;
        for (size_t i = 0; i < q; ++i) {
            rotation[i * q + k] = rotations[k * q + i];
        }
    }
    multiply(t->basis, (int)n, (int)q, rotation, (int)q, basis);
    multiply(t->map, (int)m, (int)q, rotation, (int)q, map);
    t->basis = basis;
    t->map = map;
    return SN_OK;
}

/* ---- the model's data by coordinate ---- */

/* result (count x columns) = basis^T matrix (source_count x columns) */
static void restrict_rows(const truncation *t, const double *matrix, int columns, double *result)
{
    memset(result, 0, (size_t)t->count * (size_t)columns * sizeof *result);
    for (int i = 0; i < t->source_count; ++i, matrix += columns) {
        for (int k = 0; k < t->count; ++k) {
            const double factor = t->basis[(size_t)i * (size_t)t->count + (size_t)k];
            double *row = result + (size_t)k * (size_t)columns;
            for (int j = 0; j < columns; ++j) {
                row[j] += factor * matrix[j];
            }
        }
    }
}

/* Restricts the vertices' rows of V (float), summing in double. */
static sn_result restrict_samples(truncation *t, const float *rows, size_t row_count, const float **result)
{
    const size_t n = (size_t)t->source_count, q = (size_t)t->count;
    float *restricted = SN_NEW(t->arena, float, row_count *q);
    double *doubles = SN_NEW(&t->scratch, double, n + q);
    if (!restricted || !doubles) {
        return SN_ERROR_MEMORY;
    }
    for (size_t row = 0; row < row_count; ++row) {
        for (size_t i = 0; i < n; ++i) {
            doubles[i] = (double)rows[row * n + i];
        }
        multiply(doubles, 1, (int)n, t->basis, (int)q, doubles + n);
        for (size_t k = 0; k < q; ++k) {
            restricted[row * q + k] = (float)doubles[n + k];
        }
    }
    *result = restricted;
    return SN_OK;
}

/* row (count) += V' at a tet vertex. */
static void add_vertex_row(const truncation *t, size_t vertex, double *row)
{
    const sn_model *m = t->source;
    const float *x = m->rest_positions + 3 * vertex;
    for (int column = 0; column < t->column_count; ++column) {
        const double weight = (double)m->mode_weights[vertex * (size_t)m->counts.mode_count + (size_t)(column / 4)];
        const double factor = column % 4 < 3 ? weight * (double)x[column % 4] : weight;
        const double *map = t->map + (size_t)column * (size_t)t->count;
        for (int k = 0; k < t->count; ++k) {
            row[k] += factor * map[k];
        }
    }
}

static sn_result find_bounds(const truncation *t, const double *stiffness, double *bounds)
{
    const size_t n = (size_t)t->source->counts.vertex_count, q = (size_t)t->count;
    sn_arena scratch = {0};
    double *rows = SN_NEW(&scratch, double, n *q);
    const sn_displacement_basis basis = {n, q, stiffness, rows};
    for (size_t v = 0; v < n && rows; ++v) {
        add_vertex_row(t, v, rows + v * q);
    }
    const sn_result result = rows ? sn_displacement_bound_compute(&basis, bounds) : SN_ERROR_MEMORY;
    sn_arena_finish(&scratch);
    return result;
}

/* The mean of the source's decay rates, weighted by the squared entries of the basis: what the cook finds for these
 * coordinates, less the products of different coordinates. */
static sn_result average_decay(const truncation *t, const double **decay)
{
    double *rates = SN_NEW(t->arena, double, t->count);
    for (size_t i = 0; i < (size_t)(t->source_count * t->count) && rates; ++i) {
        rates[i % (size_t)t->count] += t->basis[i] * t->basis[i] * (*decay)[i / (size_t)t->count];
    }
    *decay = rates;
    return rates ? SN_OK : SN_ERROR_MEMORY;
}

/* mode_from_coordinate: the map, with zeros for unused modes. */
static sn_result pad_map(const truncation *t, sn_model *m)
{
    double *map = SN_NEW(t->arena, double, 4 * (size_t)m->counts.mode_count * (size_t)t->count);
    if (!map) {
        return SN_ERROR_MEMORY;
    }
    memcpy(map, t->map, (size_t)t->column_count * (size_t)t->count * sizeof *map);
    m->mode_from_coordinate = map;
    m->coordinate_from_mode = m->constrained_from_mode = NULL; /* a view is never truncated again */
    m->counts.constrained_coordinate_count = 0;
    return SN_OK;
}

static sn_result restrict_matrices(truncation *t, sn_model *m)
{
    const int rig = 4 * m->counts.bone_count, clusters = 3 * m->counts.cluster_count;
    const size_t q = (size_t)t->count;
    double *mass_cross = SN_NEW(t->arena, double, q *(size_t)rig);
    double *stiffness_cross = SN_NEW(t->arena, double, q *(size_t)rig);
    double *mass = SN_NEW(t->arena, double, q);
    const int morphs = 3 * m->counts.morph_pair_count;
    double *morph_cross = SN_NEW(t->arena, double, q *(size_t)morphs);
    double *cluster_coordinate = SN_NEW(t->arena, double, q *(size_t)clusters);
    if (!mass_cross || !stiffness_cross || !mass || !morph_cross || !cluster_coordinate) {
        return SN_ERROR_MEMORY;
    }
    restrict_rows(t, m->mass_cross, rig, mass_cross);
    restrict_rows(t, m->stiffness_cross, rig, stiffness_cross);
    restrict_rows(t, m->coordinate_mass, 1, mass);
    restrict_rows(t, m->morph_cross, morphs, morph_cross);
    multiply(m->cluster_coordinate, clusters, t->source_count, t->basis, t->count, cluster_coordinate);
    m->mass_cross = mass_cross;
    m->stiffness_cross = stiffness_cross;
    m->coordinate_mass = mass;
    m->morph_cross = morph_cross;
    m->cluster_coordinate = cluster_coordinate;
    return SN_OK;
}

static sn_result restrict_modes(truncation *t)
{
    sn_model *m = &t->view->model;
    const size_t samples = (size_t)m->counts.sample_count;
    sn_result result = span_modes(t);
    if (result == SN_OK && t->count == 0) {
        result = sn_fail_within(SN_ERROR_FORMAT,
                                "reduced solver: the model's first %d modes leave no coordinate; the file is damaged",
                                t->view->mode_count);
    }
    double *stiffness = result == SN_OK ? SN_NEW(t->arena, double, t->count) : NULL;
    double *bounds = result == SN_OK ? SN_NEW(t->arena, double, t->count) : NULL;
    if (result == SN_OK && (!stiffness || !bounds)) {
        result = SN_ERROR_MEMORY;
    }
    result = result == SN_OK ? diagonalise(t, stiffness) : result;
    result = result == SN_OK ? find_bounds(t, stiffness, bounds) : result;
    result = result == SN_OK ? restrict_matrices(t, m) : result;
    result = result == SN_OK ? pad_map(t, m) : result;
    result = result == SN_OK ? restrict_samples(t, m->sample_coordinate, samples, &m->sample_coordinate) : result;
    if (result == SN_OK) {
        result = restrict_samples(t, m->extreme_coordinate, SN_SAMPLE_EXTREMES * samples, &m->extreme_coordinate);
    }
    result = result == SN_OK ? average_decay(t, &m->coordinate_decay) : result;
    m->coordinate_stiffness = stiffness;
    m->coordinate_bounds = bounds;
    m->counts.coordinate_count = t->count;
    t->view->basis = t->basis;
    return result;
}

/* ---- clusters ---- */

/* Sums the clusters' rows of `width` numbers into those of the level (count x width). */
static sn_result sum_clusters(const truncation *t, const int32_t *coarse_index, int count, size_t width,
                              const double **rows)
{
    double *totals = SN_NEW(t->arena, double, (size_t)count *width);
    for (size_t c = 0; c < (size_t)t->source->counts.cluster_count && totals; ++c) {
        for (size_t i = 0; i < width; ++i) {
            totals[(size_t)coarse_index[c] * width + i] += (*rows)[c * width + i];
        }
    }
    *rows = totals;
    return totals ? SN_OK : SN_ERROR_MEMORY;
}

/* Strain limits are averaged over the clusters' stiffness. */
static sn_result merge_limits(const truncation *t, const int32_t *coarse_index, int count, const double **limits)
{
    double *means = SN_NEW(t->arena, double, count), *stiffness = SN_NEW(t->arena, double, count);
    for (int c = 0; c < t->source->counts.cluster_count && means && stiffness; ++c) {
        const double own = sn_model_cluster_stiffness(t->source, c);
        means[coarse_index[c]] += own * t->source->cluster_strain_limits[c];
        stiffness[coarse_index[c]] += own;
    }
    for (int c = 0; c < count && means && stiffness; ++c) {
        means[c] /= stiffness[c] > 0 ? stiffness[c] : 1;
    }
    *limits = means;
    return means && stiffness ? SN_OK : SN_ERROR_MEMORY;
}

/* All other per-cluster data are sums over tets. */
static sn_result merge_clusters(const truncation *t, int level)
{
    sn_model *m = &t->view->model;
    const int count = m->coarse_cluster_counts[level - 1];
    const int32_t *coarse_index = m->coarse_clusters + (size_t)(level - 1) * (size_t)m->counts.cluster_count;
    sn_result result =
        sum_clusters(t, coarse_index, count, 3 * (size_t)m->counts.coordinate_count, &m->cluster_coordinate);
    if (result == SN_OK) {
        result = sum_clusters(t, coarse_index, count, 12 * (size_t)m->counts.bone_count, &m->cluster_bone);
    }
    if (result == SN_OK) {
        result = sum_clusters(t, coarse_index, count, 1, &m->cluster_lame);
    }
    if (result == SN_OK) {
        result = merge_limits(t, coarse_index, count, &m->cluster_strain_limits);
    }
    int32_t *tets = SN_NEW(t->arena, int32_t, m->counts.tet_count);
    for (int i = 0; i < m->counts.tet_count && tets; ++i) {
        tets[i] = coarse_index[m->tet_clusters[i]];
    }
    m->tet_clusters = tets;
    m->counts.cluster_count = count;
    m->counts.coarse_level_count = 0;
    m->coarse_cluster_counts = m->coarse_clusters = NULL;
    return tets ? result : SN_ERROR_MEMORY;
}

/* Largest eigenvalue of D^-1/2 (sum_c Lambda_c / m_c^2 S_B^T S_B) D^-1/2, D = diag(coordinate_stiffness) (see model.h).
 * It depends on the clusters and coordinates, so a view needs its own. */
static sn_result bound_volume(truncation *t)
{
    sn_model *m = &t->view->model;
    const size_t q = (size_t)m->counts.coordinate_count, clusters = (size_t)m->counts.cluster_count;
    const double threshold = DEPENDENCE * m->coordinate_stiffness[q - 1];
    double *gram = SN_NEW(&t->scratch, double, q *q);
    if (!gram) {
        return SN_ERROR_MEMORY;
    }
    for (size_t row = 0; row < 3 * clusters; ++row) {
        const double own = sn_model_cluster_stiffness(m, (int)(row / 3));
        const double factor = own > 0 ? m->cluster_lame[row / 3] / (own * own) : 0;
        const double *s = m->cluster_coordinate + row * q;
        for (size_t i = 0; i < q * q; ++i) {
            gram[i] += factor * s[i / q] * s[i % q];
        }
    }
    for (size_t i = 0; i < q * q; ++i) {
        const double scale = m->coordinate_stiffness[i / q] * m->coordinate_stiffness[i % q];
        const bool has_stiffness =
            m->coordinate_stiffness[i / q] > threshold && m->coordinate_stiffness[i % q] > threshold;
        gram[i] = has_stiffness ? gram[i] / sqrt(scale) : 0;
    }
    sn_jacobi_orthogonalise((int)q, (int)q, gram, NULL);
    m->volume_bound =
        length_of(gram + (q - 1) * q, (int)q); /* column lengths of a symmetric matrix are its eigenvalues */
    return SN_OK;
}

/* The mean of the source's tangent stiffness, weighted by the squared entries of the basis, times the ratio of the
 * view's diagonal of the tangent matrix to the same mean of the source's. */
static sn_result update_tangent(truncation *t)
{
    sn_model *m = &t->view->model;
    const double *basis = t->view->basis;
    const size_t n = (size_t)t->source_count, q = (size_t)m->counts.coordinate_count;
    double *diagonal = SN_NEW(&t->scratch, double, n), *tangent = SN_NEW(t->arena, double, q);
    double *own = SN_NEW(&t->scratch, double, q);
    if (!diagonal || !tangent || !own) {
        return SN_ERROR_MEMORY;
    }
    sn_model_tangent_diagonal(t->source, diagonal);
    sn_model_tangent_diagonal(m, own);
    for (size_t k = 0; k < q; ++k) {
        double sum = basis ? 0 : t->source->coordinate_tangent_stiffness[k], before = basis ? 0 : diagonal[k];
        for (size_t i = 0; i < n && basis; ++i) {
            const double weight = basis[i * q + k] * basis[i * q + k];
            sum += weight * t->source->coordinate_tangent_stiffness[i];
            before += weight * diagonal[i];
        }
        tangent[k] = before > 0 ? sum * own[k] / before : 0;
    }
    m->coordinate_tangent_stiffness = tangent;
    return SN_OK;
}

static truncation truncate_modes(const sn_model *source, int mode_count)
{
    return (truncation){.source = source,
                        .source_count = source->counts.coordinate_count,
                        .row_count = source->counts.coordinate_count + source->counts.constrained_coordinate_count,
                        .column_count = 4 * mode_count};
}

sn_result sn_reduced_count_coordinates(const sn_model *source, int mode_count, int *count)
{
    truncation t = truncate_modes(source, mode_count);
    const sn_result result = span_modes(&t);
    *count = result == SN_OK ? t.count : 0;
    sn_arena_finish(&t.scratch);
    return result;
}

sn_result sn_reduced_view_build(const sn_model *source, int mode_count, int cluster_level, sn_arena *arena,
                                sn_reduced_view *view)
{
    const int modes = source->counts.mode_count, levels = source->counts.coarse_level_count;
    const int level = cluster_level < levels ? cluster_level : levels;
    *view = (sn_reduced_view){.model = *source, .mode_count = sn_model_level_mode_count(source, mode_count)};
    truncation t = truncate_modes(source, view->mode_count);
    t.view = view;
    t.arena = arena;
    sn_result result = level > 0 ? merge_clusters(&t, level) : SN_OK;
    if (result == SN_OK && view->mode_count < modes) {
        result = restrict_modes(&t);
    }
    const bool is_partial = level > 0 || view->mode_count < modes;
    if (result == SN_OK && source->volume_bound > 0 && is_partial) {
        result = bound_volume(&t);
    }
    if (result == SN_OK && is_partial) {
        result = update_tangent(&t);
    }
    sn_arena_finish(&t.scratch);
    return result;
}

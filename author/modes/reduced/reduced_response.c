/* SPDX-License-Identifier: MIT */
/* What limits and damps the motion of flesh: strain limits of the clusters, decay rates of the coordinates, and the
 * stiffness of small vibrations, which the decay at a given time step depends on. */
#include "author/modes/reduced/reduced_parts.h"
#include "host/model/tangent_stiffness.h"

#include <math.h>

/* Stiffness of what varies within a cluster, where the limits of the mean gradient see nothing. The flesh there would
 * invert in violent motion without it. */
#define VARIATION_STIFFNESS 3.0
#define SOFTNESS 6          /* power of the eigenvalues in the weights */
#define MIN_EIGENVALUE 1e-6 /* of the largest: free motion */

/* The volume-weighted mean of the tets' limits. */
static sn_result average_limits(sn_reduced_scratch_pool *work, double *limits)
{
    const sn_reduced_input *in = work->in;
    double *volumes = SN_NEW(&work->arena, double, in->cluster_count);
    if (!volumes) {
        return SN_ERROR_MEMORY;
    }
    for (int t = 0; t < in->mesh->tet_count && in->tet_strain_limits; ++t) {
        volumes[in->clusters[t]] += in->volumes[t];
        limits[in->clusters[t]] += in->volumes[t] * in->tet_strain_limits[t];
    }
    for (int c = 0; c < in->cluster_count; ++c) {
        limits[c] /= volumes[c] > 0 ? volumes[c] : 1;
    }
    return SN_OK;
}

/* 1 / m_c of each row of the clusters' matrices. In a flat body, the third row is that of the depth. */
static double *invert_cluster_stiffness(sn_reduced_scratch_pool *work)
{
    const sn_reduced_input *in = work->in;
    double *inverse = SN_NEW(&work->arena, double, 3 * (size_t)in->cluster_count);
    for (int t = 0; t < in->mesh->tet_count && inverse; ++t) {
        inverse[3 * in->clusters[t]] += in->tet_mu[t] * in->volumes[t];
    }
    for (int c = 0; c < in->cluster_count && inverse; ++c) {
        const double own = inverse[3 * c] > 0 ? 1 / inverse[3 * c] : 0;
        inverse[3 * c] = inverse[3 * c + 1] = own;
        inverse[3 * c + 2] = in->mesh->is_flat ? own / SN_FLAT_DEPTH : own;
    }
    return inverse;
}

/* sum (m x n) <- ((1 + v) sum + (kappa - v) a^T diag(inverse) b) / (1 + kappa), for a (rows x m), b (rows x n). */
static void add_limits(double kappa, size_t rows, const double *inverse, const double *a, size_t m, const double *b,
                       size_t n, double *sum)
{
    const double variation = fmin(VARIATION_STIFFNESS, kappa);
    for (size_t i = 0; i < m * n; ++i) {
        sum[i] *= (1 + variation) / (1 + kappa);
    }
    for (size_t row = 0; row < rows; ++row) {
        const double factor = (kappa - variation) / (1 + kappa) * inverse[row];
        for (size_t i = 0; i < m; ++i) {
            if (a[row * m + i] != 0) {
                sn_reduced_add_scaled(factor * a[row * m + i], b + row * n, n, sum + i * n);
            }
        }
    }
}

sn_result sn_reduced_limit_stiffness(sn_reduced_scratch_pool *work, double *stiffness)
{
    const size_t q = work->q, rows = 3 * (size_t)work->in->cluster_count;
    double *s = SN_NEW(&work->arena, double, rows *q), *inverse = invert_cluster_stiffness(work);
    SN_TRY(s && inverse ? sn_reduced_clusters_build(work, s, NULL) : SN_ERROR_MEMORY);
    add_limits(work->in->strain_limit_stiffness, rows, inverse, s, q, s, q, stiffness);
    return SN_OK;
}

sn_result sn_reduced_limit_bones(sn_reduced_scratch_pool *work, sn_reduced_matrices *out)
{
    const double kappa = work->in->strain_limit_stiffness, *s = out->cluster_coordinate, *bone = out->cluster_bone;
    const size_t q = work->q, p = work->p, rows = 3 * (size_t)work->in->cluster_count;
    const double *inverse = invert_cluster_stiffness(work);
    if (!inverse) {
        return SN_ERROR_MEMORY;
    }
    add_limits(kappa, rows, inverse, s, q, bone, p, out->stiffness_cross);
    add_limits(kappa, rows, inverse, bone, p, bone, p, out->stiffness_bone);
    return SN_OK;
}

/* The mean of the vertices' rates, weighted by mass and by the coordinate's squared shape; V^T M V = 1. */
static void average_decay(const sn_reduced_scratch_pool *work, double *decay)
{
    const double *rates = work->in->vertex_decay;
    for (size_t v = 0; v < work->n && rates; ++v) {
        const double *row = work->basis + v * work->q, factor = work->in->mass[v] * rates[v];
        for (size_t i = 0; i < work->q && factor != 0; ++i) {
            decay[i] += factor * row[i] * row[i];
        }
    }
}

/* matrix (axes q x axes q, column-major; its lower triangle): K of tangent_stiffness.h, row and column axes i + d. */
static void build_tangent_matrix(const sn_model *model, size_t axes, double *matrix)
{
    const size_t q = (size_t)model->counts.coordinate_count, size = axes * q;
    const double kappa = model->strain_limit_stiffness;
    for (size_t i = 0; i < size; ++i) {
        matrix[i * size + i] = (1 + kappa) * model->coordinate_stiffness[i / axes];
    }
    for (int c = 0; c < model->counts.cluster_count; ++c) {
        const double *s = model->cluster_coordinate + 3 * (size_t)c * q;
        const double own = sn_model_cluster_stiffness(model, c), inverse = own > 0 ? 1 / own : 0;
        const double lame = model->cluster_lame[c] * inverse * inverse;
        for (size_t j = 0; j < q; ++j) {
            for (size_t i = j; i < q; ++i) {
                const double both = (s[i] * s[j] + s[q + i] * s[q + j] + s[2 * q + i] * s[2 * q + j]) * inverse;
                for (size_t k = 0; k < axes * axes; ++k) {
                    const size_t d = k / axes, e = k % axes;
                    matrix[(axes * j + e) * size + axes * i + d] += 0.5 * inverse * s[e * q + i] * s[d * q + j] +
                                                                    lame * s[d * q + i] * s[e * q + j] -
                                                                    (d == e ? (0.5 + kappa) * both : 0);
                }
            }
        }
    }
}

static sn_result find_tangent(sn_reduced_scratch_pool *work, const sn_model *model, double *tangent)
{
    const size_t q = (size_t)model->counts.coordinate_count, axes = sn_model_is_flat(model) ? 2 : 3, size = axes * q;
    double *matrix = SN_NEW(&work->arena, double, size *size), *values = SN_NEW(&work->arena, double, size);
    double *weights = SN_NEW(&work->arena, double, q);
    if (!matrix || !values || !weights) {
        return SN_ERROR_MEMORY;
    }
    build_tangent_matrix(model, axes, matrix);
    SN_TRY(sn_symmetric_eigen((int)size, matrix, values));
    const double max_value = values[size - 1] > 0 ? values[size - 1] : 1;
    for (size_t k = 0; k < size; ++k) {
        const double value = fmax(values[k], MIN_EIGENVALUE * max_value), weight = pow(max_value / value, SOFTNESS);
        for (size_t i = 0; i < size; ++i) {
            const double share = weight * matrix[k * size + i] * matrix[k * size + i];
            weights[i / axes] += share;
            tangent[i / axes] += share * fmax(values[k], 0);
        }
    }
    for (size_t i = 0; i < q; ++i) {
        tangent[i] /= weights[i] > 0 ? weights[i] : 1;
    }
    return SN_OK;
}

sn_result sn_reduced_response_build(sn_reduced_scratch_pool *work, sn_reduced_matrices *out)
{
    const sn_reduced_input *in = work->in;
    const sn_model model = {.counts = {.coordinate_count = out->coordinate_count,
                                       .cluster_count = in->cluster_count,
                                       .bone_count = in->bone_count},
                            .is_flat = in->mesh->is_flat ? 1 : 0,
                            .strain_limit_stiffness = in->strain_limit_stiffness,
                            .coordinate_stiffness = out->coordinate_stiffness,
                            .cluster_coordinate = out->cluster_coordinate,
                            .cluster_bone = out->cluster_bone,
                            .cluster_lame = out->cluster_lame};
    average_decay(work, out->coordinate_decay);
    SN_TRY(find_tangent(work, &model, out->coordinate_tangent_stiffness));
    return average_limits(work, out->cluster_strain_limits);
}

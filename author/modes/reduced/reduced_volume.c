/* SPDX-License-Identifier: MIT */
/* Stiffness of the clusters' volumetric term 1/2 Lambda_c tr(R_c^T F_c / m_c - 1)^2, and a bound on it that keeps the
 * step's iteration stable (host/reduced/solver.c). F_c is the mean weighted by mu, whatever lambda is: its rotation is
 * R_c, so the derivative of the term by R_c vanishes. */
#include "author/modes/reduced/reduced_parts.h"

#include <math.h>

/* Coordinates with a stiffness below this fraction of the largest strain no cluster. */
#define MIN_STIFFNESS 1e-12

/* Sums m_c into shear and Lambda_c into cluster_lame; returns whether any tet has a lambda above 0. */
static bool sum_clusters(const sn_reduced_input *in, double *shear, double *lame)
{
    bool is_any = false;
    for (int t = 0; t < in->mesh->tet_count && in->tet_lame; ++t) {
        shear[in->clusters[t]] += in->tet_mu[t] * in->volumes[t];
        lame[in->clusters[t]] += in->tet_lame[t] * in->volumes[t];
        is_any = is_any || in->tet_lame[t] > 0;
    }
    return is_any;
}

/* rows (3 x q) of a cluster: sqrt(Lambda_c) / m_c S_B diag(stiffness)^-1/2. */
static void scale_rows(const double *s, double factor, size_t q, const double *stiffness, double *rows)
{
    const double min_stiffness = MIN_STIFFNESS * stiffness[q - 1];
    for (size_t i = 0; i < 3 * q; ++i) {
        const double own = stiffness[i % q];
        rows[i] = own > min_stiffness ? factor * s[i] / sqrt(own) : 0;
    }
}

sn_result sn_reduced_volume_build(sn_reduced_scratch_pool *work, sn_reduced_matrices *out)
{
    const size_t q = work->q, clusters = (size_t)work->in->cluster_count;
    double *shear = SN_NEW(&work->arena, double, clusters), *rows = SN_NEW(&work->arena, double, 3 * q);
    double *gram = SN_NEW(&work->arena, double, q *q), *eigenvalues = SN_NEW(&work->arena, double, q);
    if (!shear || !rows || !gram || !eigenvalues) {
        return SN_ERROR_MEMORY;
    }
    if (!sum_clusters(work->in, shear, out->cluster_lame)) {
        return SN_OK;
    }
    for (size_t c = 0; c < clusters; ++c) {
        if (shear[c] > 0) {
            const double factor = sqrt(out->cluster_lame[c]) / shear[c];
            scale_rows(out->cluster_coordinate + 3 * c * q, factor, q, out->coordinate_stiffness, rows);
            sn_row_gram_add(3, rows, q, rows, q, gram);
        }
    }
    const sn_result result = sn_symmetric_eigen((int)q, gram, eigenvalues);
    out->volume_bound = result == SN_OK ? eigenvalues[q - 1] : 0;
    return result;
}

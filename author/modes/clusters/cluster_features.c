/* SPDX-License-Identifier: MIT */
#include "author/modes/clusters/cluster_features.h"

#include <math.h>

#include "author/modes/clusters/cluster_tree.h"

/* Number of leading modes that are equal at all tets. */
static int count_null_modes(const sn_modes *modes)
{
    const double max_weight = modes->eigenvalues[modes->mode_count - 1];
    int count = 0;
    while (count < modes->mode_count - 1 && modes->eigenvalues[count] <= 1e-6 * max_weight) {
        ++count;
    }
    return count;
}

double sn_cluster_max_abs(const double *values, size_t count)
{
    double max_weight = 0;
    for (size_t i = 0; i < count; ++i) {
        max_weight = fmax(max_weight, fabs(values[i]));
    }
    return max_weight;
}

/* scales: scratch (mode_count). */
static void fill(const sn_tet_mesh *mesh, const sn_modes *modes, int first, double *scales, size_t stride,
                 float *features)
{
    const size_t mode_count = (size_t)modes->mode_count, count = mode_count - (size_t)first;
    const double max_weight = sn_cluster_max_abs(modes->weights, mode_count * (size_t)mesh->vertex_count);
    for (size_t j = 0; j < count; ++j) {
        const double eigenvalue = modes->eigenvalues[(size_t)first + j];
        const double ratio = eigenvalue > 0 ? modes->eigenvalues[first] / eigenvalue : 1;
        scales[j] = sn_tet_corner_fraction(mesh, 0) * ratio * ratio / (max_weight > 0 ? max_weight : 1);
    }
    const double last = mesh->is_flat ? 0 : 1;
    for (size_t t = 0; t < (size_t)mesh->tet_count; ++t) {
        const double *rows[4];
        for (size_t corner = 0; corner < 4; ++corner) {
            rows[corner] = modes->weights + (size_t)mesh->tets[4 * t + corner] * mode_count + (size_t)first;
        }
        for (size_t j = 0; j < count; ++j) {
            features[t * stride + j] = (float)(scales[j] * (rows[0][j] + rows[1][j] + rows[2][j] + last * rows[3][j]));
        }
    }
}

sn_result sn_cluster_features_build(const sn_tet_mesh *mesh, const sn_modes *modes, sn_arena *arena,
                                    sn_cluster_features *features)
{
    const int first = count_null_modes(modes);
    features->count = modes->mode_count - first;
    features->stride = ((size_t)features->count + SN_ROW_LANES - 1) / SN_ROW_LANES * SN_ROW_LANES;
    features->values = SN_NEW(arena, float, (size_t)mesh->tet_count * features->stride);
    double *scales = SN_NEW(arena, double, features->count);
    if (!features->values || !scales) {
        return SN_ERROR_MEMORY;
    }
    fill(mesh, modes, first, scales, features->stride, features->values);
    return SN_OK;
}

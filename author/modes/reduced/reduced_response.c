/* SPDX-License-Identifier: MIT */
/* What limits and damps the motion of flesh: strain limits of the clusters, decay rates of the coordinates, and the
 * stiffness of small vibrations, which the decay at a given time step depends on. */
#include "author/modes/reduced/reduced_parts.h"
#include "host/model/tangent_stiffness.h"

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
    sn_model_tangent_stiffness(&model, out->coordinate_tangent_stiffness);
    return average_limits(work, out->cluster_strain_limits);
}

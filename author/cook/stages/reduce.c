/* SPDX-License-Identifier: MIT */
/* The sixth stage: the reduced matrices. */
#include "author/cook/stages/stages.h"

sn_result sn_cooking_reduce(sn_cooking *k)
{
    double *mu = SN_NEW(&k->arena, double, k->mesh.tet_count), *lame = SN_NEW(&k->arena, double, k->mesh.tet_count);
    double *weighted_mass = SN_NEW(&k->arena, double, k->mesh.vertex_count);
    if (!mu || !lame || !weighted_mass) {
        return SN_ERROR_MEMORY;
    }
    for (int t = 0; t < k->mesh.tet_count; ++t) {
        mu[t] = k->report.young * k->tet_stiffness[t];
        lame[t] = k->report.young * k->tet_lame[t];
    }
    for (int v = 0; v < k->mesh.vertex_count; ++v) {
        weighted_mass[v] = k->desc->density * k->model_mass[v];
    }
    const sn_reduced_input input = {.name = k->path,
                                    .mesh = &k->mesh,
                                    .gradients = k->gradients,
                                    .volumes = k->volumes,
                                    .tet_mu = mu,
                                    .laplacian = k->mean_stiffness > 0 ? &k->modes.hessian : NULL,
                                    .laplacian_scale = k->report.young * k->mean_stiffness,
                                    .tet_lame = lame,
                                    .mass = weighted_mass,
                                    .modes = &k->modes,
                                    .held = &k->held,
                                    .rig_weights = k->rig_weights,
                                    .bone_count = k->bone_count,
                                    .morph_columns = k->morph_columns,
                                    .pair_count = k->morph_pair_count,
                                    .clusters = k->clusters,
                                    .cluster_count = k->report.cluster_count};
    return sn_reduced_matrices_build(&input, &k->arena, &k->reduced);
}

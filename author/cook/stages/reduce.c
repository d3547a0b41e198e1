/* SPDX-License-Identifier: MIT */
/* The sixth stage: the reduced matrices. */
#include "author/cook/stages/stages.h"

sn_result sn_cook_context_build_reduced(sn_cook_context *cook)
{
    double *mu = SN_NEW(&cook->arena, double, cook->mesh.tet_count),
           *lame = SN_NEW(&cook->arena, double, cook->mesh.tet_count);
    double *weighted_mass = SN_NEW(&cook->arena, double, cook->mesh.vertex_count);
    if (!mu || !lame || !weighted_mass) {
        return SN_ERROR_MEMORY;
    }
    for (int t = 0; t < cook->mesh.tet_count; ++t) {
        mu[t] = cook->report.young * cook->tet_stiffness[t];
        lame[t] = cook->report.young * cook->tet_lame[t];
    }
    for (int v = 0; v < cook->mesh.vertex_count; ++v) {
        weighted_mass[v] = cook->desc->density * cook->model_mass[v];
    }
    const sn_reduced_input input = {.name = cook->path,
                                    .mesh = &cook->mesh,
                                    .gradients = cook->gradients,
                                    .volumes = cook->volumes,
                                    .tet_mu = mu,
                                    .laplacian = cook->mean_stiffness > 0 ? &cook->modes.hessian : NULL,
                                    .laplacian_scale = cook->report.young * cook->mean_stiffness,
                                    .tet_lame = lame,
                                    .mass = weighted_mass,
                                    .modes = &cook->modes,
                                    .coordinate_constraint = &cook->coordinate_constraint,
                                    .rig_weights = cook->rig_weights,
                                    .bone_count = cook->bone_count,
                                    .morph_columns = cook->morph_columns,
                                    .pair_count = cook->morph_pair_count,
                                    .clusters = cook->clusters,
                                    .cluster_count = cook->report.cluster_count,
                                    .strain_limit_stiffness = cook->strain_limit_stiffness,
                                    .tet_strain_limits = cook->tet_strain_limits,
                                    .vertex_decay = cook->vertex_decay};
    return sn_reduced_matrices_build(&input, &cook->arena, &cook->reduced);
}

/* SPDX-License-Identifier: MIT */
#include "author/cook/anchored/anchored.h"
#include "author/modes/reduced/force_dual_modes.h"

#define DEFAULT_MODE_COUNT 24

sn_result sn_anchored_compute_modes(sn_cook_context *cook)
{
    const int requested = cook->desc->mode_count ? cook->desc->mode_count : cook->sidecar.mode_count;
    const int max_count = cook->mesh.vertex_count - cook->report.pin_count;
    const int count = requested ? requested : DEFAULT_MODE_COUNT < max_count ? DEFAULT_MODE_COUNT : max_count;
    double *origins = SN_NEW(&cook->arena, double, 3 * (size_t)cook->bone_count);
    double *stiffness = SN_NEW(&cook->arena, double, cook->mesh.tet_count);
    if (!origins || !stiffness) {
        return SN_ERROR_MEMORY;
    }
    if (count > max_count) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %d modes requested, but only %d of %d vertices are free", cook->path,
                       count, max_count, cook->mesh.vertex_count);
    }
    for (int i = 0; i < 3 * cook->bone_count; ++i) {
        origins[i] = (cook->bone_bind[12 * (i / 3) + 4 * (i % 3) + 3] - cook->origin[i % 3]) * cook->scale;
    }
    double sum = 0, volume = 0;
    for (int t = 0; t < cook->mesh.tet_count; ++t) {
        sum += cook->volumes[t] * cook->tet_stiffness[t];
        volume += cook->volumes[t];
    }
    for (int t = 0; t < cook->mesh.tet_count; ++t) {
        stiffness[t] = cook->tet_stiffness[t] * volume / sum;
    }
    const sn_force_dual_input input = {.name = cook->path,
                                       .mesh = &cook->mesh,
                                       .gradients = cook->gradients,
                                       .volumes = cook->volumes,
                                       .mass = cook->mass,
                                       .stiffness = stiffness,
                                       .is_anchored = cook->is_pinned,
                                       .rig_weights = cook->rig_weights,
                                       .bone_count = cook->bone_count,
                                       .bone_origins = origins,
                                       .mode_count = count};
    cook->mean_stiffness = 0; /* the tuned stiffness differs from that of the modes' Hessian */
    cook->constraint = (sn_constraint){.name = cook->path, .is_pinned = cook->is_pinned};
    return sn_modes_build_force_dual(&input, &cook->arena, &cook->modes);
}

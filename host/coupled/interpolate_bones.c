/* SPDX-License-Identifier: MIT */
/* Interpolates the bones' matrices between two steps. */
#include "host/coupled/table.h"
#include "host/math/blend.h"
#include "host/model/model.h"

void sn_coupled_interpolate_bones(const sn_coupled_table_body *b, double fraction, float *matrices)
{
    for (size_t bone = 0; bone < (size_t)b->bone_count; ++bone) {
        double pivot[3], between[12];
        sn_blend blend;
        sn_model_bone_pivot(b->shared->bones->model, (int)bone, pivot);
        sn_blend_init(&blend, fraction < 1 ? b->before + 12 * bone : b->now + 12 * bone, b->now + 12 * bone, pivot);
        sn_blend_apply(&blend, fraction, between);
        for (size_t i = 0; i < 12; ++i) {
            matrices[12 * bone + i] = (float)between[i];
        }
    }
}

/* SPDX-License-Identifier: MIT */
#include "author/cook/materials/rig_stretch.h"

#include <math.h>

#define MAX_STRAIN 0.2 /* of A^T A - I, which is twice the strain of lengths */

static bool moves_flesh(const sn_cook_context *cook, size_t bone)
{
    bool is_any = false;
    for (size_t v = 0; v < (size_t)cook->mesh.vertex_count && !is_any; ++v) {
        is_any = cook->rig_weights[v * (size_t)cook->bone_count + bone] > 0;
    }
    return is_any;
}

/* m (3 x 4) is row-major. */
static bool exceeds_strain(const double *m)
{
    double max_strain = 0;
    for (int i = 0; i < 9; ++i) {
        const int a = i / 3, b = i % 3;
        const double dot = m[a] * m[b] + m[4 + a] * m[4 + b] + m[8 + a] * m[8 + b];
        max_strain = fmax(max_strain, fabs(dot - (a == b)));
    }
    return max_strain > MAX_STRAIN;
}

bool sn_rig_stretch_detect(const sn_cook_context *cook)
{
    bool is_any = false;
    for (size_t bone = 0; bone < (size_t)cook->bone_count && cook->has_character && !cook->has_rig && !is_any; ++bone) {
        bool is_bone = false;
        for (int i = 0; i < cook->clip_count; ++i) {
            for (size_t f = 0; f < (size_t)cook->clips[i].frame_count && !is_bone; ++f) {
                is_bone = exceeds_strain(cook->clips[i].transforms + 12 * (f * (size_t)cook->bone_count + bone));
            }
        }
        is_any = is_bone && moves_flesh(cook, bone);
    }
    return is_any;
}

/* SPDX-License-Identifier: MIT */
#include "author/cook/materials/strained.h"

#include <math.h>

#define MOST_STRAIN 0.2 /* of A^T A - I, which is twice the strain of lengths */

static bool moves_flesh(const sn_cooking *k, size_t bone)
{
    bool is_any = false;
    for (size_t v = 0; v < (size_t)k->mesh.vertex_count && !is_any; ++v) {
        is_any = k->rig_weights[v * (size_t)k->bone_count + bone] > 0;
    }
    return is_any;
}

/* m (3 x 4) is row-major. */
static bool is_strained(const double *m)
{
    double largest = 0;
    for (int i = 0; i < 9; ++i) {
        const int a = i / 3, b = i % 3;
        const double dot = m[a] * m[b] + m[4 + a] * m[4 + b] + m[8 + a] * m[8 + b];
        largest = fmax(largest, fabs(dot - (a == b)));
    }
    return largest > MOST_STRAIN;
}

bool sn_rig_is_strained(const sn_cooking *k)
{
    bool is_any = false;
    for (size_t bone = 0; bone < (size_t)k->bone_count && k->has_character && !k->has_rig && !is_any; ++bone) {
        bool is_bone = false;
        for (int i = 0; i < k->clip_count; ++i) {
            for (size_t f = 0; f < (size_t)k->clips[i].frame_count && !is_bone; ++f) {
                is_bone = is_strained(k->clips[i].transforms + 12 * (f * (size_t)k->bone_count + bone));
            }
        }
        is_any = is_bone && moves_flesh(k, bone);
    }
    return is_any;
}

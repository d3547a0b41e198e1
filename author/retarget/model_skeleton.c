/* SPDX-License-Identifier: MIT */
#include "author/retarget/model_skeleton.h"

#include <string.h>

/* Parents of a damaged file may form a cycle; such a bone becomes a root. */
static int32_t parent_of(const sn_model *model, int bone)
{
    int32_t at = model->bone_parents[bone];
    for (int steps = 0; at >= 0 && steps <= model->counts.bone_count; ++steps) {
        at = model->bone_parents[at];
    }
    return at < 0 ? model->bone_parents[bone] : -1;
}

sn_result sn_model_skeleton(const sn_model *model, sn_arena *arena, sn_rig_skeleton *skeleton)
{
    const size_t n = (size_t)model->counts.bone_count;
    const char **names = SN_NEW(arena, const char *, n);
    int32_t *parents = names ? SN_NEW(arena, int32_t, n) : NULL;
    double *rest = parents ? SN_NEW(arena, double, 12 * n) : NULL;
    if (!rest) {
        return SN_ERROR_MEMORY;
    }
    for (size_t b = 0; b < n; ++b) {
        names[b] = b == 0 ? model->bone_names : names[b - 1] + strlen(names[b - 1]) + 1;
        parents[b] = parent_of(model, (int)b);
        for (size_t i = 12 * b; i < 12 * b + 12; ++i) {
            rest[i] = (double)model->bone_bind[i];
        }
    }
    *skeleton = (sn_rig_skeleton){.joint_count = model->counts.bone_count,
                                  .names = names,
                                  .parents = parents,
                                  .rest = rest,
                                  .roles = model->has_roles == 1 ? model->bone_roles : NULL};
    return SN_OK;
}

/* SPDX-License-Identifier: MIT */
#include "host/rig/skeleton.h"

void sn_rig_sort(const sn_rig_skeleton *s, int32_t *depths, int32_t *order)
{
    int32_t deepest = 0;
    for (int32_t j = 0; j < s->joint_count; ++j) {
        depths[j] = 0;
        for (int32_t at = s->parents[j]; at >= 0; at = s->parents[at]) {
            ++depths[j];
        }
        deepest = depths[j] > deepest ? depths[j] : deepest;
    }
    int count = 0;
    for (int32_t depth = 0; depth <= deepest; ++depth) {
        for (int32_t j = 0; j < s->joint_count; ++j) {
            if (depths[j] == depth) {
                order[count++] = j;
            }
        }
    }
}

bool sn_rig_is_above(const sn_rig_skeleton *s, int32_t above, int32_t joint)
{
    int32_t at = joint >= 0 ? s->parents[joint] : -1;
    while (at >= 0 && at != above) {
        at = s->parents[at];
    }
    return at >= 0 && above >= 0;
}

int32_t sn_rig_common(const sn_rig_skeleton *s, const int32_t *depths, int32_t a, int32_t b)
{
    while (a >= 0 && b >= 0 && a != b) {
        if (depths[a] >= depths[b]) {
            a = s->parents[a];
        } else {
            b = s->parents[b];
        }
    }
    return a >= 0 && b >= 0 ? a : -1;
}

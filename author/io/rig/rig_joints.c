/* SPDX-License-Identifier: MIT */
/* Converts skeletons of drawings to handles with one bone each. */
#include <math.h>
#include <string.h>

#include "author/io/rig/rig_handles.h"

#define MERGE_DISTANCE 0.5

static double distance(const double *a, const double *b)
{
    return hypot(a[0] - b[0], a[1] - b[1]);
}

/* The joint that this one is merged with: its topmost ancestor at the same position. */
static int32_t find_merged_joint(const sn_rig_joint *joints, int32_t joint)
{
    int32_t at = joint;
    while (joints[at].parent >= 0 && distance(joints[joints[at].parent].head, joints[at].head) <= MERGE_DISTANCE) {
        at = joints[at].parent;
    }
    return at;
}

/* The longest tail of the merged joints, else the first child's head; false: the joint is the end of a limb. */
static bool find_tail(const sn_rig_joint *joints, int count, const int32_t *merged_joints, int32_t joint, double *tail)
{
    double length = MERGE_DISTANCE;
    bool has_tail_point = false;
    for (int i = 0; i < count; ++i) {
        const double own = joints[i].has_tail ? distance(joints[i].tail, joints[joint].head) : 0;
        if (merged_joints[i] == joint && own > length) {
            length = own;
            memcpy(tail, joints[i].tail, 2 * sizeof *tail);
            has_tail_point = true;
        }
    }
    for (int i = 0; i < count && !has_tail_point; ++i) {
        if (joints[i].parent >= 0 && merged_joints[joints[i].parent] == joint && merged_joints[i] == i) {
            memcpy(tail, joints[i].head, 2 * sizeof *tail);
            has_tail_point = true;
        }
    }
    return has_tail_point;
}

static sn_result build_handle(const sn_rig_joint *joints, int count, const int32_t *merged_joints, int32_t joint,
                              sn_arena *arena, sn_rig_handle *handle)
{
    double tail[2];
    const bool is_bone = find_tail(joints, count, merged_joints, joint, tail);
    *handle = (sn_rig_handle){.type = is_bone ? SN_RIG_BONE : SN_RIG_POINT,
                              .name = joints[joint].name,
                              .point_count = is_bone ? 2 : 1,
                              .points = SN_NEW(arena, double, is_bone ? 6 : 3)};
    if (!handle->points) {
        return SN_ERROR_MEMORY;
    }
    memcpy(handle->points, joints[joint].head, sizeof joints[joint].head);
    if (is_bone) {
        memcpy(handle->points + 3, tail, sizeof tail);
    }
    return SN_OK;
}

sn_result sn_rig_joints_to_handles(const char *file, const sn_rig_joint *joints, int count, sn_arena *arena,
                                   sn_rig_handles *handles, int32_t *handle_of)
{
    int32_t *merged_joints = SN_NEW(arena, int32_t, count), *index = SN_NEW(arena, int32_t, count);
    sn_rig_handles built = {.handles = SN_NEW(arena, sn_rig_handle, count)};
    sn_result result = merged_joints && index && built.handles ? SN_OK : SN_ERROR_MEMORY;
    for (int i = 0; i < count && result == SN_OK; ++i) {
        merged_joints[i] = find_merged_joint(joints, i);
        index[i] = merged_joints[i] == i ? built.count++ : -1;
    }
    for (int i = 0; i < count && result == SN_OK; ++i) {
        if (merged_joints[i] == i) {
            const int32_t parent = joints[i].parent;
            result = build_handle(joints, count, merged_joints, i, arena, &built.handles[index[i]]);
            built.handles[index[i]].parent = parent >= 0 ? index[merged_joints[parent]] : -1;
        }
    }
    if (result == SN_OK) {
        result = sn_rig_handles_finish(file, arena, &built);
    }
    for (int i = 0; i < count && handle_of && result == SN_OK; ++i) {
        handle_of[i] = index[merged_joints[i]];
    }
    if (result == SN_OK) {
        *handles = built;
    }
    return result;
}

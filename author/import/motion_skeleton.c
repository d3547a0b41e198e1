/* SPDX-License-Identifier: MIT */
#include "author/import/motion_skeleton.h"

#include <string.h>

#include "author/retarget/humanoid.h"

sn_result sn_bvh_skeleton(const sn_bvh_file *file, const char *name, sn_arena *arena, sn_rig_skeleton *skeleton)
{
    const size_t n = (size_t)file->joint_count;
    const char **names = SN_NEW(arena, const char *, n);
    int32_t *parents = names ? SN_NEW(arena, int32_t, n) : NULL;
    double *rest = parents ? SN_NEW(arena, double, 12 * n) : NULL;
    if (!rest) {
        return SN_ERROR_MEMORY;
    }
    for (size_t j = 0; j < n; ++j) {
        names[j] = file->joints[j].name;
        parents[j] = file->joints[j].parent;
    }
    sn_bvh_zero_pose(file, rest);
    *skeleton = (sn_rig_skeleton){name, file->joint_count, names, parents, rest, NULL};
    return SN_OK;
}

sn_result sn_scene_skeleton(const sn_scene_pose *pose, const char *name, sn_arena *arena, sn_rig_skeleton *skeleton)
{
    const sn_scene_file *scene = pose->scene;
    const size_t n = (size_t)scene->node_count;
    if (scene->node_count > SN_BVH_JOINT_LIMIT) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: nodes: the motion has %d nodes; at most %d are supported", name,
                       scene->node_count, SN_BVH_JOINT_LIMIT);
    }
    const char **names = SN_NEW(arena, const char *, n);
    int32_t *parents = names ? SN_NEW(arena, int32_t, n) : NULL;
    int32_t *roles = parents ? SN_NEW(arena, int32_t, n) : NULL;
    double *rest = roles ? SN_NEW(arena, double, 12 * n) : NULL;
    if (!rest) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < n; ++i) {
        names[i] = scene->nodes[i].name;
        parents[i] = scene->nodes[i].parent;
        roles[i] = -1;
    }
    for (int i = 0; i < scene->humanoid_bone_count; ++i) {
        roles[scene->humanoid_bones[i].node] = sn_humanoid_find(scene->humanoid_bones[i].bone);
    }
    memcpy(rest, pose->world, 12 * n * sizeof(double));
    *skeleton = (sn_rig_skeleton){name, scene->node_count, names, parents, rest, roles};
    return SN_OK;
}

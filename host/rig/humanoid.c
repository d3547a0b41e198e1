/* SPDX-License-Identifier: MIT */
#include "host/rig/humanoid.h"

#include <string.h>

#define LEAST_NAMED 4 /* limbs; with fewer, names say nothing */

#define FINGER(finger) finger "Proximal", finger "Intermediate", finger "Distal"
#define SIDE(side)                                                                                                     \
    side "UpperLeg", side "LowerLeg", side "Foot", side "Toes", side "Shoulder", side "UpperArm", side "LowerArm",     \
        side "Hand", side "ThumbMetacarpal", side "ThumbProximal", side "ThumbDistal", FINGER(side "Index"),           \
        FINGER(side "Middle"), FINGER(side "Ring"), FINGER(side "Little")

static const char *const names[SN_HUMANOID_COUNT] = {"hips",    "spine",    "chest", "upperChest", "neck",       "head",
                                                     "leftEye", "rightEye", "jaw",   SIDE("left"), SIDE("right")};

const char *sn_humanoid_name(int bone)
{
    return names[bone];
}

int sn_humanoid_find(const char *name)
{
    for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
        if (strcmp(names[bone], name) == 0) {
            return bone;
        }
    }
    return -1;
}

static int count_limbs(const int32_t *of_role)
{
    int count = 0;
    for (int side = 0; side < 2; ++side) {
        for (int part = SN_PART_UPPER_LEG; part <= SN_PART_HAND; ++part) {
            count += of_role[sn_humanoid_of(side, part)] >= 0;
        }
    }
    return count;
}

sn_result sn_humanoid_guess(const sn_rig_skeleton *skeleton, sn_arena *arena, int32_t *roles)
{
    int32_t of_role[SN_HUMANOID_COUNT];
    int32_t *depths = SN_NEW(arena, int32_t, skeleton->joint_count);
    int32_t *order = depths ? SN_NEW(arena, int32_t, skeleton->joint_count) : NULL;
    if (!order) {
        return SN_ERROR_MEMORY;
    }
    sn_rig_sort(skeleton, depths, order);
    memset(of_role, -1, sizeof of_role);
    sn_humanoid_guess_names(skeleton, depths, of_role);
    if (count_limbs(of_role) < LEAST_NAMED) {
        memset(of_role, -1, sizeof of_role);
        sn_humanoid_guess_shape(skeleton, depths, of_role);
    }
    memset(roles, -1, (size_t)skeleton->joint_count * sizeof *roles);
    for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
        if (of_role[bone] >= 0) {
            roles[of_role[bone]] = bone;
        }
    }
    return SN_OK;
}

/* SPDX-License-Identifier: MIT */
/* The bones of a humanoid in the order of VRM 1.0. A model stores them as the roles of its bones. */
#ifndef SN_HOST_MODEL_HUMANOID_BONE_H
#define SN_HOST_MODEL_HUMANOID_BONE_H

/* Bones that exist on both sides. */
typedef enum sn_humanoid_part {
    SN_PART_UPPER_LEG,
    SN_PART_LOWER_LEG,
    SN_PART_FOOT,
    SN_PART_TOES,
    SN_PART_SHOULDER,
    SN_PART_UPPER_ARM,
    SN_PART_LOWER_ARM,
    SN_PART_HAND,
    SN_PART_THUMB,                     /* metacarpal, proximal, distal */
    SN_PART_INDEX = SN_PART_THUMB + 3, /* proximal, intermediate, distal; likewise below */
    SN_PART_MIDDLE = SN_PART_INDEX + 3,
    SN_PART_RING = SN_PART_MIDDLE + 3,
    SN_PART_LITTLE = SN_PART_RING + 3,
    SN_PART_COUNT = SN_PART_LITTLE + 3
} sn_humanoid_part;

typedef enum sn_humanoid_bone {
    SN_HUMANOID_HIPS,
    SN_HUMANOID_SPINE,
    SN_HUMANOID_CHEST,
    SN_HUMANOID_UPPER_CHEST,
    SN_HUMANOID_NECK,
    SN_HUMANOID_HEAD,
    SN_HUMANOID_LEFT_EYE,
    SN_HUMANOID_RIGHT_EYE,
    SN_HUMANOID_JAW,
    SN_HUMANOID_LEFT,
    SN_HUMANOID_RIGHT = SN_HUMANOID_LEFT + SN_PART_COUNT,
    SN_HUMANOID_COUNT = SN_HUMANOID_RIGHT + SN_PART_COUNT
} sn_humanoid_bone;

/* side: 0 left, 1 right. */
static inline int sn_humanoid_bone_index(int side, int part)
{
    return SN_HUMANOID_LEFT + side * SN_PART_COUNT + part;
}

#endif

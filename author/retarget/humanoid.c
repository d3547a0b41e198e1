/* SPDX-License-Identifier: MIT */
#include "author/retarget/humanoid.h"

#include <stdio.h>
#include <string.h>

#include "host/math/vec3.h"

#define MIN_NAMED_LIMBS 4 /* min. limbs for which names are trusted */

#define LOW_HAND_HEIGHT 0.2 /* of the hips' height above the feet */
#define MIN_RISE 0.3        /* cosine between the back and the vertical */
#define STEEP_RISE 0.7

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

int sn_humanoid_parent(int bone)
{
    if (bone < SN_HUMANOID_LEFT) {
        return bone <= SN_HUMANOID_HEAD ? bone - 1 : SN_HUMANOID_HEAD;
    }
    const int side = (bone - SN_HUMANOID_LEFT) / SN_PART_COUNT, part = (bone - SN_HUMANOID_LEFT) % SN_PART_COUNT;
    const bool is_first = part >= SN_PART_THUMB && (part - SN_PART_THUMB) % 3 == 0;
    return part == SN_PART_UPPER_LEG  ? SN_HUMANOID_HIPS
           : part == SN_PART_SHOULDER ? SN_HUMANOID_UPPER_CHEST
                                      : sn_humanoid_bone_index(side, is_first ? SN_PART_HAND : part - 1);
}

bool sn_humanoid_is_required(int bone)
{
    const int part = bone < SN_HUMANOID_LEFT ? -1 : (bone - SN_HUMANOID_LEFT) % SN_PART_COUNT;
    const bool is_leg = part >= SN_PART_UPPER_LEG && part <= SN_PART_FOOT;
    return bone == SN_HUMANOID_HIPS || is_leg || part == SN_PART_UPPER_ARM || part == SN_PART_LOWER_ARM;
}

static int count_limbs(const int32_t *of_role)
{
    int count = 0;
    for (int side = 0; side < 2; ++side) {
        for (int part = SN_PART_UPPER_LEG; part <= SN_PART_HAND; ++part) {
            count += of_role[sn_humanoid_bone_index(side, part)] >= 0;
        }
    }
    return count;
}

static bool is_complete(const int32_t *of_role)
{
    for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
        if (sn_humanoid_is_required(bone) && of_role[bone] < 0) {
            return false;
        }
    }
    return true;
}

static int find_role(const int32_t *of_role, int32_t joint)
{
    for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
        if (of_role[bone] == joint) {
            return bone;
        }
    }
    return -1;
}

/* The midpoint of the left and right joint of a part, at rest. */
static void midpoint_of(const sn_rig_skeleton *s, const int32_t *of_role, int part, double midpoint[3])
{
    const double *left = s->rest + 12 * (size_t)of_role[sn_humanoid_bone_index(0, part)];
    const double *right = s->rest + 12 * (size_t)of_role[sn_humanoid_bone_index(1, part)];
    for (int d = 0; d < 3; ++d) {
        midpoint[d] = (left[4 * d + 3] + right[4 * d + 3]) / 2;
    }
}

/* Whether the skeleton stands on two legs at rest, with any up axis: the back rises from the hips opposite to the legs,
 * and steeply if the hands are as low as the feet. True if the legs have zero length. */
static bool is_biped(const sn_rig_skeleton *s, const int32_t *of_role)
{
    const bool has_hands =
        of_role[sn_humanoid_bone_index(0, SN_PART_HAND)] >= 0 && of_role[sn_humanoid_bone_index(1, SN_PART_HAND)] >= 0;
    double hips[3], feet[3], chest[3], hands[3], up[3], back[3], arm[3];
    midpoint_of(s, of_role, SN_PART_UPPER_LEG, hips);
    midpoint_of(s, of_role, SN_PART_FOOT, feet);
    midpoint_of(s, of_role, SN_PART_UPPER_ARM, chest);
    midpoint_of(s, of_role, has_hands ? SN_PART_HAND : SN_PART_LOWER_ARM, hands);
    sn_subtract3(hips, feet, up);
    sn_subtract3(chest, hips, back);
    sn_subtract3(hands, feet, arm);
    const double leg = sn_length3(up), length = sn_length3(back);
    if (!(leg > 0) || !(length > 0)) {
        return true;
    }
    const double rise = sn_dot3(back, up) / (leg * length), hand_height = sn_dot3(arm, up) / (leg * leg);
    return rise > (hand_height > LOW_HAND_HEIGHT ? MIN_RISE : STEEP_RISE);
}

/* Index of the leg or arm that a bone belongs to; -1: neither. */
static int limb_of(int bone)
{
    const int at = bone - SN_HUMANOID_LEFT, part = at % SN_PART_COUNT;
    return at < 0 ? -1 : 2 * (at / SN_PART_COUNT) + (part > SN_PART_TOES);
}

/* Completes bones found by name with those found by shape. The shape decides about limbs (a lone "shoulder" is read as
 * an upper arm), unless the two assign a joint to different limbs. */
static void merge_guesses(int32_t *by_name, const int32_t *by_shape)
{
    bool is_same = is_complete(by_shape);
    for (int bone = SN_HUMANOID_LEFT; bone < SN_HUMANOID_COUNT; ++bone) {
        const int other = by_name[bone] >= 0 ? find_role(by_shape, by_name[bone]) : -1;
        is_same = is_same && (other < 0 || limb_of(other) == limb_of(bone));
    }
    for (int bone = 0; bone < SN_HUMANOID_COUNT && is_same; ++bone) {
        if (bone != SN_HUMANOID_HEAD && by_name[bone] >= 0 && find_role(by_shape, by_name[bone]) >= 0) {
            by_name[bone] = -1;
        }
    }
    for (int bone = 0; bone < SN_HUMANOID_COUNT && is_same; ++bone) {
        const bool is_head = bone == SN_HUMANOID_HEAD &&
                             by_name[bone] >= 0; /* the shape's head may be the joint at the top of the head */
        by_name[bone] = by_shape[bone] >= 0 && !is_head ? by_shape[bone] : by_name[bone];
    }
}

sn_result sn_humanoid_guess(const sn_rig_skeleton *skeleton, bool is_capture, sn_arena *arena, int32_t *roles)
{
    int32_t of_role[SN_HUMANOID_COUNT], by_shape[SN_HUMANOID_COUNT];
    sn_rig_tree tree;
    memset(of_role, -1, sizeof of_role);
    memset(by_shape, -1, sizeof by_shape);
    if (sn_rig_tree_init(skeleton, arena, &tree) != SN_OK || sn_humanoid_guess_names(&tree, arena, of_role) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    if (is_complete(of_role) && !is_capture && !is_biped(skeleton, of_role)) {
        memset(of_role, -1, sizeof of_role);
    }
    if (!is_complete(of_role)) {
        if (sn_humanoid_guess_shape(&tree, by_shape) != SN_OK) {
            return SN_ERROR_MEMORY;
        }
        if (count_limbs(of_role) < MIN_NAMED_LIMBS) {
            memcpy(of_role, by_shape, sizeof of_role);
        } else {
            merge_guesses(of_role, by_shape);
        }
    }
    memset(roles, -1, (size_t)skeleton->joint_count * sizeof *roles);
    for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
        if (of_role[bone] >= 0) {
            roles[of_role[bone]] = bone;
        }
    }
    return SN_OK;
}

sn_result sn_humanoid_find_roles(const sn_rig_skeleton *s, bool is_capture, sn_arena *arena, int32_t *of_role)
{
    int32_t *guessed = SN_NEW(arena, int32_t, s->joint_count);
    if (!guessed) {
        return SN_ERROR_MEMORY;
    }
    memset(of_role, -1, SN_HUMANOID_COUNT * sizeof *of_role);
    for (int32_t j = 0; s->roles && j < s->joint_count; ++j) {
        if (s->roles[j] >= 0) {
            of_role[s->roles[j]] = j;
        }
    }
    SN_TRY(sn_humanoid_guess(s, is_capture, arena, guessed));
    for (int32_t j = 0; j < s->joint_count; ++j) {
        const bool is_free = guessed[j] >= 0 && of_role[guessed[j]] < 0 && !(s->roles && s->roles[j] >= 0);
        if (is_free) {
            of_role[guessed[j]] = j;
        }
    }
    return SN_OK;
}

int sn_humanoid_missing(const int32_t *of_role, char *text, size_t size)
{
    int count = 0;
    text[0] = 0;
    for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
        const size_t length = strlen(text);
        if (!sn_humanoid_is_required(bone) || of_role[bone] >= 0) {
            continue;
        }
        if (length + 1 < size) {
            snprintf(text + length, size - length, "%s%s", count > 0 ? ", " : "", sn_humanoid_name(bone));
        }
        ++count;
    }
    return count;
}

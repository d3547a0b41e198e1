/* SPDX-License-Identifier: MIT */
/* Guesses the humanoid bone of each joint from its name. A name is split into words, which identify a side and a part
 * of the body. Ambiguous words ("shoulder" is the upper arm if there is a "collar"; "leg" is the lower leg if there is
 * an "upleg") are resolved per limb. */
#include <ctype.h>
#include <string.h>

#include "author/retarget/humanoid.h"

#define WORD_LIMIT 12
#define WORD_BYTES 20

typedef enum word_part {
    NO_PART,
    HIPS,
    NECK,
    HEAD,
    HIP, /* of one side */
    UPPER_LEG,
    LEG,
    LOWER_LEG,
    FOOT,
    TOES,
    COLLAR,
    SHOULDER,
    UPPER_ARM,
    ARM,
    LOWER_ARM,
    HAND,
    THUMB,
    INDEX_FINGER,
    MIDDLE_FINGER,
    RING_FINGER,
    LITTLE_FINGER
} word_part;

typedef struct name_words {
    char words[WORD_LIMIT][WORD_BYTES];
    int count, side; /* side: -1 none, 0 left, 1 right */
} name_words;

static bool has_word(const name_words *n, const char *word)
{
    for (int i = 0; i < n->count; ++i) {
        if (strcmp(n->words[i], word) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_any_word(const name_words *n, const char *const *words)
{
    for (; *words; ++words) {
        if (has_word(n, *words)) {
            return true;
        }
    }
    return false;
}

/* "LHip" splits into l hip, "upperArm.L" into upper arm l, "armL1" into arm l. */
static bool is_word_start(const char *name, const char *at)
{
    const unsigned char c = (unsigned char)at[0], before = at > name ? (unsigned char)at[-1] : 0;
    return !isalpha(before) || (isupper(c) && (!isupper(before) || islower((unsigned char)at[1])));
}

static void split_words(const char *name, name_words *n)
{
    const char *colon = strrchr(name, ':');
    name = colon ? colon + 1 : name;
    *n = (name_words){.side = -1};
    size_t length = 0;
    for (const char *at = name; *at; ++at) {
        if (!isalpha((unsigned char)*at)) {
            continue;
        }
        if (is_word_start(name, at)) {
            if (n->count == WORD_LIMIT) {
                return;
            }
            ++n->count;
            length = 0;
        }
        if (length + 1 < WORD_BYTES) {
            n->words[n->count - 1][length++] = (char)tolower((unsigned char)*at);
        }
    }
}

/* Removes a side prefix from a word such as "lhand" or "leftarm". */
static void split_side(char *word, int *side)
{
    static const char *const part_words[] = {
        "hand",    "foot",  "leg",   "arm",      "thigh",    "shin",     "calf",     "knee",     "hip",   "elbow",
        "toe",     "toes",  "wrist", "forearm",  "shoulder", "shldr",    "collar",   "clavicle", "ankle", "thumb",
        "fingers", "upleg", "uparm", "upperarm", "lowerarm", "upperleg", "lowerleg", NULL};
    static const char *const sides[] = {"left", "right", "l", "r"};
    for (int k = 0; k < 4; ++k) {
        const size_t length = strlen(sides[k]);
        if (strncmp(word, sides[k], length) != 0) {
            continue;
        }
        bool is_side = word[length] == 0;
        for (const char *const *part = part_words; *part && !is_side; ++part) {
            is_side = strcmp(word + length, *part) == 0;
        }
        if (is_side) {
            *side = k % 2;
            memmove(word, word + length, strlen(word + length) + 1);
            return;
        }
    }
}

static word_part finger_of(const name_words *n)
{
    static const char *const inside[] = {"in", "metacarpal", "palm", NULL};
    const bool is_inside = has_any_word(n, inside);
    return has_word(n, "thumb")                            ? THUMB
           : is_inside                                     ? NO_PART
           : has_word(n, "index")                          ? INDEX_FINGER
           : has_word(n, "middle") || has_word(n, "mid")   ? MIDDLE_FINGER
           : has_word(n, "ring")                           ? RING_FINGER
           : has_word(n, "little") || has_word(n, "pinky") ? LITTLE_FINGER
                                                           : NO_PART;
}

static word_part limb_of(const name_words *n)
{
    static const char *const upper_arms[] = {"upperarm", "uparm", "bicep", "humerus", NULL};
    static const char *const lower_arms[] = {"forearm", "lowerarm", "elbow", NULL};
    static const char *const upper_legs[] = {"thigh", "upleg", "upperleg", "femur", NULL};
    static const char *const lower_legs[] = {"shin", "calf", "lowerleg", "knee", NULL};
    static const char *const collars[] = {"collar", "clavicle", "clav", "collarbone", NULL};
    static const char *const feet[] = {"foot", "ankle", NULL}, *const toes[] = {"toe", "toes", "toebase", "ball", NULL};
    static const char *const hands[] = {"hand", "wrist", NULL};
    const bool is_upper = has_word(n, "upper") || has_word(n, "up"),
               is_lower = has_word(n, "lower") || has_word(n, "low") || has_word(n, "fore");
    const bool is_arm = has_word(n, "arm"), is_leg = has_word(n, "leg");
    return has_any_word(n, toes)                                 ? TOES
           : has_any_word(n, feet)                               ? FOOT
           : has_any_word(n, upper_arms) || (is_arm && is_upper) ? UPPER_ARM
           : has_any_word(n, lower_arms) || (is_arm && is_lower) ? LOWER_ARM
           : has_any_word(n, upper_legs) || (is_leg && is_upper) ? UPPER_LEG
           : has_any_word(n, lower_legs) || (is_leg && is_lower) ? LOWER_LEG
           : is_leg                                              ? LEG
           : has_any_word(n, collars)                            ? COLLAR
           : has_word(n, "shoulder") || has_word(n, "shldr")     ? SHOULDER
           : has_any_word(n, hands)                              ? HAND
           : is_arm                                              ? ARM
           : has_word(n, "hip") && !has_word(n, "joint")         ? HIP
                                                                 : NO_PART;
}

static word_part part_of(const char *name, int *side)
{
    /* control joints, chain ends, and accessories */
    static const char *const ignored_words[] = {
        "ik",     "fk",  "ctrl", "control", "pole", "target", "twist", "roll", "end",   "helper", "nub",  "slot",
        "socket", "mch", "site", "top",     "heel", "hair",   "tail",  "ear",  "cloth", "skirt",  "brow", NULL};
    name_words n;
    split_words(name, &n);
    for (int i = 0; i < n.count; ++i) {
        split_side(n.words[i], &n.side);
    }
    *side = n.side;
    if (has_any_word(&n, ignored_words)) {
        return NO_PART;
    }
    if (n.side < 0) {
        return has_word(&n, "hips") || has_word(&n, "pelvis") || has_word(&n, "hip") ? HIPS
               : has_word(&n, "neck")                                                ? NECK
               : has_word(&n, "head")                                                ? HEAD
                                                                                     : NO_PART;
    }
    const word_part finger = finger_of(&n);
    return finger != NO_PART || has_word(&n, "in") || has_word(&n, "metacarpal") ? finger : limb_of(&n);
}

/* Part and side of each joint. */
typedef struct word_list {
    const sn_rig_tree *tree;
    word_part *parts;
    int *sides;
} word_list;

/* The topmost joint of a part, below `above` unless that is negative; -1 if there is none. */
static int32_t topmost_joint(const word_list *n, int side, word_part required_part, int32_t above)
{
    int32_t result = -1;
    for (int32_t j = 0; j < n->tree->skeleton->joint_count; ++j) {
        if (n->parts[j] == required_part && n->sides[j] == side &&
            (result < 0 || n->tree->depths[j] < n->tree->depths[result]) &&
            (above < 0 || sn_rig_is_above(n->tree, above, j))) {
            result = j;
        }
    }
    return result;
}

static int32_t first_valid(int32_t a, int32_t b)
{
    return a >= 0 ? a : b;
}

static void assign_arm(const word_list *n, int side, int32_t *of_role)
{
    const int32_t arm = topmost_joint(n, side, ARM, -1), shoulder = topmost_joint(n, side, SHOULDER, -1);
    const int32_t collar = topmost_joint(n, side, COLLAR, -1);
    const int32_t upper = first_valid(first_valid(topmost_joint(n, side, UPPER_ARM, -1), arm), shoulder);
    if (upper < 0) {
        return;
    }
    const int32_t second = arm >= 0 ? topmost_joint(n, side, ARM, upper) : -1;
    const int32_t lower = first_valid(topmost_joint(n, side, LOWER_ARM, upper), second);
    const int32_t third = second >= 0 && lower == second ? topmost_joint(n, side, ARM, second) : -1;
    const int32_t hand = lower >= 0 ? first_valid(topmost_joint(n, side, HAND, lower), third) : -1;
    int32_t *of_side = of_role + sn_humanoid_bone_index(side, 0);
    of_side[SN_PART_UPPER_ARM] = upper;
    of_side[SN_PART_LOWER_ARM] = lower;
    of_side[SN_PART_HAND] = hand;
    const int32_t above = first_valid(collar, shoulder);
    of_side[SN_PART_SHOULDER] = sn_rig_is_above(n->tree, above, upper) ? above : -1;
}

static void assign_leg(const word_list *n, int side, int32_t *of_role)
{
    const int32_t named = first_valid(topmost_joint(n, side, UPPER_LEG, -1), topmost_joint(n, side, HIP, -1));
    const int32_t upper = first_valid(named, topmost_joint(n, side, LEG, -1));
    if (upper < 0) {
        return;
    }
    const int32_t second = topmost_joint(n, side, LEG, upper);
    const int32_t lower = first_valid(topmost_joint(n, side, LOWER_LEG, upper), second);
    const int32_t third = lower >= 0 && lower == second ? topmost_joint(n, side, LEG, second) : -1;
    const int32_t foot = lower >= 0 ? first_valid(topmost_joint(n, side, FOOT, lower), third) : -1;
    const int32_t last =
        foot >= 0 ? first_valid(topmost_joint(n, side, FOOT, foot), topmost_joint(n, side, LEG, foot)) : -1;
    int32_t *of_side = of_role + sn_humanoid_bone_index(side, 0);
    of_side[SN_PART_UPPER_LEG] = upper;
    of_side[SN_PART_LOWER_LEG] = lower;
    of_side[SN_PART_FOOT] = foot;
    of_side[SN_PART_TOES] = foot >= 0 ? first_valid(topmost_joint(n, side, TOES, foot), last) : -1;
}

/* Up to three joints of each finger, each below the previous one. */
static void assign_fingers(const word_list *n, int side, int32_t *of_role)
{
    for (int finger = 0; finger < 5; ++finger) {
        int32_t above = of_role[sn_humanoid_bone_index(side, SN_PART_HAND)];
        for (int k = 0; k < 3 && above >= 0; ++k) {
            above = topmost_joint(n, side, (word_part)(THUMB + finger), above);
            of_role[sn_humanoid_bone_index(side, SN_PART_THUMB + 3 * finger + k)] = above;
        }
    }
}

static void assign_roles(const word_list *n, int32_t *of_role)
{
    for (int side = 0; side < 2; ++side) {
        assign_arm(n, side, of_role);
        assign_leg(n, side, of_role);
        assign_fingers(n, side, of_role);
    }
    const int32_t legs[2] = {of_role[sn_humanoid_bone_index(0, SN_PART_UPPER_LEG)],
                             of_role[sn_humanoid_bone_index(1, SN_PART_UPPER_LEG)]};
    const int32_t hips = topmost_joint(n, -1, HIPS, -1);
    const bool is_hips = sn_rig_is_above(n->tree, hips, legs[0]) && sn_rig_is_above(n->tree, hips, legs[1]);
    of_role[SN_HUMANOID_HIPS] = is_hips ? hips : sn_rig_common_ancestor(n->tree, legs[0], legs[1]);
    const int32_t neck = topmost_joint(n, -1, NECK, of_role[SN_HUMANOID_HIPS]);
    const int32_t head = topmost_joint(n, -1, HEAD, of_role[SN_HUMANOID_HIPS]);
    of_role[SN_HUMANOID_HEAD] = first_valid(head, neck >= 0 ? topmost_joint(n, -1, NECK, neck) : -1);
    of_role[SN_HUMANOID_NECK] = sn_rig_is_above(n->tree, neck, of_role[SN_HUMANOID_HEAD]) ? neck : -1;
}

sn_result sn_humanoid_guess_names(const sn_rig_tree *tree, sn_arena *arena, int32_t *of_role)
{
    const sn_rig_skeleton *skeleton = tree->skeleton;
    word_list n = {.tree = tree};
    n.parts = SN_NEW(arena, word_part, skeleton->joint_count);
    n.sides = n.parts ? SN_NEW(arena, int, skeleton->joint_count) : NULL;
    if (!n.sides) {
        return SN_ERROR_MEMORY;
    }
    for (int32_t j = 0; j < skeleton->joint_count; ++j) {
        n.parts[j] = part_of(skeleton->names[j], &n.sides[j]);
    }
    assign_roles(&n, of_role);
    return SN_OK;
}

/* SPDX-License-Identifier: MIT */
#include "tools/bench/bone_regions.h"

#include <ctype.h>
#include <string.h>

static const char *const hands[] = {"hand",  "hands", "wrist", "finger", "fingers", "thumb",
                                    "index", "palm",  "ring",  "little", "pinky",   NULL};
static const char *const feet[] = {"foot", "feet", "toe", "toes", "toebase", "ankle", "paw", "hoof", NULL};
static const char *const heads[] = {"head", "face", "jaw", "eye", "eyes", "skull", "nose", "mouth", "lip", NULL};
static const char *const loose[] = {"ear",     "ears",    "hair",     "tail",  "bangs", "fringe",  "antenna",
                                    "antlers", "feather", "feathers", "braid", "tuft",  "whisker", NULL};

static bool is_listed(const char *word, size_t length, const char *const *list)
{
    for (; *list; ++list) {
        if (strlen(*list) == length && memcmp(word, *list, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether the word, or the word after a side ("leftear", "lfoot"), is in the list. */
static bool is_word_of(const char *word, size_t length, const char *const *list)
{
    static const char *const sides[] = {"left", "right", "l", "r", ""};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; ++i) {
        const size_t side = strlen(sides[i]);
        if (length > side && memcmp(word, sides[i], side) == 0 && is_listed(word + side, length - side, list)) {
            return true;
        }
    }
    return false;
}

/* Whether a word of the name is in the list: letters, cut where a capital follows a small letter. */
static bool has_word(const char *name, const char *const *list)
{
    char word[64];
    size_t length = 0;
    for (const char *at = name;; ++at) {
        const bool is_letter = isalpha((unsigned char)*at);
        const bool is_cut = isupper((unsigned char)*at) && at > name && islower((unsigned char)at[-1]);
        if ((!is_letter || is_cut) && length > 0) {
            if (is_word_of(word, length, list)) {
                return true;
            }
            length = 0;
        }
        if (is_letter && length < sizeof word) {
            word[length++] = (char)tolower((unsigned char)*at);
        }
        if (*at == 0) {
            return false;
        }
    }
}

static sn_bone_region part_of_role(int role)
{
    const int part = role >= SN_HUMANOID_LEFT ? (role - SN_HUMANOID_LEFT) % SN_PART_COUNT : -1;
    return part >= SN_PART_HAND                           ? SN_REGION_HAND
           : part == SN_PART_FOOT || part == SN_PART_TOES ? SN_REGION_FOOT
           : part < 0 && role >= SN_HUMANOID_HEAD         ? SN_REGION_HEAD
                                                          : SN_REGION_BODY;
}

static sn_bone_region part_of_name(const char *name)
{
    return has_word(name, loose)   ? SN_REGION_LOOSE
           : has_word(name, hands) ? SN_REGION_HAND
           : has_word(name, feet)  ? SN_REGION_FOOT
           : has_word(name, heads) ? SN_REGION_HEAD
                                   : SN_REGION_BODY;
}

static sn_bone_region own_part(const sn_model *model, int bone)
{
    if (model->has_roles == 1 && model->bone_roles[bone] >= 0) {
        return part_of_role(model->bone_roles[bone]);
    }
    const bool is_spring = model->spring_joint_count > 0 && model->spring_bones[bone] >= 0;
    return is_spring ? SN_REGION_LOOSE : part_of_name(sn_model_bone_name(model, bone));
}

const char *sn_bone_region_name(sn_bone_region part)
{
    static const char *const names[SN_REGION_COUNT] = {"body", "hand", "foot", "head", "loose"};
    return names[part];
}

void sn_bone_regions_find(const sn_model *model, sn_bone_region *parts)
{
    for (int bone = 0; bone < model->counts.bone_count; ++bone) {
        parts[bone] = own_part(model, bone);
        for (int32_t parent = model->bone_parents[bone]; parent >= 0 && parts[bone] == SN_REGION_BODY;
             parent = model->bone_parents[parent]) { /* what hangs on a hand, foot or ear belongs to it */
            const sn_bone_region above = own_part(model, parent);
            parts[bone] = above == SN_REGION_HEAD ? SN_REGION_BODY : above;
        }
    }
}

void sn_dominant_bones_find(const sn_model *model, int32_t *of_vertex, int32_t *of_surface_vertex)
{
    const size_t bones = (size_t)model->counts.bone_count;
    for (size_t v = 0; v < (size_t)model->counts.vertex_count; ++v) {
        const float *weights = model->rig_weights + v * bones;
        of_vertex[v] = 0;
        for (size_t b = 1; b < bones; ++b) {
            of_vertex[v] = weights[b] > weights[of_vertex[v]] ? (int32_t)b : of_vertex[v];
        }
    }
    for (size_t v = 0; v < (size_t)model->counts.surface_vertex_count; ++v) {
        float max_weight = -1;
        of_surface_vertex[v] = 0;
        for (int32_t i = model->influence_starts[v]; i < model->influence_starts[v + 1]; ++i) {
            if (model->influences[i].weight > max_weight) {
                max_weight = model->influences[i].weight;
                of_surface_vertex[v] = model->influences[i].bone;
            }
        }
    }
}

/* SPDX-License-Identifier: MIT */
/* Weapon kits attach all of their weapons to one bone and let the game choose one. The parts of a head (skull, hair,
 * eyes) also share a bone, but all of them must stay visible. The bone decides which case it is: alternatives are
 * attached to a hand, or to a leaf bone that moves no skin and is no head. */
#include <string.h>
#include <strings.h>

#include "author/import/part_box.h"

static bool boxes_overlap(const sn_box *a, const sn_box *b)
{
    bool is_separate = false;
    for (int d = 0; d < 3; ++d) {
        is_separate |= a->high[d] < b->low[d] || b->high[d] < a->low[d];
    }
    return !is_separate;
}

/* Case-insensitive; words ends with NULL. */
static bool has_word(const char *name, const char *const *words)
{
    for (; *words; ++words) {
        for (const char *at = name; *at; ++at) {
            if (strncasecmp(at, *words, strlen(*words)) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* Finds the bones that can carry alternatives; the last argument is (bone_count). */
static sn_result find_attachment_bones(const sn_character *c, sn_arena *scratch, bool *can_carry)
{
    static const char *const hand_words[] = {"hand", "wrist", "palm", "weapon", "slot", "socket", "grip", NULL};
    static const char *const head_words[] = {"head", "skull", "face", "jaw", "neck", NULL};
    bool *moves_skin = SN_NEW(scratch, bool, c->bone_count), *has_child = SN_NEW(scratch, bool, c->bone_count);
    if (!moves_skin || !has_child) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < c->part_count; ++i) {
        const int first = c->parts[i].first_vertex, end = first + c->parts[i].vertex_count;
        for (int32_t k = c->influence_starts[first]; c->parts[i].is_skinned && k < c->influence_starts[end]; ++k) {
            moves_skin[c->influence_bones[k]] = true;
        }
    }
    for (int b = 0; b < c->bone_count; ++b) {
        if (c->bone_parents[b] >= 0) {
            has_child[c->bone_parents[b]] = true;
        }
    }
    for (int b = 0; b < c->bone_count; ++b) {
        const bool is_head = has_word(c->bone_names[b], head_words);
        can_carry[b] = !is_head && (moves_skin[b] ? has_word(c->bone_names[b], hand_words) : !has_child[b]);
    }
    return SN_OK;
}

/* Hides unskinned parts that overlap another part at such a bone. Parts of one node (several materials) count as one.
 */
sn_result sn_hide_alternatives(sn_character *c, bool has_skin, const sn_sidecar *sidecar, sn_arena *scratch)
{
    sn_box *boxes = SN_NEW(scratch, sn_box, c->part_count);
    bool *can_carry = SN_NEW(scratch, bool, c->bone_count);
    if (!boxes || !can_carry || find_attachment_bones(c, scratch, can_carry) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < c->part_count; ++i) {
        boxes[i] = sn_part_box(c, &c->parts[i]);
    }
    for (int i = 0; i < c->part_count && has_skin; ++i) {
        sn_character_part *part = &c->parts[i];
        const bool is_attached = !part->is_skinned && part->only_bone >= 0 && can_carry[part->only_bone];
        for (int j = 0; j < c->part_count && is_attached; ++j) {
            const sn_character_part *other = &c->parts[j];
            part->is_hidden |= strcmp(part->name, other->name) != 0 && !other->is_skinned &&
                               other->only_bone == part->only_bone && boxes_overlap(&boxes[i], &boxes[j]);
        }
    }
    for (int i = 0; i < c->part_count; ++i) {
        sn_character_part *part = &c->parts[i];
        part->is_hidden = (part->is_hidden && !sn_name_is_listed(&sidecar->show, part->name) &&
                           !sn_name_is_listed(&sidecar->soft, part->name)) ||
                          sn_name_is_listed(&sidecar->hide, part->name);
    }
    return SN_OK;
}

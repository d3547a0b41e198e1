/* SPDX-License-Identifier: MIT */
#include "author/import/named_expressions.h"

#include <string.h>
#include <strings.h>

#include "author/io/motion/arkit_csv.h"

#define SPELLING_CHARS 64 /* of a simplified name; longer names match nothing */

typedef char simple_name[SPELLING_CHARS];

static const char *const presets[] = {"aa",         "ih",    "ou",    "ee",  "oh",      "blink",    "blinkLeft",
                                      "blinkRight", "happy", "angry", "sad", "relaxed", "surprised"};
#define PRESET_COUNT ((int)(sizeof presets / sizeof *presets))
#define NAME_COUNT (SN_ARKIT_COUNT + PRESET_COUNT)

/* Other spellings of the names, simplified. */
static const struct {
    const char *spelling, *name;
} spellings[] = {
    /* letters of the mouth's shapes */
    {"a", "aa"},
    {"i", "ih"},
    {"u", "ou"},
    {"e", "ee"},
    {"o", "oh"},
    /* VRChat: vrc.v_aa */
    {"vaa", "aa"},
    {"vih", "ih"},
    {"vou", "ou"},
    {"ve", "ee"},
    {"voh", "oh"},
    /* VRoid: Fcl_MTH_A */
    {"fclmtha", "aa"},
    {"fclmthi", "ih"},
    {"fclmthu", "ou"},
    {"fclmthe", "ee"},
    {"fclmtho", "oh"},
    {"fclalljoy", "happy"},
    {"fclallangry", "angry"},
    {"fclallsorrow", "sad"},
    {"fclallfun", "relaxed"},
    {"fclallsurprised", "surprised"},
    {"fcleyeclose", "blink"},
    {"fcleyecloseleft", "blinkLeft"},
    {"fcleyecloseright", "blinkRight"},
    /* MikuMikuDance */
    {"あ", "aa"},
    {"い", "ih"},
    {"う", "ou"},
    {"え", "ee"},
    {"お", "oh"},
    {"まばたき", "blink"},
    {"ウィンク", "blinkLeft"},
    {"ウィンク右", "blinkRight"},
    /* Character Creator: Brow_Raise_Inner_L */
    {"browraiseinnerleft", "browInnerUp"},
    {"browraiseinnerright", "browInnerUp"},
    {"browraiseouterleft", "browOuterUpLeft"},
    {"browraiseouterright", "browOuterUpRight"},
    {"browdropleft", "browDownLeft"},
    {"browdropright", "browDownRight"},
    {"eyellookleft", "eyeLookOutLeft"},
    {"eyellookright", "eyeLookInLeft"},
    {"eyellookup", "eyeLookUpLeft"},
    {"eyellookdown", "eyeLookDownLeft"},
    {"eyerlookleft", "eyeLookInRight"},
    {"eyerlookright", "eyeLookOutRight"},
    {"eyerlookup", "eyeLookUpRight"},
    {"eyerlookdown", "eyeLookDownRight"},
    {"cheekraiseleft", "cheekSquintLeft"},
    {"cheekraiseright", "cheekSquintRight"},
    {"cheekpuffleft", "cheekPuff"},
    {"cheekpuffright", "cheekPuff"},
    {"mouthpuckerupleft", "mouthPucker"},
    {"mouthpuckerupright", "mouthPucker"},
    {"mouthpuckerdownleft", "mouthPucker"},
    {"mouthpuckerdownright", "mouthPucker"},
    {"mouthfunnelupleft", "mouthFunnel"},
    {"mouthfunnelupright", "mouthFunnel"},
    {"mouthfunneldownleft", "mouthFunnel"},
    {"mouthfunneldownright", "mouthFunnel"},
    {"mouthrollinupperleft", "mouthRollUpper"},
    {"mouthrollinupperright", "mouthRollUpper"},
    {"mouthrollinlowerleft", "mouthRollLower"},
    {"mouthrollinlowerright", "mouthRollLower"},
    {"mouthupupperleft", "mouthUpperUpLeft"},
    {"mouthupupperright", "mouthUpperUpRight"},
    {"mouthdownlowerleft", "mouthLowerDownLeft"},
    {"mouthdownlowerright", "mouthLowerDownRight"},
};
#define SPELLING_COUNT ((int)(sizeof spellings / sizeof *spellings))

static const char *name_at(int index)
{
    return index < SN_ARKIT_COUNT ? sn_arkit_name(index) : presets[index - SN_ARKIT_COUNT];
}

static bool is_separator(char c)
{
    return c == '_' || c == '-' || c == ' ';
}

/* Lower case without separators and prefix; the last word of l or r becomes left or right. Empty if it is too long. */
static void simplify(const char *name, simple_name simple)
{
    const char *point = strrchr(name, '.');
    name = point && point[1] ? point + 1 : name;
    size_t count = 0, word = 0;
    for (; *name && count < SPELLING_CHARS - 6; ++name) {
        if (is_separator(*name)) {
            word = count;
        } else {
            simple[count++] = (char)(*name >= 'A' && *name <= 'Z' ? *name - 'A' + 'a' : *name);
        }
    }
    simple[*name ? 0 : count] = 0;
    const char last = simple[word];
    if (word > 0 && count == word + 1 && !*name && (last == 'l' || last == 'r')) {
        strcpy(simple + word, last == 'l' ? "left" : "right");
    }
}

/* The index of the name that a morph target has in any spelling, or -1. */
static int find_name(const char *morph, const simple_name *simple_names)
{
    simple_name simple;
    simplify(morph, simple);
    for (int k = 0; k < SPELLING_COUNT; ++k) {
        if (strcmp(simple, spellings[k].spelling) == 0) {
            simplify(spellings[k].name, simple);
            break;
        }
    }
    for (int i = 0; i < NAME_COUNT && simple[0]; ++i) {
        if (strcmp(simple, simple_names[i]) == 0) {
            return i;
        }
    }
    return -1;
}

static bool has_expression(const sn_character *c, const char *name)
{
    for (int e = 0; e < c->expression_count; ++e) {
        if (strcasecmp(c->expressions[e].name, name) == 0 || sn_vrm_expressions_match(c->expressions[e].name, name)) {
            return true;
        }
    }
    return false;
}

sn_result sn_character_name_expressions(sn_arena *arena, sn_character *c)
{
    const int bind_count = c->expression_bind_count + c->morph_count;
    simple_name *simple_names = SN_NEW(arena, simple_name, NAME_COUNT);
    int *names = SN_NEW(arena, int, c->morph_count);
    sn_character_expression *expressions = SN_NEW(arena, sn_character_expression, c->expression_count + NAME_COUNT);
    sn_expression_bind *binds = SN_NEW(arena, sn_expression_bind, bind_count);
    if (!simple_names || !names || !expressions || !binds) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < NAME_COUNT; ++i) {
        simplify(name_at(i), simple_names[i]);
    }
    for (int m = 0; m < c->morph_count; ++m) {
        names[m] = find_name(c->morphs[m].name, simple_names);
    }
    if (c->expression_count > 0) {
        memcpy(expressions, c->expressions, (size_t)c->expression_count * sizeof *expressions);
        memcpy(binds, c->expression_binds, (size_t)c->expression_bind_count * sizeof *binds);
    }
    int count = c->expression_count;
    for (int i = 0; i < NAME_COUNT; ++i) {
        const int first = c->expression_bind_count;
        for (int32_t m = 0; m < c->morph_count && !has_expression(c, name_at(i)); ++m) {
            if (names[m] == i) {
                binds[c->expression_bind_count++] = (sn_expression_bind){m, 1};
            }
        }
        if (c->expression_bind_count > first) {
            expressions[count++] = (sn_character_expression){
                name_at(i), {.first_bind = first, .bind_count = c->expression_bind_count - first}};
        }
    }
    c->expressions = expressions;
    c->expression_binds = binds;
    c->expression_count = count;
    return SN_OK;
}

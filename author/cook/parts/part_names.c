/* SPDX-License-Identifier: MIT */
/* Matches names of bones, meshes and materials with the words of part_table.c. */
#include <ctype.h>
#include <string.h>

#include "author/cook/parts/part_table.h"

#define TOKEN_LIMIT 16
#define TOKEN_BYTES 32
#define MIN_PARTIAL_WORD 5 /* letters of a word that matches the beginning or end of a token */

typedef struct name_tokens {
    char list[TOKEN_LIMIT][TOKEN_BYTES]; /* lower case, without accents */
    int count, side;
    const char *name;
} name_tokens;

/* The ASCII letters of U+00C0 .. U+00FF; 0: no letter. */
static const char latin_1[] = "aaaaaaaceeeeiiiidnooooo\0ouuuuytsaaaaaaaceeeeiiiidnooooo\0ouuuuyty";

static void add_letter(name_tokens *t, size_t *length, char letter)
{
    if (t->count > 0 && *length + 1 < TOKEN_BYTES) {
        t->list[t->count - 1][(*length)++] = letter;
    }
}

/* "LThigh" and "lThigh" are l thigh; "upperARM" is upper arm. */
static bool is_token_start(const unsigned char *at, bool is_after_letter)
{
    return !is_after_letter || (isupper(at[0]) && (islower(at[-1]) || islower(at[1])));
}

static void split(const char *name, name_tokens *t)
{
    const char *colon = strrchr(name, ':');
    *t = (name_tokens){.side = -1, .name = colon ? colon + 1 : name};
    bool is_after_letter = false;
    size_t length = 0;
    for (const unsigned char *at = (const unsigned char *)t->name; *at; ++at) {
        const bool is_latin = at[0] == 0xC3 && at[1] >= 0x80 && latin_1[at[1] - 0x80];
        if (!isalpha(at[0]) && !is_latin) {
            is_after_letter = false;
            continue;
        }
        if (!is_after_letter || (!is_latin && at[-1] < 0x80 && is_token_start(at, true))) {
            if (t->count == TOKEN_LIMIT) {
                return;
            }
            ++t->count;
            length = 0;
        }
        add_letter(t, &length, is_latin ? latin_1[at[1] - 0x80] : (char)tolower(at[0]));
        if (is_latin) { /* the sharp s is two letters */
            if (at[1] == 0x9F) {
                add_letter(t, &length, 's');
            }
            ++at;
        }
        is_after_letter = true;
    }
}

static bool is_one_of(const char *token, const char *const *words)
{
    while (*words && strcmp(token, *words) != 0) {
        ++words;
    }
    return *words != NULL;
}

/* Finds the side and removes it: "left", "L", "lThigh", "leftarm". */
static void split_side(name_tokens *t)
{
    static const char *const sides[2][12] = {
        {"l", "left", "lft", "lf", "links", "linke", "linker", "gauche", "izquierda", "izquierdo", "izq", NULL},
        {"r", "right", "rgt", "rt", "rechts", "rechte", "rechter", "droite", "droit", "derecha", "derecho", NULL}};
    static const char *const prefixes[2] = {"left", "right"};
    static const char *const parts[] = {"hand",   "foot",    "leg",      "arm",      "thigh",    "shin",     "calf",
                                        "knee",   "hip",     "elbow",    "toe",      "ear",      "eye",      "wing",
                                        "breast", "wrist",   "upleg",    "ankle",    "shoulder", "paw",      "cheek",
                                        "butt",   "forearm", "clavicle", "upperarm", "lowerarm", "upperleg", "lowerleg",
                                        "glute",  "fin",     NULL};
    for (int i = 0; i < t->count; ++i) {
        for (int side = 0; side < 2; ++side) {
            char *token = t->list[i];
            const size_t prefix = strlen(prefixes[side]);
            if (is_one_of(token, sides[side])) {
                t->side = side;
                token[0] = 0;
            } else if (strncmp(token, prefixes[side], prefix) == 0) {
                t->side = side;
                memmove(token, token + prefix, strlen(token + prefix) + 1);
            } else if (token[0] == prefixes[side][0] && is_one_of(token + 1, parts)) {
                t->side = side;
                memmove(token, token + 1, strlen(token));
            }
        }
    }
    if (strstr(t->name, "左") || strstr(t->name, "왼")) {
        t->side = 0;
    } else if (strstr(t->name, "右") || strstr(t->name, "오른")) {
        t->side = 1;
    }
}

/* Whether the word equals consecutive tokens from `first` on, without their separators. A plural s is ignored. */
static bool is_run(const name_tokens *t, int first, const char *word, size_t size)
{
    size_t at = 0;
    for (int i = first; i < t->count && at < size; ++i) {
        const size_t length = strlen(t->list[i]);
        if (length > size - at) {
            return length == size - at + 1 && t->list[i][length - 1] == 's' &&
                   strncmp(t->list[i], word + at, size - at) == 0;
        }
        if (strncmp(t->list[i], word + at, length) != 0) {
            return false;
        }
        at += length;
    }
    return at == size;
}

static bool has_word(const name_tokens *t, const char *word, size_t size, bool is_partial)
{
    if ((unsigned char)word[0] >= 0x80) {
        for (const char *at = t->name; *at; ++at) {
            if (strncmp(at, word, size) == 0) {
                return true;
            }
        }
        return false;
    }
    for (int i = 0; i < t->count; ++i) {
        const size_t length = strlen(t->list[i]);
        if (is_run(t, i, word, size) ||
            (is_partial && size >= MIN_PARTIAL_WORD && length > size &&
             (strncmp(t->list[i], word, size) == 0 || strncmp(t->list[i] + length - size, word, size) == 0))) {
            return true;
        }
    }
    return false;
}

/* The length of the longest word of the list in the name, or 0. */
static size_t longest_word(const name_tokens *t, const char *words, bool is_partial)
{
    size_t longest = 0;
    while (*words) {
        const size_t size = strcspn(words, " ");
        if (size > longest && has_word(t, words, size, is_partial)) {
            longest = size;
        }
        words += size + strspn(words + size, " ");
    }
    return longest;
}

sn_flesh_name sn_flesh_kind_of_name(const char *name)
{
    static const char *const twists[] = {"twist", "roll", "tw", NULL};
    static const char *const helpers[] = {"ik", "fk", "ctrl", "control", "pole", "target", "nub", "mch", "vis", NULL};
    name_tokens t;
    split(name, &t);
    split_side(&t);
    sn_flesh_name result = {.kind = SN_FLESH_GENERIC, .side = t.side};
    for (int i = 0; i < t.count; ++i) {
        result.is_helper = result.is_helper || is_one_of(t.list[i], helpers);
        result.is_twist = result.is_twist || is_one_of(t.list[i], twists);
    }
    result.is_twist = result.is_twist || strstr(name, "捩");
    result.is_helper = result.is_helper || strstr(name, "ＩＫ");
    size_t longest = 0;
    for (int kind = 1; kind < SN_FLESH_KIND_COUNT; ++kind) {
        const sn_flesh_preset *preset = sn_flesh_preset_of((sn_flesh_kind)kind);
        const size_t size = longest_word(&t, preset->words, true), bare = longest_word(&t, preset->bare_words, true);
        const size_t best = size > bare ? size : bare;
        const bool is_protected = sn_flesh_is_accessory(result.kind) && !sn_flesh_is_accessory((sn_flesh_kind)kind);
        if (best > longest && !is_protected) {
            longest = best;
            result.kind = (sn_flesh_kind)kind;
            result.is_bare = bare > size;
        }
    }
    return result;
}

sn_flesh_kind sn_flesh_kind_of_object(const char *name)
{
    static const sn_flesh_kind object_words[] = {SN_FLESH_HARD, SN_FLESH_STRAP, SN_FLESH_CLOTH, SN_FLESH_HAIR};
    name_tokens t;
    split(name, &t);
    split_side(&t);
    sn_flesh_kind result = SN_FLESH_GENERIC;
    size_t longest = 0;
    for (size_t i = 0; i < sizeof object_words / sizeof object_words[0]; ++i) {
        const size_t size = longest_word(&t, sn_flesh_preset_of(object_words[i])->words, false);
        if (size > longest) {
            longest = size;
            result = object_words[i];
        }
    }
    return result;
}

/* SPDX-License-Identifier: MIT */
/* The kinds of parts of a body: their motion, and the words by which names of bones, meshes and materials refer to
 * them. */
#ifndef SN_AUTHOR_COOK_PARTS_PART_TABLE_H
#define SN_AUTHOR_COOK_PARTS_PART_TABLE_H

#include <stdbool.h>

typedef enum sn_flesh_kind {
    SN_FLESH_GENERIC,
    /* Accessories. Their words have precedence over those of the body: "leg_armor" is hard. */
    SN_FLESH_HARD,
    SN_FLESH_STRAP,
    SN_FLESH_CLOTH,
    SN_FLESH_HAIR,
    /* Appendages: one part per chain of bones. */
    SN_FLESH_EAR,
    SN_FLESH_TAIL,
    SN_FLESH_TENTACLE,
    SN_FLESH_WING,
    SN_FLESH_FIN,
    /* The body. */
    SN_FLESH_FACE,
    SN_FLESH_HEAD,
    SN_FLESH_CHEEKS,
    SN_FLESH_NECK,
    SN_FLESH_SHOULDERS,
    SN_FLESH_UPPER_ARMS,
    SN_FLESH_FOREARMS,
    SN_FLESH_HANDS,
    SN_FLESH_BREASTS, /* with bones of their own */
    SN_FLESH_CHEST,
    SN_FLESH_BELLY,
    SN_FLESH_BACK,
    SN_FLESH_BUTTOCKS,
    SN_FLESH_TORSO, /* what cannot be divided */
    SN_FLESH_THIGHS,
    SN_FLESH_SHINS,
    SN_FLESH_FEET,
    SN_FLESH_KIND_COUNT
} sn_flesh_kind;

typedef struct sn_flesh_preset {
    const char *name;                    /* of the part, and of the kind in the sidecar */
    double amplitude;                    /* displacement in a walk, fraction of the character's height */
    double min_frequency, max_frequency; /* Hz */
    double settling_time;                /* s, to 2% */
    double core_depth;                   /* see sn_flesh_part */
    double core_length;                  /* fraction of a chain of bones, from its root, with a core around it */
    bool is_rigid;
    const char *words;      /* separated by spaces; see sn_flesh_kind_of_name */
    const char *bare_words; /* likewise; their meaning depends on the bones above: "leg" below a "leg" is the shin. Not
                               for objects */
} sn_flesh_preset;

const sn_flesh_preset *sn_flesh_preset_of(sn_flesh_kind kind);
/* The kind with this name ("belly"), in any case; SN_FLESH_KIND_COUNT: none. */
sn_flesh_kind sn_flesh_kind_find(const char *name);

static inline bool sn_flesh_is_accessory(sn_flesh_kind kind)
{
    return kind >= SN_FLESH_HARD && kind <= SN_FLESH_HAIR;
}
static inline bool sn_flesh_is_appendage(sn_flesh_kind kind)
{
    return kind >= SN_FLESH_EAR && kind <= SN_FLESH_FIN;
}
static inline bool sn_flesh_is_torso(sn_flesh_kind kind)
{
    return kind >= SN_FLESH_CHEST && kind <= SN_FLESH_TORSO;
}

/* What a name means. */
typedef struct sn_flesh_name {
    sn_flesh_kind kind; /* SN_FLESH_GENERIC: nothing known */
    bool is_bare;       /* by a bare word */
    bool is_twist;      /* turns with a limb about its axis */
    bool is_helper;     /* an IK target, a controller or the end of a chain */
    int side;           /* -1: none, 0: left, 1: right */
} sn_flesh_name;

/* Reads a name of a bone. It is split at punctuation, digits and capitals, without regard to case and accents; a prefix
 * up to a colon is removed. A word of the table matches one or more whole words of the name; a word of five letters or
 * more also matches the beginning or end of one. Words in Chinese, Japanese and Korean match anywhere. Accessories have
 * precedence, then the longest word. */
sn_flesh_name sn_flesh_kind_of_name(const char *name);
/* The same for a mesh or a material: only accessories, and whole words only. */
sn_flesh_kind sn_flesh_kind_of_object(const char *name);

#endif

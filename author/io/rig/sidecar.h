/* SPDX-License-Identifier: MIT */
/* User settings for a character or tet mesh in NAME.sinew.json beside NAME.glb or NAME.msh. The schema is in
 * docs/reference/sidecar.md. */
#ifndef SN_AUTHOR_IO_RIG_SIDECAR_H
#define SN_AUTHOR_IO_RIG_SIDECAR_H

#include "author/io/rig/rig_file.h"
#include "sinew/author.h"

typedef struct sn_name_list {
    const char **names;
    int count;
} sn_name_list;

#define SN_MAX_POISSON 0.45
#define SN_MIN_FACTOR 1e-6 /* of stiffness and density */
#define SN_MAX_FACTOR 1e6
#define SN_SIDECAR_MODE_LIMIT 256 /* bounds the cooking time */
#define SN_TARGET_MODE_LIMIT 96   /* three per displacement field of morph targets */
#define SN_MAX_INERTIA_GAIN 10.0

/* Material parameters of the material or bone with this name: factors of the default Young's modulus and density,
 * Poisson's ratio, and the momentum leak D. */
typedef struct sn_named_tet_material {
    const char *name;
    double stiffness, density;
    double poisson, leak;        /* negative: not set */
    double stretch[3], shear[3]; /* for layered bodies: factors along axes 1, 2, 3, and between 12, 13, 23 */
} sn_named_tet_material;

#define SN_MAX_PART_AMPLITUDE 0.5
#define SN_MIN_PART_FREQUENCY 0.05 /* Hz */
#define SN_MAX_PART_FREQUENCY 100.0
#define SN_MIN_SETTLING_TIME 0.01 /* s */
#define SN_MAX_SETTLING_TIME 60.0

/* An entry of "parts", for the part, bone, node, mesh or material with this name. */
typedef struct sn_named_part {
    const char *name;
    const char *kind;     /* "rigid", "soft" or a kind of part; null: not set */
    double amplitude;     /* fraction of the character's height; negative: not set */
    double frequency;     /* Hz; 0: not set */
    double settling_time; /* s; 0: not set */
    double core_depth;    /* negative: not set */
} sn_named_part;

/* Scales the motion of all parts. */
typedef enum sn_character_style {
    SN_STYLE_DEFAULT,
    SN_STYLE_REALISTIC,
    SN_STYLE_CARTOON,
    SN_STYLE_JELLY,
    SN_STYLE_COUNT
} sn_character_style;

typedef struct sn_sidecar {
    sn_name_list rigid, soft, show, hide; /* names of nodes or meshes */
    sn_name_list pin;                     /* names of bones, nodes, meshes or materials */
    sn_name_list soft_bones, held;        /* names of bones */
    sn_cook_leak leak;                    /* SN_LEAK_AUTO: not set */
    sn_cook_morphs morphs;                /* SN_MORPHS_AUTO: not set */
    sn_cook_method method;                /* SN_COOK_METHOD_AUTO: not set */
    sn_cook_complementary complementary;  /* SN_COMPLEMENTARY_AUTO: not set */
    int mode_count, cluster_count;        /* 0: not set */
    int target_mode_count;                /* number of modes for morph targets, if has_target_modes */
    double target_inertia_gain;           /* max. fraction of a target's displacement, if has_target_inertia_gain */
    bool has_target_modes, has_target_inertia_gain;
    bool is_floating;                /* "floor": false */
    bool is_without_generated_clips; /* "generated_clips": false */
    double poisson;                  /* 0: not set */
    sn_named_tet_material *materials, *bones;
    int material_count, bone_count;
    const char *path; /* of the sidecar; null: there is none */
    sn_rig_handles handles;
    const sn_cook_collider *colliders; /* attached to bones; see sidecar_colliders.h */
    int collider_count;
    sn_named_part *parts; /* see sidecar_parts.h */
    int part_count;
    sn_character_style style;
    bool has_fibres;
    sn_cook_fibres fibres; /* see sidecar_fibres.h */
} sn_sidecar;

bool sn_name_is_listed(const sn_name_list *list, const char *name);

/* Errors: not JSON, a member of the wrong type, a number out of range. Unknown members cause warnings. */
sn_result sn_sidecar_read(const sn_source *source, sn_arena *arena, sn_sidecar *sidecar);
/* Path of the sidecar of the file at `path`: its name with .sinew.json as the extension. Null: no memory. */
const char *sn_sidecar_path(const char *path, sn_arena *arena);
/* Reads the sidecar of the file at `path`; empty if there is none. */
sn_result sn_sidecar_find(const char *path, sn_arena *arena, sn_sidecar *sidecar);

#endif

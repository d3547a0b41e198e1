/* SPDX-License-Identifier: MIT */
/* A scene as one character: the drawn nodes as one surface in the bind pose, the joints as bones, the clips as bone
 * transforms relative to bind. */
#ifndef SN_AUTHOR_IMPORT_CHARACTER_H
#define SN_AUTHOR_IMPORT_CHARACTER_H

#include "author/import/bone_frame.h"
#include "author/io/scene_pose.h"

typedef struct sn_character_clip {
    const char *name;
    int frame_count;
    double frame_rate;
    double *transforms; /* (frame_count x bone_count x 12), world, relative to bind */
    int track_count;
    const int32_t *tracks; /* (track_count) animated morph targets, ascending */
    float *morphs;         /* (frame_count x track_count) weights, or null: at rest */
} sn_character_clip;

/* A morph target of a mesh, for one node that draws it. */
typedef struct sn_character_morph {
    const char *name; /* may be empty */
    float rest_weight;
    int first_delta, delta_count;
} sn_character_morph;

/* Displacement of a vertex by a morph target. */
typedef struct sn_character_delta {
    int32_t vertex;
    double offset[3]; /* in the bind pose */
} sn_character_delta;

typedef struct sn_character_expression {
    const char *name;
    sn_expression definition;
} sn_character_expression;

/* The part of the surface that one node draws with one material. */
typedef struct sn_character_part {
    const char *name; /* name of the node, or of its mesh */
    int first_triangle, triangle_count, first_vertex, vertex_count;
    int32_t material;      /* index into the character's materials */
    int32_t only_bone;     /* the only bone that moves the part, or -1 */
    bool is_skinned;       /* the file has a skin for it; otherwise the part moves with its node */
    bool is_hidden;        /* neither drawn nor simulated */
    int rigid_piece_count; /* connected pieces that stay rigid, of piece_count */
    int piece_count;
} sn_character_part;

/* VRM spring data of a bone. */
typedef struct sn_character_spring {
    bool is_spring;    /* the bone is a spring bone or a descendant of one */
    const char *clip;  /* first clip that moves it relative to its parent, or null */
    int32_t spring;    /* where is_spring: index of the scene's spring, which lists its colliders */
    double hit_radius; /* collision radius about its center line, in the file's units; 0: the radius of its skin */
} sn_character_spring;

/* A spring joint in the bind pose. */
typedef struct sn_character_link {
    int32_t bone;   /* the joint's bone, or the nearest one above it */
    int32_t parent; /* index of the parent link, which is earlier in the list, or -1 */
    int32_t center; /* bone of the center node, or -1 */
    double head[3], tail[3];
    sn_spring_link values; /* node and tail are indices of the scene */
} sn_character_link;

/* A VRM spring collider. */
typedef struct sn_character_collider {
    int32_t bone; /* -1: no bone moves its node */
    sn_collider_shape shape;
    bool is_inside;
    bool is_flat; /* degenerate: the bone frame flattens its axis; `at_bind` is not set */
    sn_bind_collider at_bind;
} sn_character_collider;

/* The rotation of a bone depends on that of another one (VRMC_node_constraint). */
typedef struct sn_bone_constraint {
    int32_t bone, source;
    sn_constraint_type type;
    int axis; /* as in sn_scene_constraint */
    double weight;
    double rest[4], source_rest[4]; /* of bone and source, relative to their parent bones */
} sn_bone_constraint;

typedef struct sn_character {
    const char *name; /* the file's path, for messages */
    int vertex_count, triangle_count, bone_count, part_count, material_count, texture_count, clip_count;
    double *positions;               /* (vertex_count x 3), in the bind pose */
    double *normals;                 /* (vertex_count x 3), unit */
    double *uvs[2];                  /* (vertex_count x 2), v points down */
    bool has_uvs;                    /* some part has the first UV set */
    uint16_t *colors;                /* (vertex_count x 4), unorm */
    double *paint[SN_PAINTED_COUNT]; /* (vertex_count) each, or null: not in the file; defaults 1, 1, 0 */
    int32_t *file_vertices;          /* (vertex_count) vertex numbers in the file, or null */
    int file_vertex_count;
    int32_t *triangles;        /* (triangle_count x 3), counter-clockwise from outside */
    int32_t *influence_starts; /* (vertex_count + 1) */
    int32_t *influence_bones;
    double *influence_weights; /* > 0, sum of a vertex 1 */
    sn_character_part *parts;
    const char **bone_names;      /* (bone_count) */
    int32_t *bone_parents;        /* (bone_count), -1: root */
    double *bone_bind;            /* (bone_count x 12), row-major world transforms */
    int32_t *bone_roles;          /* (bone_count) sn_humanoid_bone or -1; null: not in the file */
    bool *is_soft_bone;           /* (bone_count) the file labels the bone as simulated */
    sn_character_spring *springs; /* (bone_count) */
    int collider_count;
    sn_character_collider *colliders;   /* same order as in the scene */
    const sn_spring_group *spring_list; /* owned by the scene */
    const int32_t *spring_colliders;    /* owned by the scene */
    int link_count;
    sn_character_link *links; /* parents first */
    int32_t *bone_links;      /* (bone_count) the link that moves the bone, or -1 */
    sn_scene_material *materials;
    const sn_scene_texture *textures;
    sn_character_clip
        *clips; /* if the file has none: a clip with the rest pose, where that differs from the bind pose */
    int morph_count, delta_count, track_count, expression_count, expression_bind_count;
    sn_character_morph *morphs;
    sn_character_delta *deltas;           /* sorted by morph target */
    int32_t *tracks;                      /* (track_count) morph targets that a clip animates, ascending */
    sn_character_expression *expressions; /* only expressions that move a morph target of a drawn node */
    sn_expression_bind *expression_binds;
    bool *is_rigid; /* (vertex_count) no secondary motion; see rigid_parts.h */
    int constraint_count;
    sn_bone_constraint *constraints; /* a constraint after those on which it depends */
    const char *vrm;                 /* of the scene */
    int vrm_version;                 /* of the scene */
    double facing;                   /* 1: faces +Z, -1: faces -Z (VRM 0.x) */
} sn_character;

/* Builds the character. Meshes are in the bind pose, which the inverse bind matrices define; for most files it equals
 * the rest pose. Without a skin, the character has one bone (the handle), which moves with the topmost animated node
 * above all meshes. Errors: SN_ERROR_FORMAT if nothing is drawn or the bind matrices of a skin are singular. */
sn_result sn_character_build(const sn_scene_file *scene, const char *name, sn_arena *arena, sn_character *character);

#endif

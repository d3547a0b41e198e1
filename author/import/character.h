/* SPDX-License-Identifier: MIT */
/* A scene as one character: its drawn nodes as one surface in the bind pose, its joints as bones, its clips as poses
 * relative to bind. */
#ifndef SN_AUTHOR_IMPORT_CHARACTER_H
#define SN_AUTHOR_IMPORT_CHARACTER_H

#include "author/import/bone_frame.h"
#include "author/io/scene_pose.h"

typedef struct sn_character_clip {
    const char *name;
    int frame_count;
    double frame_rate;
    double *transforms; /* (frame_count x bone_count x 12): world, relative to bind */
    int track_count;
    const int32_t *tracks; /* (track_count) morph targets that it moves, ascending */
    float *morphs;         /* (frame_count x track_count) their weights, or null: at rest */
} sn_character_clip;

/* A morph target of one node that draws its mesh. */
typedef struct sn_character_morph {
    const char *name; /* may be empty */
    float rest_weight;
    int first_delta, delta_count;
} sn_character_morph;

/* Where a morph target takes a vertex. */
typedef struct sn_character_delta {
    int32_t vertex;
    double offset[3]; /* bind pose */
} sn_character_delta;

typedef struct sn_character_expression {
    const char *name;
    bool is_binary;
    int first_bind, bind_count;
} sn_character_expression;

/* A piece of the surface that one node draws with one material. */
typedef struct sn_character_part {
    const char *name; /* of the node, or of its mesh */
    int first_triangle, triangle_count, first_vertex, vertex_count;
    int32_t material;  /* of the character's materials */
    int32_t only_bone; /* the one bone that moves all of it, or -1 */
    bool is_skinned;   /* by the file; else it hangs on its node */
    bool is_hidden;    /* neither drawn nor simulated */
    int rigid_pieces;  /* connected pieces of it that stay rigid, out of piece_count */
    int piece_count;
} sn_character_part;

/* What VRM says of a bone. */
typedef struct sn_character_spring {
    bool is_spring;    /* a spring bone, or on one */
    const char *clip;  /* the first that moves it against its parent; null: none does */
    int32_t spring;    /* where is_spring, of the scene's: what it bumps into */
    double hit_radius; /* how far its middle line keeps from that, in the file's units; 0: as far as its skin does */
} sn_character_spring;

/* A spring bone with its numbers, at bind. */
typedef struct sn_character_link {
    int32_t bone;   /* it, or the one that carries it */
    int32_t parent; /* of the links before it: the one that it hangs on, or -1 */
    int32_t center; /* a bone, or -1 */
    double head[3], tail[3];
    sn_spring_link values; /* node and tail are the scene's */
} sn_character_link;

/* Of a VRM. */
typedef struct sn_character_collider {
    int32_t bone; /* -1: none moves its node */
    sn_collider_shape shape;
    bool is_inside;
    bool is_flat; /* it has no place: sn_bone_frame_place is false */
    sn_placed_collider placed;
} sn_character_collider;

typedef struct sn_character {
    const char *name; /* the file, for messages */
    int vertex_count, triangle_count, bone_count, part_count, material_count, texture_count, clip_count;
    double *positions;             /* (vertex_count x 3), bind pose */
    double *normals;               /* (vertex_count x 3), unit */
    double *uvs[2];                /* (vertex_count x 2), v down */
    bool has_uvs;                  /* the first set, anywhere */
    uint16_t *colors;              /* (vertex_count x 4), unorm */
    double *paint[SN_PAINT_COUNT]; /* (vertex_count) each; null: painted nowhere. Where not painted: 1, 1, 0 */
    int32_t *file_vertices;        /* (vertex_count) numbers of their places in the file; null: it has none */
    int file_vertex_count;
    int32_t *triangles;        /* (triangle_count x 3), counter-clockwise from outside */
    int32_t *influence_starts; /* (vertex_count + 1) */
    int32_t *influence_bones;
    double *influence_weights; /* of a vertex: > 0, sum 1 */
    sn_character_part *parts;
    const char **bone_names;      /* (bone_count) */
    int32_t *bone_parents;        /* (bone_count), -1: a root */
    double *bone_bind;            /* (bone_count x 12), row-major world transforms */
    int32_t *bone_roles;          /* (bone_count) of sn_humanoid_bone, or -1; null: the file does not say */
    bool *is_loose;               /* (bone_count) the file says so */
    sn_character_spring *springs; /* (bone_count) */
    int collider_count;
    sn_character_collider *colliders;   /* as the scene's */
    const sn_spring_group *spring_list; /* the scene's */
    const int32_t *spring_colliders;    /* likewise */
    int link_count;
    sn_character_link *links; /* parents first */
    int32_t *bone_links;      /* (bone_count) the link that swings it, or -1 */
    sn_scene_material *materials;
    const sn_scene_texture *textures;
    sn_character_clip *clips; /* without any in the file, the pose it rests in, unless that is the bind pose */
    int morph_count, delta_count, track_count, expression_count, expression_bind_count;
    sn_character_morph *morphs;
    sn_character_delta *deltas;           /* by morph target */
    int32_t *tracks;                      /* (track_count) morph targets that a clip moves, ascending */
    sn_character_expression *expressions; /* those that move a morph target here */
    sn_expression_bind *expression_binds;
    bool *is_rigid; /* (vertex_count) moves with its bones alone; see rigid.h */
    double facing;  /* 1: towards +Z, -1: towards -Z (VRM 0.x) */
} sn_character;

/* Meshes in the bind pose (that of the inverse bind matrices); where a skin's rest pose is its bind pose, as it mostly
 * is, that is the file's own place. No skin: one bone, the handle, which moves with the topmost animated node above all
 * meshes. Errors: SN_ERROR_FORMAT where nothing is drawn, where a skin's bind matrices are singular. */
sn_result sn_character_build(const sn_scene_file *scene, const char *name, sn_arena *arena, sn_character *character);

#endif

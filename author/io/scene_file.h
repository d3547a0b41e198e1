/* SPDX-License-Identifier: MIT */
/* The contents of a character file as read: nodes, meshes, skins, materials, textures, clips. glTF, VRM and FBX files
 * fill all of it; .obj, .off, .ply and .stl files have one node with one mesh. Right-handed with Y up, as in the file
 * (FBX is rotated and scaled to m); nothing is posed or welded. All data is in the arena passed to the reader. */
#ifndef SN_AUTHOR_IO_SCENE_FILE_H
#define SN_AUTHOR_IO_SCENE_FILE_H

#include "author/io/source.h"
#include "host/model/model.h"

/* The graph is a forest; children may precede parents. `local` is the rest transform. Animated nodes use translation,
 * rotation and scale. */
typedef struct sn_scene_node {
    const char *name;   /* never null, may be empty */
    int32_t parent;     /* -1: root */
    int32_t mesh, skin; /* -1: none */
    double translation[3], rotation[4] /* unit quaternion x y z w */, scale[3];
    double local[12];     /* row-major 3 x 4: the product of the three above, or the file's matrix */
    bool has_matrix;      /* the file has a matrix; translation, rotation and scale are then the identity */
    bool is_soft_bone;    /* extras.sinew_loose: the flesh of this bone is simulated; see docs/how-to/soft-bones.md */
    bool is_spring;       /* a VRM spring bone or a descendant of one, and no humanoid bone */
    int32_t spring;       /* where is_spring: index of the scene's spring */
    double hit_radius;    /* where is_spring: collision radius in the file's units */
    bool is_in_scene;     /* reachable from the default scene; true for all nodes if there are no scenes */
    float *morph_weights; /* (the mesh's morph_count) rest weights; null: the mesh's */
} sn_scene_node;

/* A root of the default scene with an identity transform and no mesh. */
sn_scene_node sn_scene_node_default(const char *name);

/* Vertex attributes that artists paint, stored as custom glTF attributes. */
typedef enum sn_painted_quantity {
    SN_PAINTED_STIFFNESS, /* _SINEW_STIFFNESS: factor of the cooked stiffness, 1e-6 .. 1e6 */
    SN_PAINTED_DENSITY,   /* _SINEW_DENSITY: factor of the cooked density, 1e-6 .. 1e6 */
    SN_PAINTED_LEAK,      /* _SINEW_LEAK: momentum leak, 0 .. 1; 1: the flesh must not carry the rig's momentum */
    SN_PAINTED_COUNT
} sn_painted_quantity;

/* The attribute's name. */
const char *sn_painted_quantity_name(sn_painted_quantity paint);

/* Triangles with one material. Strips, fans and non-indexed geometry are converted to triangles (possibly none); points
 * and lines are dropped. Missing arrays are null. Primitives may share vertex arrays and textures may share pixels, so
 * both are read-only. */
typedef struct sn_scene_primitive {
    int vertex_count, triangle_count;
    float *positions;               /* (vertex_count x 3) */
    float *normals;                 /* (vertex_count x 3) or null */
    float *tangents;                /* (vertex_count x 4) or null */
    float *uvs[2];                  /* (vertex_count x 2) each or null; v points down */
    float *colors;                  /* (vertex_count x 4), linear, or null */
    float *paint[SN_PAINTED_COUNT]; /* (vertex_count) each or null */
    int influence_count;            /* influences per vertex: 4 times the sets of joints and weights; 0: unskinned */
    int32_t *joints;    /* (vertex_count x influence_count) indices into the skin's joints; 0 where the weight is 0 */
    float *weights;     /* (vertex_count x influence_count), >= 0, sum 1, or all 0 if the file has none */
    int32_t *triangles; /* (triangle_count x 3) */
    int32_t material;   /* -1: none */
    bool is_flat;       /* flat shading if there are no normals (glTF's rule); else smooth */
    int32_t *file_vertices;  /* (vertex_count) vertex numbers in the file, or null */
    float **morph_positions; /* (morph_count) of (vertex_count x 3) offsets; entries may be null */
    float **morph_normals;   /* likewise */
} sn_scene_primitive;

typedef struct sn_scene_mesh {
    const char *name;
    int first_primitive, primitive_count;
    int morph_count;
    float *morph_weights;     /* (morph_count) rest weights */
    const char **morph_names; /* (morph_count), entries may be empty; null: not in the file */
} sn_scene_mesh;

typedef struct sn_scene_skin {
    int joint_count;
    int32_t *joints;      /* (joint_count) node indices */
    double *inverse_bind; /* (joint_count x 12), row-major */
} sn_scene_skin;

/* 8-bit RGBA, top row first. */
typedef struct sn_scene_texture {
    int width, height;
    uint8_t *pixels;
    sn_texture_wrap wrap_u, wrap_v;
    bool is_nearest;
    const uint8_t *encoded; /* (encoded_size) the same picture as JPEG or WebP, as it came; null: none */
    size_t encoded_size;
} sn_scene_texture;

typedef struct sn_scene_material {
    const char *name;
    sn_material values;                           /* textures are indices into sn_scene_file.textures */
    sn_toon_material toon;                        /* likewise; widths of outlines in the file's units */
    float uv_transforms[SN_TEXTURE_USE_COUNT][6]; /* u' = m0 u + m1 v + m2, v' = m3 u + m4 v + m5 */
} sn_scene_material;

typedef enum sn_scene_path { SN_PATH_TRANSLATION, SN_PATH_ROTATION, SN_PATH_SCALE, SN_PATH_WEIGHTS } sn_scene_path;
typedef enum sn_scene_interpolation { SN_KEYS_LINEAR, SN_KEYS_STEP, SN_KEYS_CUBIC } sn_scene_interpolation;

typedef struct sn_scene_channel {
    int32_t node;
    sn_scene_path path;
    sn_scene_interpolation interpolation;
    int key_count, width; /* values per key: 3, 4, or the mesh's morph_count */
    float *times;         /* (key_count) in s, strictly increasing, >= 0 */
    float *values;        /* (key_count x width); cubic: (key_count x 3 x width): in-tangent, value, out-tangent */
} sn_scene_channel;

typedef struct sn_scene_clip {
    const char *name; /* "clip 0" and so on if the file has no name */
    int first_channel, channel_count;
    double seconds; /* time of the last key of all channels */
} sn_scene_clip;

/* A VRM humanoid bone, with its VRM 1.0 name ("leftThumbMetacarpal"; names of VRM 0.x are converted). */
typedef struct sn_scene_humanoid_bone {
    const char *bone;
    int32_t node;
} sn_scene_humanoid_bone;

/* The weight of a morph target in a VRM expression. VRM 1.0 names a node with the mesh (mesh is -1); VRM 0.x names a
 * mesh, for all nodes that draw it (node is -1). */
typedef struct sn_scene_expression_bind {
    int32_t node, mesh, morph;
    float weight;
} sn_scene_expression_bind;

/* A set of morph targets that move together. What the file does to materials is ignored. Presets have VRM 1.0 names
 * ("happy"; names of 0.x are converted). */
typedef struct sn_scene_expression {
    const char *name;
    sn_expression definition;
} sn_scene_expression;

/* In a .vrma: the x translation of the node, in 0 .. 1, animates an expression. */
typedef struct sn_scene_expression_track {
    const char *name; /* name in the file */
    int32_t node;
} sn_scene_expression_track;

/* A collider of spring bones, in the frame of its node. */
typedef struct sn_spring_collider {
    int32_t node;
    sn_collider_shape shape; /* plane, sphere or capsule */
    double offset[3];        /* center of a sphere, first end of a capsule's axis, or point of a plane */
    double tail[3];          /* second end of a capsule's axis */
    double normal[3];        /* normal of a plane */
    double radius;           /* >= 0 */
    bool is_inside;          /* the sphere or capsule keeps spring bones inside */
} sn_spring_collider;

/* A group of spring joints with common colliders (a range of spring_colliders). Inertia is relative to the frame of the
 * center node; -1: the world. */
typedef struct sn_spring_group {
    int first_collider, collider_count;
    int32_t center;
} sn_spring_group;

/* A spring joint with the parameters of the file: the node rotates about its origin as the tail swings. */
typedef struct sn_spring_link {
    int32_t node;
    int32_t tail; /* descendant node; -1: as in VRM 0.x, 7 cm farther along the direction from the parent to the node */
    int32_t group;                                  /* index of the scene's spring */
    double stiffness, gravity[3], drag, hit_radius; /* gravity: power times direction; drag: 0 .. 1; the others >= 0 */
} sn_spring_link;

typedef enum sn_constraint_type {
    SN_CONSTRAINT_ROLL,     /* turns about an axis as the source does */
    SN_CONSTRAINT_AIM,      /* points an axis at the source */
    SN_CONSTRAINT_ROTATION, /* turns as the source does */
    SN_CONSTRAINT_TYPE_COUNT
} sn_constraint_type;

/* VRMC_node_constraint: the rotation of a node depends on that of another one. */
typedef struct sn_scene_constraint {
    int32_t node, source;
    sn_constraint_type type;
    int axis;      /* x, y, z; of an aim also 3 to 5: the negative ones */
    double weight; /* 0 .. 1 */
} sn_scene_constraint;

typedef struct sn_scene_file {
    int node_count, mesh_count, primitive_count, skin_count, material_count, texture_count;
    int clip_count, channel_count, humanoid_bone_count, expression_count, expression_bind_count;
    int expression_track_count;
    sn_scene_node *nodes;
    sn_scene_mesh *meshes;
    sn_scene_primitive *primitives;
    sn_scene_skin *skins;
    sn_scene_material *materials;
    sn_scene_texture *textures;
    sn_scene_clip *clips;
    sn_scene_channel *channels;
    sn_scene_humanoid_bone *humanoid_bones;
    sn_scene_expression *expressions;
    sn_scene_expression_bind *expression_binds;
    sn_scene_expression_track *expression_tracks;
    int collider_count, spring_count, spring_collider_count;
    sn_spring_collider *colliders;
    sn_spring_group *springs;
    int32_t *spring_colliders; /* indices of colliders */
    int spring_link_count;
    sn_spring_link *spring_links; /* at most one per node */
    int constraint_count;
    sn_scene_constraint *constraints; /* at most one per node */
    int file_vertex_count;            /* number of positions in an .obj file; else 0 */
    const char *vrm;                  /* JSON text: meta and lookAt of VRM 1.0, converted from 0.x; null: no VRM */
    int vrm_version;                  /* 0: no VRM; 1: 0.x (faces -Z); 2: 1.0 and .vrma (faces +Z) */
} sn_scene_file;

/* Reads a .glb .gltf .vrm .vrma .fbx .obj .off .ply or .stl file, by its extension. Memory is bounded by a constant
 * factor of the file's size (see each reader) plus its textures. Errors: one log line with the file, the place and the
 * cause. */
sn_result sn_scene_file_read(const char *path, sn_arena *arena, sn_scene_file *scene);

/* Reads glTF 2.0, binary or text, and VRM 0.x / 1.0. External buffers and textures are read from the folder of the
 * source's name; a source without a folder (fuzzing) may refuse them. */
sn_result sn_gltf_read(const sn_source *source, sn_arena *arena, sn_scene_file *scene);
/* Reads FBX 7.1 to 7.7, binary and ASCII, in the helper process sinew-read-fbx, so that crashes, hangs and memory use
 * are contained. See author/io/program.h for where the program is found (environment: SINEW_READ_FBX). Textures are as
 * in glTF. Errors also: SN_ERROR_UNSUPPORTED if the program is missing. */
sn_result sn_fbx_read(const sn_source *source, sn_arena *arena, sn_scene_file *scene);
/* Read plain surfaces: Wavefront .obj (with .mtl colors and textures if present), .off, .ply and .stl (ASCII and
 * binary). Polygons are triangulated. */
sn_result sn_obj_read(const sn_source *source, sn_arena *arena, sn_scene_file *scene);
sn_result sn_off_read(const sn_source *source, sn_arena *arena, sn_scene_file *scene);
sn_result sn_ply_read(const sn_source *source, sn_arena *arena, sn_scene_file *scene);
sn_result sn_stl_read(const sn_source *source, sn_arena *arena, sn_scene_file *scene);

/* In scene_pose.c: the number of ancestors of a node. */
int sn_scene_node_depth(const sn_scene_file *scene, int32_t node);

/* In vrm_expression.c: whether two names denote the same expression: they are equal, or names of the same preset in VRM
 * 0.x or 1.0, case-insensitive ("Joy" and "happy"). */
bool sn_vrm_expressions_match(const char *a, const char *b);
/* The VRM 1.0 name of a preset with this name in either version, case-insensitive; null: no preset. */
const char *sn_vrm_preset_name(const char *name);
/* Keys of VRM 1.0 that say how an expression suppresses each group of others: "none", "block" or "blend". */
extern const char *const sn_vrm_override_names[SN_EXPRESSION_GROUP_COUNT];

#endif

/* SPDX-License-Identifier: MIT */
/* What files of characters and surfaces hold, as their readers leave it: nodes, meshes, skins, materials, pictures,
 * clips. glTF, VRM and FBX fill all of it; .obj, .off, .ply and .stl one node with one mesh. Right-handed, Y up, as in
 * the file (FBX is turned and scaled to metres); nothing is posed, welded or converted here. Everything lives in the
 * arena of the read. */
#ifndef SN_AUTHOR_IO_SCENE_FILE_H
#define SN_AUTHOR_IO_SCENE_FILE_H

#include "author/io/source.h"
#include "host/model/model.h"

/* Parents may come after children; the graph is a forest. `local` is what the file says at rest; a node that is
 * animated has its translation, rotation and scale apart. */
typedef struct sn_scene_node {
    const char *name;   /* never null; may be empty */
    int32_t parent;     /* -1: a root */
    int32_t mesh, skin; /* -1: none */
    double translation[3], rotation[4] /* x y z w, unit */, scale[3];
    double local[12];     /* row-major 3 x 4: the three above composed, or the file's matrix */
    bool has_matrix;      /* the file gave a matrix: translation, rotation and scale are those of the identity */
    bool is_loose;        /* extras.sinew_loose: its flesh may lag behind it; see docs/characters.md */
    bool is_spring;       /* a VRM spring bone, or on one; no humanoid bone */
    int32_t spring;       /* of the scene's springs, where is_spring */
    double hit_radius;    /* there, as the file has it */
    bool is_in_scene;     /* reached from the default scene (without scenes: every node) */
    float *morph_weights; /* (the mesh's morph_count), at rest; null: those of the mesh */
} sn_scene_node;

/* A root of the default scene where it is, that draws nothing. */
sn_scene_node sn_plain_scene_node(const char *name);

/* What artists paint on vertices, as glTF attributes of our own. */
typedef enum sn_paint {
    SN_PAINT_STIFFNESS, /* _SINEW_STIFFNESS: multiples of the cook's own, 1e-6 .. 1e6 */
    SN_PAINT_DENSITY,   /* _SINEW_DENSITY: the same */
    SN_PAINT_LEAK,      /* _SINEW_LEAK: 0 .. 1, 1: the flesh may not carry the rig's momentum */
    SN_PAINT_COUNT
} sn_paint;

/* The attribute's name. */
const char *sn_paint_name(sn_paint paint);

/* Triangles that share a material. Strips, fans and missing indices have become triangles, of which some files leave
 * none; points and lines are left out. Arrays that the file lacks are null. Primitives that name the same vertices may
 * share arrays, and textures of one picture its pixels: they are for reading. */
typedef struct sn_scene_primitive {
    int vertex_count, triangle_count;
    float *positions;             /* (vertex_count x 3) */
    float *normals;               /* (vertex_count x 3) or null */
    float *tangents;              /* (vertex_count x 4) or null */
    float *uvs[2];                /* (vertex_count x 2) each or null, v down */
    float *colors;                /* (vertex_count x 4), linear, or null */
    float *paint[SN_PAINT_COUNT]; /* (vertex_count) each or null */
    int influence_count;          /* a vertex: 4 times the sets of joints and weights; 0: unskinned */
    int32_t *joints;         /* (vertex_count x influence_count), into the skin's joints; 0 where the weight is 0 */
    float *weights;          /* (vertex_count x influence_count), >= 0, sum 1, or all 0 where the file has none */
    int32_t *triangles;      /* (triangle_count x 3) */
    int32_t material;        /* -1: none */
    bool is_flat;            /* without normals: to be shaded flat (glTF's rule); else smoothly */
    int32_t *file_vertices;  /* (vertex_count) numbers of their places in the file, or null */
    float **morph_positions; /* (morph_count) of (vertex_count x 3) offsets, or null each */
    float **morph_normals;   /* the same */
} sn_scene_primitive;

typedef struct sn_scene_mesh {
    const char *name;
    int first_primitive, primitive_count;
    int morph_count;
    float *morph_weights;     /* (morph_count), at rest */
    const char **morph_names; /* (morph_count), may be empty each; null: the file has none */
} sn_scene_mesh;

typedef struct sn_scene_skin {
    int joint_count;
    int32_t *joints;      /* (joint_count) nodes */
    double *inverse_bind; /* (joint_count x 12), row-major */
} sn_scene_skin;

/* 8-bit RGBA, rows from the top. */
typedef struct sn_scene_texture {
    int width, height;
    uint8_t *pixels;
    sn_texture_wrap wrap_u, wrap_v;
    bool is_nearest;
} sn_scene_texture;

typedef struct sn_scene_material {
    const char *name;
    sn_material values;                           /* textures are indices of sn_scene_texture */
    float uv_transforms[SN_TEXTURE_USE_COUNT][6]; /* u' = m0 u + m1 v + m2, v' = m3 u + m4 v + m5 */
} sn_scene_material;

typedef enum sn_scene_path { SN_PATH_TRANSLATION, SN_PATH_ROTATION, SN_PATH_SCALE, SN_PATH_WEIGHTS } sn_scene_path;
typedef enum sn_scene_interpolation { SN_KEYS_LINEAR, SN_KEYS_STEP, SN_KEYS_CUBIC } sn_scene_interpolation;

typedef struct sn_scene_channel {
    int32_t node;
    sn_scene_path path;
    sn_scene_interpolation interpolation;
    int key_count, width; /* width: 3, 4, or the mesh's morph count */
    float *times;         /* (key_count) seconds, strictly increasing, >= 0 */
    float *values;        /* (key_count x width); cubic: (key_count x 3 x width): in-tangent, value, out-tangent */
} sn_scene_channel;

typedef struct sn_scene_clip {
    const char *name; /* unnamed clips get names: "clip 0" */
    int first_channel, channel_count;
    double seconds; /* the last key of all */
} sn_scene_clip;

/* A VRM humanoid bone: its name as in VRM 1.0 ("leftThumbMetacarpal"; VRM 0.x names are mapped), and its node. */
typedef struct sn_scene_humanoid_bone {
    const char *bone;
    int32_t node;
} sn_scene_humanoid_bone;

/* What a VRM expression does to a morph target: of the mesh that a node draws (VRM 1.0; mesh is -1), or of a mesh,
 * whatever draws it (0.x; node is -1). */
typedef struct sn_scene_expression_bind {
    int32_t node, mesh, morph;
    float weight;
} sn_scene_expression_bind;

/* Morph targets that move together; what a file does to materials besides is not read. Presets have their names of
 * VRM 1.0 ("happy"; names of 0.x are mapped). */
typedef struct sn_scene_expression {
    const char *name;
    bool is_binary; /* it is either there or not */
    int first_bind, bind_count;
} sn_scene_expression;

/* Of a .vrma: along a clip the x of the node's translation, within 0 .. 1, is the value of an expression. */
typedef struct sn_scene_expression_track {
    const char *name; /* as in the file */
    int32_t node;
} sn_scene_expression_track;

/* A solid on a node, in the node's frame. */
typedef struct sn_spring_collider {
    int32_t node;
    sn_collider_shape shape; /* plane, sphere or capsule */
    double offset[3];        /* the middle of a sphere, one end of a capsule's axis, a point of a plane */
    double tail[3];          /* of a capsule: the other end */
    double normal[3];        /* of a plane */
    double radius;           /* >= 0 */
    bool is_inside;          /* a sphere or capsule that keeps in what swings, not out */
} sn_spring_collider;

/* What nodes that swing together feel: of spring_colliders; and the node in whose frame they keep their inertia, or -1:
 * the world's. */
typedef struct sn_spring_group {
    int first_collider, collider_count;
    int32_t center;
} sn_spring_group;

/* A spring bone with its numbers, as the file has them: the node turns about its place, as the tail's swings. */
typedef struct sn_spring_link {
    int32_t node;
    int32_t tail;  /* a node below it, or -1: as VRM 0.x has it, 7 cm on from where the node is in its parent's frame */
    int32_t group; /* of the scene's springs */
    double stiffness, gravity[3], drag, hit_radius; /* gravity: power times direction; drag: 0 .. 1; others >= 0 */
} sn_spring_link;

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
    int32_t *spring_colliders; /* of colliders */
    int spring_link_count;
    sn_spring_link *spring_links; /* a node has one at most */
    int file_vertex_count;        /* places of an .obj file; else 0 */
    int vrm_version;              /* 0: not a VRM; 1: 0.x (faces -Z); 2: 1.0 and .vrma (faces +Z) */
} sn_scene_file;

/* Any of .glb .gltf .vrm .vrma .fbx .obj .off .ply .stl, by its extension. Memory is bounded by a stated factor of the
 * file's size (see each reader) plus its pictures. Errors: one log line that names the file, the place and the cause.
 */
sn_result sn_scene_file_read(const char *path, sn_arena *arena, sn_scene_file *scene);

/* glTF 2.0, binary or text, and VRM 0.x / 1.0. Buffers and pictures in other files are looked for beside the source's
 * name; a source without a folder to look in (fuzzing) may refuse them. */
sn_result sn_gltf_read(const sn_source *source, sn_arena *arena, sn_scene_file *scene);
/* FBX 7.1 to 7.7, binary and ASCII, by way of a program of its own, sinew-read-fbx, in a process that may crash, hang
 * or use up its memory; see author/io/program.h for where it is looked for (environment: SINEW_READ_FBX). Pictures are
 * as in glTF. SN_ERROR_UNSUPPORTED where the program is not there. */
sn_result sn_fbx_read(const sn_source *source, sn_arena *arena, sn_scene_file *scene);
/* The plain surfaces: Wavefront .obj (with .mtl colours and textures where they are there), .off, .ply (ASCII and
 * binary), .stl (ASCII and binary). Polygons become triangles. */
sn_result sn_obj_read(const sn_source *source, sn_arena *arena, sn_scene_file *scene);
sn_result sn_off_read(const sn_source *source, sn_arena *arena, sn_scene_file *scene);
sn_result sn_ply_read(const sn_source *source, sn_arena *arena, sn_scene_file *scene);
sn_result sn_stl_read(const sn_source *source, sn_arena *arena, sn_scene_file *scene);

/* scene_pose.c: how many nodes are above one. */
int sn_scene_node_depth(const sn_scene_file *scene, int32_t node);

/* vrm_expression.c: whether two names are those of one expression: equal, or of one preset, by the names of VRM 0.x or
 * 1.0 in any case ("Joy" and "happy"). */
bool sn_vrm_is_same_expression(const char *a, const char *b);
/* VRM 1.0's name of the preset that either version calls so, in any case; null: it is none. */
const char *sn_vrm_preset_name(const char *name);

#endif

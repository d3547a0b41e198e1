/* SPDX-License-Identifier: MIT */
/* The cooked character: immutable, shared by any number of bodies, loaded from the bytes of a .sinew file. Longer rules
 * are in docs/reference/model.md. */
#ifndef SINEW_MODEL_H
#define SINEW_MODEL_H

#include "sinew/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_model sn_model;

/* Version of the binary format that this library reads and writes. */
#define SN_MODEL_VERSION 5

/* Checks `bytes` and creates a model that points into them. The bytes remain the caller's, must be aligned to 8 bytes,
 * and must outlive the model (a mapped file works, if nobody truncates it). Any byte string is safe. Errors (one log
 * line each): SN_ERROR_FORMAT (not a model, or damaged), SN_ERROR_UNSUPPORTED (written by a newer version),
 * SN_ERROR_MEMORY. Thread-safe. */
SN_API sn_result sn_model_load(const void *bytes, size_t size, sn_model **model);

/* Reads a .sinew file of at most 4 GiB into memory; it may be changed or removed afterwards. Errors: SN_ERROR_FILE, and
 * those of sn_model_load. */
SN_API sn_result sn_model_open(const char *path, sn_model **model);

/* Accepts null. No body may use the model any more. */
SN_API void sn_model_release(sn_model *model);

/* Vertices of the tet mesh, not of the drawn surface. */
SN_API int sn_model_vertex_count(const sn_model *model);
/* Tets; triangles for a flat body. */
SN_API int sn_model_tet_count(const sn_model *model);
/* Number of bones, >= 1. */
SN_API int sn_model_bone_count(const sn_model *model);
/* The bone's name in the file, or for example "bone 3" where it has none. Null if the index is out of range. */
SN_API const char *sn_model_bone_name(const sn_model *model, int bone);
/* The parent bone, or -1 for a root. bone must be in range, here and below. */
SN_API int sn_model_bone_parent(const sn_model *model, int bone);
/* The rest position of the point about which the bone rotates, in model units: a skeleton's joint, a point handle, a
 * bone handle's head, or a cage vertex. */
SN_API void sn_model_bone_pivot(const sn_model *model, int bone, double pivot[3]);
/* Whether coupled bodies may stretch and shear the bone, in addition to moving and rotating it. */
SN_API bool sn_model_is_bone_stretchable(const sn_model *model, int bone);
/* Whether the bone is a cage vertex, whose transform should be a translation. Other transforms are drawn as they are,
 * but the flesh is not constrained to follow more than the translation, except for a motion that all bones share. */
SN_API bool sn_model_is_bone_translation_only(const sn_model *model, int bone);
/* Whether the model is a flat body: in the plane z = 0, with triangles instead of tets. Flesh stays in the plane as
 * long as the pose, gravity and all contacts and impulses do. */
SN_API bool sn_model_is_flat(const sn_model *model);
/* Whether the model was cooked for layered bodies: it has bone-attached vertices and strain stiffness, with or without
 * fibres. */
SN_API bool sn_model_is_layered(const sn_model *model);
/* Maps file coordinates to model units: model = (file - origin) * scale. Poses relative to bind, the drawn surface and
 * all lengths of worlds are in model units. The rest bounding box has a diagonal of 1 unless the model was cooked to
 * another size or in the file's units (sn_cook_desc). */
SN_API double sn_model_scale(const sn_model *model);
/* The origin (3) in the formula above, in file coordinates. */
SN_API void sn_model_origin(const sn_model *model, double origin[3]);
/* Cooked Young's modulus, Pa in model units. A body's stiffness is a factor on it. */
SN_API double sn_model_young_modulus(const sn_model *model);
/* Total mass of the flesh, kg. */
SN_API double sn_model_mass(const sn_model *model);
/* Skinning eigenmodes (Benchekroun et al. 2023): the vertex shader sums mode_count affine transforms, weighted per
 * vertex. 0 if the model was cooked for coupled or layered bodies only; such a model has no clusters either. */
SN_API int sn_model_mode_count(const sn_model *model);
/* Modes of a level of detail (sn_body_set_detail) for a requested mode_count (0: all). A model of
 * SN_COMPLEMENTARY_COORDINATES (author.h) may need more than requested in order to move at all. Never more than
 * sn_model_mode_count. */
SN_API int sn_model_level_mode_count(const sn_model *model, int mode_count);
/* Rotation clusters of the finest level. The tets of a cluster share one rotation. */
SN_API int sn_model_cluster_count(const sn_model *model);
/* Cluster levels of detail, >= 1. Level 0 has sn_model_cluster_count clusters, and each further level has fewer. */
SN_API int sn_model_cluster_level_count(const sn_model *model);
/* Clusters of a level, which must be in range. */
SN_API int sn_model_level_cluster_count(const sn_model *model, int level);
/* Number of clips, >= 0. */
SN_API int sn_model_clip_count(const sn_model *model);
/* Null if the index is out of range. */
SN_API const char *sn_model_clip_name(const sn_model *model, int clip);
/* Seconds from the first frame to the last; 0 if the index is out of range. */
SN_API double sn_model_clip_seconds(const sn_model *model, int clip);
/* Samples a clip at a time, looped and linearly interpolated between frames: bones (count), relative to bind, in model
 * units, as for sn_body_set_pose. clip must be in range, and count must be the model's bone count. */
SN_API void sn_model_clip_pose(const sn_model *model, int clip, double seconds, sn_mat3x4 *bones, int count);

/* Converts a pose of an engine that has its own axes and units: bones (count, the model's bone count) for
 * sn_body_set_pose. world (count): the bones' transforms in the engine's space; inverse_binds (count): from that space
 * at bind to the bones; to_file: from the engine's space to the file's, a similarity, which may mirror (examples in
 * docs/how-to/draw-in-your-renderer.md). bones may be world. Error: SN_ERROR_ARGUMENT (count is wrong, or to_file is no
 * similarity). */
SN_API sn_result sn_model_convert_pose(const sn_model *model, const sn_mat3x4 *to_file, const sn_mat3x4 *world,
                                       const sn_mat3x4 *inverse_binds, sn_mat3x4 *bones, int count);

/* ---- parts of anchored flesh (docs/how-to/tune-flesh.md) ---- */

/* Number of parts of the flesh, such as "belly" or "thighs"; 0 if the flesh is not anchored to a skeleton. */
SN_API int sn_model_flesh_part_count(const sn_model *model);
typedef struct sn_model_flesh_part {
    const char *name;
    float frequency;     /* lowest frequency, Hz; 0: the part is rigid */
    float amplitude;     /* displacement of the skin in a walk, fraction of the height */
    float settling_time; /* s, to 2% of a swing */
} sn_model_flesh_part;
/* A part of the flesh; the index must be in range. */
SN_API sn_model_flesh_part sn_model_get_flesh_part(const sn_model *model, int part);

/* ---- colliders on bones, which keep out the body's own simulated flesh (docs/reference/cook-options.md) ---- */

/* Number of colliders on bones, >= 0. */
SN_API int sn_model_bone_collider_count(const sn_model *model);
typedef struct sn_model_bone_collider {
    int bone;
    const char *shape; /* "plane", "sphere", "capsule" */
    float radius, half_height, friction;
    sn_mat3x4 transform; /* rigid: shape to model, at bind */
    int sample_count;    /* surface samples that the collider affects */
} sn_model_bone_collider;
/* A collider on a bone; the index must be in range. */
SN_API sn_model_bone_collider sn_model_get_bone_collider(const sn_model *model, int collider);

/* ---- spring bones of a VRM file (docs/reference/spring-bones.md) ---- */

/* Number of simulated spring bone joints, >= 0. */
SN_API int sn_model_spring_count(const sn_model *model);
/* Number of colliders of spring bones, >= 0. */
SN_API int sn_model_spring_collider_count(const sn_model *model);
typedef struct sn_model_spring {
    int bone;           /* the bone, or its nearest ancestor that is one */
    int parent, center; /* an earlier spring, or -1; the bone whose frame is the frame of inertia, or -1 */
    int collider_count;
    float stiffness, drag, gravity[3];  /* VRM's parameters: for 60 frames/s, in the file's units */
    float hit_radius, head[3], tail[3]; /* model units, at bind */
} sn_model_spring;
/* A spring bone joint; the index must be in range. */
SN_API sn_model_spring sn_model_get_spring(const sn_model *model, int spring);

/* ---- morph targets (blend shapes) and expressions ----
 *
 * `weights (count)` below holds one weight per morph target in the model's order, as for sn_body_set_morphs; count must
 * be the model's morph count. A mesh that two nodes draw has its targets twice. */

/* Number of morph targets, >= 0. */
SN_API int sn_model_morph_count(const sn_model *model);
/* The name in the file, which may repeat. Null if the index is out of range. */
SN_API const char *sn_model_morph_name(const sn_model *model, int morph);
/* The file's default weights. */
SN_API void sn_model_default_morphs(const sn_model *model, float *weights, int count);
/* Weights of a clip at a time, sampled as by sn_model_clip_pose; targets that the clip does not animate get their
 * default weight. */
SN_API void sn_model_clip_morphs(const sn_model *model, int clip, double seconds, float *weights, int count);

/* Expressions of VRM: named sets of morph targets, such as "happy", "blinkLeft" or "aa" (presets have their VRM 1.0
 * names). */
SN_API int sn_model_expression_count(const sn_model *model);
/* Null if the index is out of range. */
SN_API const char *sn_model_expression_name(const sn_model *model, int expression);
/* Adds one expression, which must be in range, at a value of 0 .. 1 to the weights. Expressions are additive. */
SN_API void sn_model_add_expression(const sn_model *model, int expression, float value, float *weights, int count);
/* Adds all expressions at their values (sn_model_expression_count, 0 .. 1) to the weights. An expression may suppress
 * those of the eyelids, of the gaze and of the mouth, as the file says (VRM 1.0: overrideBlink, overrideLookAt,
 * overrideMouth). */
SN_API void sn_model_add_expressions(const sn_model *model, const float *values, float *weights, int count);

#ifdef __cplusplus
}
#endif
#endif

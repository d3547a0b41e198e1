/* SPDX-License-Identifier: MIT */
/* The cooked character: immutable, shared by any number of bodies, loaded from the bytes of a .sinew file. */
#ifndef SINEW_MODEL_H
#define SINEW_MODEL_H

#include "sinew/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_model sn_model;

/* Version of the binary format that this library reads and writes. */
#define SN_MODEL_VERSION 4

/* Checks `bytes` and makes a model that points into them: they stay the caller's, must be aligned to 8 bytes, and
 * must outlive the model (a mapped file will do). Any byte string is safe. Errors (one log line each):
 * SN_ERROR_FORMAT (not a model, damaged), SN_ERROR_UNSUPPORTED (written by a newer version), SN_ERROR_MEMORY.
 * Thread-safe. */
SN_API sn_result sn_model_load(const void *bytes, size_t size, sn_model **model);

/* The model in a .sinew file, mapped into memory. Errors: SN_ERROR_FILE, and those of sn_model_load. */
SN_API sn_result sn_model_open(const char *path, sn_model **model);

/* Accepts null. No body may still use the model. */
SN_API void sn_model_release(sn_model *model);

/* Of the tets, not of the surface that is drawn. */
SN_API int sn_model_vertex_count(const sn_model *model);
/* Of a flat body: triangles. */
SN_API int sn_model_tet_count(const sn_model *model);
SN_API int sn_model_bone_count(const sn_model *model);
/* The file's; "bone 3" where it has none. Null for an index out of range. */
SN_API const char *sn_model_bone_name(const sn_model *model, int bone);
/* The bone above it, or -1: a root. bone must be in range, here and below. */
SN_API int sn_model_bone_parent(const sn_model *model, int bone);
/* What it turns about, at rest: a skeleton's joint, a point's place, a bone's head, a cage's vertex. Model units. */
SN_API void sn_model_bone_pivot(const sn_model *model, int bone, double pivot[3]);
/* A bone that coupled bodies may stretch and shear, too: not only move and turn. */
SN_API bool sn_model_is_bone_stretched(const sn_model *model, int bone);
/* A vertex of a cage: its transform is a translation. One that is not (but for a motion that all bones share, as when a
 * body is turned as a whole) is drawn as it is, and the flesh is free to undo what is not a translation. */
SN_API bool sn_model_is_bone_translated(const sn_model *model, int bone);
/* Cooked as a flat body: in the plane z = 0, of triangles where others have tets. Flesh stays in the plane as long as
 * the pose, gravity and all that pushes it do. */
SN_API bool sn_model_is_flat(const sn_model *model);
/* Cooked for layered bodies: bones carry some of its vertices, and its tets have stiffnesses, with or without fibres.
 */
SN_API bool sn_model_is_layered(const sn_model *model);
/* From the coordinates of the file that was cooked to the model's: model = (file - origin) * scale. Poses relative to
 * bind, what is drawn, and all lengths of worlds are in model units, in which the rest box's diagonal is 1 unless it
 * was cooked to another size or in the file's units (sn_cook_desc): place it in your scene with these. */
SN_API double sn_model_scale(const sn_model *model);
SN_API void sn_model_origin(const sn_model *model, double origin[3]);
/* Young's modulus that it was cooked with, Pa in model units: what a body's stiffness is a multiple of. */
SN_API double sn_model_young(const sn_model *model);
/* Of its flesh, kg: what impulses are measured by. */
SN_API double sn_model_mass(const sn_model *model);
/* Skinning eigenmodes (Benchekroun et al. 2023): the vertex shader sums mode_count affine transforms, weighted per
 * vertex. 0 where the model was cooked for coupled bodies alone, which then has no clusters either. */
SN_API int sn_model_mode_count(const sn_model *model);
/* Modes of a level of detail (sn_body_set_detail) that asks for the first mode_count, 0: all. More than these where a
 * model of SN_COMPLEMENTARY_COORDINATES (author.h) needs more to move at all; never more than it has. */
SN_API int sn_model_level_mode_count(const sn_model *model, int mode_count);
/* Rotation clusters of the finest level: tets that turn as one. */
SN_API int sn_model_cluster_count(const sn_model *model);
/* Levels of detail of the clusters, 1 or more: level 0 has sn_model_cluster_count of them, the others fewer and fewer.
 */
SN_API int sn_model_cluster_level_count(const sn_model *model);
/* level must be in range. */
SN_API int sn_model_level_cluster_count(const sn_model *model, int level);
SN_API int sn_model_clip_count(const sn_model *model);
/* Null for an index out of range. */
SN_API const char *sn_model_clip_name(const sn_model *model, int clip);
/* Seconds from the first frame to the last; 0 for an index out of range. */
SN_API double sn_model_clip_seconds(const sn_model *model, int clip);
/* The clip's pose at a time, looped, linear between its frames: bones (count), relative to bind, in model units, as
 * sn_body_set_pose takes them. clip must be in range, count the model's bone count. */
SN_API void sn_model_clip_pose(const sn_model *model, int clip, double seconds, sn_mat3x4 *bones, int count);

/* ---- colliders on bones: what keeps loose flesh out (docs/characters.md) ---- */

/* 0 where the model has none. */
SN_API int sn_model_bone_collider_count(const sn_model *model);
typedef struct sn_model_bone_collider {
    int bone;
    const char *shape; /* "plane", "sphere", "capsule" */
    float radius, half_height, friction;
    sn_mat3x4 transform; /* rigid: shape to model, at bind */
    int sample_count;    /* places on the surface that feel it */
} sn_model_bone_collider;
/* collider must be in range. */
SN_API sn_model_bone_collider sn_model_get_bone_collider(const sn_model *model, int collider);

/* ---- spring bones: a VRM's, by its own numbers (docs/characters.md) ---- */

/* Joints that swing; 0 where the model has none. */
SN_API int sn_model_spring_count(const sn_model *model);
/* Solids on bones that they bump into. */
SN_API int sn_model_spring_collider_count(const sn_model *model);
typedef struct sn_model_spring {
    int bone; /* it, or the one that carries it */
    int parent,
        center; /* the spring that it hangs on, before it; the bone in whose frame it keeps its inertia; or -1 */
    int collider_count;
    float stiffness, drag, gravity[3];  /* VRM's: of 60 frames a second and the file's units */
    float hit_radius, head[3], tail[3]; /* model units, at bind */
} sn_model_spring;
/* spring must be in range. */
SN_API sn_model_spring sn_model_get_spring(const sn_model *model, int spring);

/* ---- morph targets (blend shapes) and expressions ----
 *
 * weights (count) below has one weight a morph target, in the model's order, as sn_body_set_morphs takes them; count
 * must be the model's morph count. A mesh that is drawn twice has its targets twice. */

SN_API int sn_model_morph_count(const sn_model *model);
/* As in the file, which may give a name twice; null for an index out of range. */
SN_API const char *sn_model_morph_name(const sn_model *model, int morph);
/* The file's own weights. */
SN_API void sn_model_rest_morphs(const sn_model *model, float *weights, int count);
/* Those of a clip at a time, as sn_model_clip_pose; what the clip does not move rests. */
SN_API void sn_model_clip_morphs(const sn_model *model, int clip, double seconds, float *weights, int count);

/* VRM's: named sets of morph targets ("happy", "blinkLeft", "aa": presets have the names of VRM 1.0). */
SN_API int sn_model_expression_count(const sn_model *model);
/* Null for an index out of range. */
SN_API const char *sn_model_expression_name(const sn_model *model, int expression);
/* Adds the expression, which must be in range, at a value of 0 .. 1 to the weights: expressions add up. */
SN_API void sn_model_add_expression(const sn_model *model, int expression, float value, float *weights, int count);

#ifdef __cplusplus
}
#endif
#endif

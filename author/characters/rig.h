/* SPDX-License-Identifier: MIT */
/* Skeletons and skinning weights. Bones have no rest rotation: their axes are the world's, and the bind pose only
 * consists of positions. */
#ifndef SN_AUTHOR_CHARACTERS_RIG_H
#define SN_AUTHOR_CHARACTERS_RIG_H

#include "author/characters/shape.h"
#include "author/io/scene_file.h"

#define SN_RIG_BONES 64
#define SN_RIG_INFLUENCES 4

typedef struct sn_rig_bone {
    const char *name;
    int parent; /* index less than the bone's own; -1: the root */
    double head[3], tail[3];
    double radii[2];   /* of the flesh at both ends; 0: the bone has no flesh of its own */
    bool is_soft_bone; /* the bone's flesh is simulated */
    int region;        /* region of the body; connected triangles of one region share charts of the atlas */
} sn_rig_bone;

typedef struct sn_rig {
    sn_rig_bone bones[SN_RIG_BONES];
    int count;
} sn_rig;

/* Returns the bone's index. */
int sn_rig_add(sn_rig *rig, const sn_rig_bone *bone);
/* Adds a copy of a bone mirrored at x = 0, as a child of `parent`. */
int sn_rig_add_mirrored(sn_rig *rig, int bone, const char *name, int parent, int region);
/* Asserts that the bone exists. */
int sn_rig_find(const sn_rig *rig, const char *name);

/* Computes skinning weights. Each vertex starts with the bone whose flesh is nearest; `rounds` of diffusion along the
 * surface then smooth the borders, so that parts that touch without being connected stay separate. Weights are
 * multiples of 2^-16 and sum to exactly 1. joints, weights: (vertex_count x 4). owners: (vertex_count) nearest bones.
 */
sn_result sn_rig_compute_weights(const sn_rig *rig, const sn_shape_surface *surface, int rounds, sn_arena *arena,
                                 int32_t **joints, float **weights, int32_t **owners);

/* Writes the scene's first rig->count nodes and its only skin. */
sn_result sn_rig_write(const sn_rig *rig, sn_arena *arena, sn_scene_file *scene);

#endif

/* SPDX-License-Identifier: MIT */
/* Skeletons and how they carry a body. Bones rest unturned, in the axes of the world: a bone's place is all that its
 * bind pose has. */
#ifndef SN_AUTHOR_CHARACTERS_RIG_H
#define SN_AUTHOR_CHARACTERS_RIG_H

#include "author/characters/shape.h"
#include "author/io/scene_file.h"

#define SN_RIG_BONES 64
#define SN_RIG_INFLUENCES 4

typedef struct sn_rig_bone {
    const char *name;
    int parent; /* before it; -1: the root */
    double head[3], tail[3];
    double radii[2]; /* of the flesh around it at either end; 0: it has none of its own */
    bool is_loose;   /* its flesh may lag behind it */
    int region;      /* of the body, for the atlas: neighbours with the same number lie side by side in the picture */
} sn_rig_bone;

typedef struct sn_rig {
    sn_rig_bone bones[SN_RIG_BONES];
    int count;
} sn_rig;

/* Returns its index. */
int sn_rig_add(sn_rig *rig, const sn_rig_bone *bone);
/* Left and right: the bone mirrored at x = 0, named with R for L at the end, below `parent`. */
int sn_rig_add_mirrored(sn_rig *rig, int bone, const char *name, int parent, int region);
/* Asserts that it is there. */
int sn_rig_find(const sn_rig *rig, const char *name);

/* Each vertex begins with the bone whose flesh it is nearest to; `rounds` of diffusion along the surface then soften
 * the borders, so that what touches without being connected stays apart. Weights are multiples of 2^-16 and sum to 1
 * exactly. joints, weights: (vertex_count x 4). owners: (vertex_count), the nearest bones. */
sn_result sn_rig_weigh(const sn_rig *rig, const sn_shape_surface *surface, int rounds, sn_arena *arena,
                       int32_t **joints, float **weights, int32_t **owners);

/* Fills the scene's first rig->count nodes and its one skin. */
sn_result sn_rig_publish(const sn_rig *rig, sn_arena *arena, sn_scene_file *scene);

#endif

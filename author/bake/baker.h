/* SPDX-License-Identifier: MIT */
/* Private to author/bake: what its stages share. Coordinates of the file that was cooked, not model units. */
#ifndef SN_AUTHOR_BAKE_BAKER_H
#define SN_AUTHOR_BAKE_BAKER_H

#include "author/bake/bake.h"

/* What a skin's joint does: bones, then joints of our own. */
typedef struct sn_bake_joint {
    const char *name;
    int32_t parent;       /* the joint that it hangs on if it can, or -1 */
    double bind[12];      /* rigid: where it rests */
    double center[3];     /* of the vertices that it moves, at rest, */
    double radius;        /* and of the ball around there that holds them; < 0: it moves none */
    const double *motion; /* (frame_count x 12) relative to bind; of frame f at motion + 12 stride f */
    int stride;
} sn_bake_joint;

typedef struct sn_baker {
    const sn_bake_motion *motion;
    const sn_model *model;
    sn_bake_desc desc;
    sn_arena *arena;  /* for what the scene keeps */
    sn_arena scratch; /* goes with the baker */
    int frame_count, vertex_count;
    double diagonal;
    double *poses;  /* (frame_count x bone_count x 12) */
    float *rest;    /* (vertex_count x 3), without morph targets */
    float *surface; /* (frame_count x vertex_count x 3): the motion */
    float *normals; /* the same, unit, with morph targets to be made; else null */

    int joint_count;
    sn_bake_joint *joints; /* (joint_count) */
    int influence_count;   /* a vertex, a multiple of 4 */
    int32_t *influences;   /* (vertex_count x influence_count): joints, 0 where the weight is */
    float *weights;        /* (vertex_count x influence_count): >= 0, sum 1 */

    int node_count;
    struct sn_bake_node *nodes; /* (node_count), parents first; node 0 holds all others and stays */
    int32_t *joint_nodes;       /* (joint_count) */
    double *skin;               /* (joint_count x frame_count x 12): what the nodes do, relative to bind */

    int target_count;
    float **target_positions, **target_normals; /* (target_count) of (vertex_count x 3) */
    float *target_weights;                      /* (frame_count x target_count) */
} sn_baker;

/* surface.c: what is to be baked. */
sn_result sn_baker_take_surface(sn_baker *baker);
/* Where a vertex rests in a frame, under its morph targets. */
void sn_baker_rest(const sn_baker *baker, int frame, int vertex, double *position);
/* The vertices of a part, ascending, which is their order in the scene; returns how many. vertices: room for all of the
 * surface. local, or null: (vertex_count) the number of each within the part. */
int sn_bake_part_vertices(const sn_model *model, int part, int32_t *vertices, int32_t *local);

/* rig.c: bones as joints, and their weights. */
sn_result sn_baker_take_rig(sn_baker *baker);
/* Gives a vertex its weights, the rest 0. */
void sn_baker_set_weights(sn_baker *baker, int vertex, int count, const int32_t *joints, const double *weights);
/* Centres and radii of all joints. */
sn_result sn_baker_find_reach(sn_baker *baker);
/* The strongest `limit` weights of a vertex, renormalised; returns how many there are. */
int sn_baker_rig_weights(const sn_baker *baker, int vertex, int limit, int32_t *bones, double *weights);

/* joints.c: joints beside the bones, and new weights. */
sn_result sn_baker_add_joints(sn_baker *baker);

/* skeleton.c: joints as nodes that have translation, rotation and scale. */
typedef struct sn_bake_node {
    const char *name;
    int32_t parent;
    double rest[10]; /* translation, rotation, scale */
    double *tracks;  /* (frame_count x 10), or null: it stays */
} sn_bake_node;
sn_result sn_baker_build_skeleton(sn_baker *baker);

/* targets.c: morph targets for what the skeleton leaves. */
sn_result sn_baker_add_targets(sn_baker *baker);

/* scene.c */
sn_result sn_baker_build_scene(const sn_baker *baker, sn_scene_file *scene);

#endif

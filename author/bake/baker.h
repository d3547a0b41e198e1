/* SPDX-License-Identifier: MIT */
/* Private to author/bake: data shared by its stages. In coordinates of the source file, not model units. */
#ifndef SN_AUTHOR_BAKE_BAKER_H
#define SN_AUTHOR_BAKE_BAKER_H

#include "author/bake/bake.h"

/* A joint of the skin: bones first, then added joints. */
typedef struct sn_bake_joint {
    const char *name;
    int32_t parent;       /* preferred parent joint, or -1 */
    double bind[12];      /* rigid bind transform */
    double center[3];     /* center of the joint's vertices at rest */
    double radius;        /* radius of the ball around `center` that contains them; < 0: no vertices */
    const double *motion; /* (frame_count x 12) relative to bind; frame f is at motion + 12 * stride * f */
    int stride;
} sn_bake_joint;

typedef struct sn_baker {
    const sn_bake_motion *motion;
    const sn_model *model;
    sn_bake_desc desc;
    sn_arena *arena;  /* for data that the scene references */
    sn_arena scratch; /* freed with the baker */
    int frame_count, vertex_count;
    double diagonal;
    double *poses;  /* (frame_count x bone_count x 12) */
    float *rest;    /* (vertex_count x 3) without morph targets */
    float *surface; /* (frame_count x vertex_count x 3) surface of the motion */
    float *normals; /* unit normals of the same size if morph targets are baked; else null */

    int joint_count;
    sn_bake_joint *joints; /* (joint_count) */
    int influence_count;   /* influences per vertex, a multiple of 4 */
    int32_t *influences;   /* (vertex_count x influence_count) joints; 0 where the weight is 0 */
    float *weights;        /* (vertex_count x influence_count) >= 0, sum 1 */

    int node_count;
    struct sn_bake_node *nodes; /* (node_count) parents first; node 0 is the fixed root */
    int32_t *joint_nodes;       /* (joint_count) */
    double *skin;               /* (joint_count x frame_count x 12) node transforms relative to bind */

    int target_count;
    float **target_positions, **target_normals; /* (target_count) arrays of (vertex_count x 3) */
    float *target_weights;                      /* (frame_count x target_count) */
} sn_baker;

/* surface.c: loads the motion to bake. */
sn_result sn_baker_load_surface(sn_baker *baker);
/* Computes the rest position of a vertex with the morph targets of a frame. */
void sn_baker_rest(const sn_baker *baker, int frame, int vertex, double *position);
/* Lists the vertices of a part in ascending order, which is their order in the scene. Returns their number. vertices:
 * capacity for the whole surface. local (vertex_count), or null: index of each vertex in the part. */
int sn_bake_part_vertices(const sn_model *model, int part, int32_t *vertices, int32_t *local);

/* rig.c: converts bones to joints, with their weights. */
sn_result sn_baker_load_rig(sn_baker *baker);
/* Sets the weights of a vertex; remaining ones become 0. */
void sn_baker_set_weights(sn_baker *baker, int vertex, int count, const int32_t *joints, const double *weights);
/* Computes centers and radii of all joints. */
sn_result sn_baker_find_bounds(sn_baker *baker);
/* Gets the `limit` largest weights of a vertex, renormalized. Returns their number. */
int sn_baker_rig_weights(const sn_baker *baker, int vertex, int limit, int32_t *bones, double *weights);

/* joints.c: adds joints and recomputes weights. */
sn_result sn_baker_add_joints(sn_baker *baker);

/* skeleton.c: converts joints to nodes with translation, rotation and scale. */
typedef struct sn_bake_node {
    const char *name;
    int32_t parent;
    double rest[10]; /* translation, rotation, scale */
    double *tracks;  /* (frame_count x 10) or null: not animated */
} sn_bake_node;
sn_result sn_baker_build_skeleton(sn_baker *baker);

/* targets.c: morph targets for the displacement that remains after skinning. */
sn_result sn_baker_add_targets(sn_baker *baker);

/* springs.c: adds the spring bones of a VRM. The scene's nodes have room for one more for each of the model's joints.
 * Returns false if memory is out. */
bool sn_baker_add_springs(const sn_baker *baker, sn_scene_file *scene);

/* scene.c */
sn_result sn_baker_build_scene(const sn_baker *baker, sn_scene_file *scene);

#endif

/* SPDX-License-Identifier: MIT */
/* Private to author/bake: data shared by the stages of sn_shapes_build. */
#ifndef SN_AUTHOR_BAKE_SHAPER_H
#define SN_AUTHOR_BAKE_SHAPER_H

#include "author/bake/shapes.h"
#include "author/io/scene_pose.h"

/* A node with a mesh, and its vertices in the scene's order. */
typedef struct sn_shape_body {
    int32_t node;
    int first_vertex, vertex_count;
} sn_shape_body;

typedef struct sn_shaper {
    sn_shapes_desc desc;
    sn_scene_file scene; /* the desc's scene, or a copy with an added root joint */
    bool is_rigid;       /* a root joint was added */
    sn_arena *arena;     /* for data that the scene references */
    sn_arena scratch;
    int vertex_count, body_count, segment_count, mode_count;
    sn_shape_body *bodies;
    sn_trs *poses;      /* (key_count x node_count) at keys */
    sn_trs *parts;      /* (node_count) current pose */
    sn_scene_pose pose; /* current pose */
    double *transforms; /* (vertex_count x 12) blended transforms in the current pose */
    double *rest;       /* (vertex_count x 3) with own morph targets, at the current time */
    double *offsets;    /* (key_count x vertex_count x 3) offsets e: shapes pulled back */
    double *durations;  /* (segment_count) */
    sn_fourier_sequence sequence;
    int target_count;                    /* segment_count x mode_count, or fewer if is_reduced */
    bool is_reduced;                     /* targets are a common basis instead of the segments' modes */
    float **targets;                     /* (target_count) arrays of (vertex_count x 3) */
    float *base_normals;                 /* (vertex_count x 3) of the first key's shape in the bind pose */
    float **normal_offsets;              /* (target_count) arrays of (vertex_count x 3), or null */
    float *weights;                      /* (frame_count x target_count) */
    double *own_weights, *other_weights; /* (max. morph targets of a mesh) in the current pose */
    double *skin;                        /* (max. joints of a skin x 12) in the current pose */
    int frame_count;
    float *times;   /* (frame_count) */
    bool *is_fixed; /* (frame_count) is a key */
} sn_shaper;

/* shape_root.c: adds a joint with poses to a surface without a rig. */
sn_result sn_shaper_add_root(sn_shaper *shaper);

/* shape_pose.c */
sn_result sn_shaper_load_scene(sn_shaper *shaper);
/* Computes `parts` and `pose` at a time of the sequence. */
void sn_shaper_pose_nodes(sn_shaper *shaper, double seconds);
/* Also computes `transforms` and `rest`. */
void sn_shaper_pose(sn_shaper *shaper, double seconds);
/* Gets the morph weights of a body from the scene's own clips. Returns their number. */
int sn_shaper_own_weights(const sn_shaper *shaper, int body, double seconds, double *weights);
/* Returns the segment at a time; *fraction receives the position in it, 0 to 1. */
int sn_shaper_segment(const sn_shaper *shaper, double seconds, double *fraction);

/* shape_weld.c */
typedef struct sn_shape_weld {
    sn_tri_mesh mesh;         /* welded vertices */
    int32_t *groups;          /* (the body's vertices) welded vertex */
    int *sizes;               /* (mesh.vertex_count) number of vertices welded into each */
    double *bind;             /* (the body's vertices x 3) in the scene */
    double *vertex_positions; /* (mesh.vertex_count x 3) */
    int32_t *triangles;
} sn_shape_weld;
sn_result sn_shaper_weld(const sn_shaper *shaper, const sn_shape_body *body, int key, sn_arena *arena,
                         sn_shape_weld *weld);
void sn_shaper_weld_positions(const sn_shaper *shaper, const sn_shape_body *body, int key, sn_shape_weld *weld);

/* shape_modes.c: computes offsets at keys, and their modes as targets. */
sn_result sn_shaper_pull_back(sn_shaper *shaper, sn_shapes_report *report);
sn_result sn_shaper_fit(sn_shaper *shaper, sn_shapes_report *report);

/* shape_frames.c: chooses times so dense that linear interpolation of weights has an error of at most 1/4 of the key
 * error, up to the max. number of frames. */
sn_result sn_shaper_find_frames(sn_shaper *shaper, sn_shapes_report *report);
/* Checks, before targets are created, that they and the weights at the min. number of frames are within
 * SN_SHAPES_LIMIT. */
sn_result sn_shaper_check_size(sn_shaper *shaper);

/* shape_normals.c: computes base_normals and normal_offsets. */
sn_result sn_shaper_find_normals(sn_shaper *shaper);

/* shape_weights.c: computes the weights of all targets at all frames. */
sn_result sn_shaper_compute_weights(sn_shaper *shaper);
/* shape_rank.c: replaces the targets by at most half as many if the error stays within 1/4 of the key error between
 * keys and 0.1% of it at keys. Otherwise, or if memory runs out, the targets stay. */
void sn_shaper_reduce_targets(sn_shaper *shaper);

/* shape_scene.c */
sn_result sn_shaper_build_scene(sn_shaper *shaper, sn_scene_file *scene);

/* shape_dual.c: skins rest positions (vertex_count x 3) in the current pose by dual quaternions. */
sn_result sn_shaper_skin_dual(sn_shaper *shaper, const double *rest, double *vertex_positions);

#endif

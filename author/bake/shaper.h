/* SPDX-License-Identifier: MIT */
/* Private to author/bake: what the stages of sn_shapes_build share. */
#ifndef SN_AUTHOR_BAKE_SHAPER_H
#define SN_AUTHOR_BAKE_SHAPER_H

#include "author/bake/shapes.h"
#include "author/io/scene_pose.h"

/* A node that draws, with its vertices in the scene's order. */
typedef struct sn_shape_body {
    int32_t node;
    int first_vertex, vertex_count;
} sn_shape_body;

typedef struct sn_shaper {
    sn_shapes_desc desc;
    sn_scene_file scene; /* the desc's, or with a joint of our own */
    bool is_rigid;       /* so it has */
    sn_arena *arena;     /* for what the scene keeps */
    sn_arena scratch;
    int vertex_count, body_count, segment_count, mode_count;
    sn_shape_body *bodies;
    sn_trs *poses;      /* (key_count x node_count): at keys */
    sn_trs *parts;      /* (node_count): the pose at hand */
    sn_scene_pose pose; /* the pose at hand */
    double *transforms; /* (vertex_count x 12): blended, of the pose at hand */
    double *rest;       /* (vertex_count x 3): with own morph targets, of the time at hand */
    double *offsets;    /* (key_count x vertex_count x 3): e, shapes pulled back */
    double *durations;  /* (segment_count) */
    sn_fourier_sequence sequence;
    int target_count;                    /* segment_count x mode_count, or, if is_ranked, fewer */
    bool is_ranked;                      /* targets are no segment's modes, but what all of these are made of */
    float **targets;                     /* (target_count) of (vertex_count x 3) */
    float *base_normals;                 /* (vertex_count x 3): of the first key's shape in the bind pose */
    float **normal_offsets;              /* (target_count) of (vertex_count x 3), what it adds to them, or null */
    float *weights;                      /* (frame_count x target_count) */
    double *own_weights, *other_weights; /* (most morph targets of a mesh): of the pose at hand */
    double *skin;                        /* (most joints of a skin x 12): of the pose at hand */
    int frame_count;
    float *times;   /* (frame_count) */
    bool *is_fixed; /* (frame_count): a key's */
} sn_shaper;

/* shape_root.c: a surface without a rig gets a joint, and poses of it. */
sn_result sn_shaper_add_root(sn_shaper *shaper);

/* shape_pose.c */
sn_result sn_shaper_take_scene(sn_shaper *shaper);
/* parts and pose at a time of the sequence. */
void sn_shaper_pose_nodes(sn_shaper *shaper, double seconds);
/* And transforms and rest. */
void sn_shaper_pose(sn_shaper *shaper, double seconds);
/* The weights that the scene's own clips give the morph targets of a body; returns how many there are. */
int sn_shaper_own_weights(const sn_shaper *shaper, int body, double seconds, double *weights);
/* The segment at a time, and how far along it is. */
int sn_shaper_segment(const sn_shaper *shaper, double seconds, double *fraction);

/* shape_weld.c */
typedef struct sn_shape_weld {
    sn_tri_mesh mesh; /* of places */
    int32_t *groups;  /* (the body's vertices) numbers in the mesh */
    int *sizes;       /* (mesh.vertex_count): how many there are in each */
    double *bind;     /* (the body's vertices x 3) as the scene has them */
    double *places;   /* (mesh.vertex_count x 3) */
    int32_t *triangles;
} sn_shape_weld;
sn_result sn_shaper_weld(const sn_shaper *shaper, const sn_shape_body *body, int key, sn_arena *arena,
                         sn_shape_weld *weld);
void sn_shaper_place_weld(const sn_shaper *shaper, const sn_shape_body *body, int key, sn_shape_weld *weld);

/* shape_modes.c: offsets at keys, and their modes as targets. */
sn_result sn_shaper_pull_back(sn_shaper *shaper, sn_shapes_report *report);
sn_result sn_shaper_fit(sn_shaper *shaper, sn_shapes_report *report);

/* shape_frames.c: times, so close that weights between them are straight but for a quarter of the key error, or as
 * close as frames get. */
sn_result sn_shaper_find_frames(sn_shaper *shaper, sn_shapes_report *report);
/* Before targets are made: whether they, and weights at the least frames, are within SN_SHAPES_LIMIT. */
sn_result sn_shaper_check_size(sn_shaper *shaper);

/* shape_normals.c: base_normals and normal_offsets. */
sn_result sn_shaper_find_normals(sn_shaper *shaper);

/* shape_weights.c: weights of all targets at all frames. */
sn_result sn_shaper_weigh(sn_shaper *shaper);
/* shape_rank.c: fewer targets, where all can be made of half as many within a quarter of the key error between keys,
 * and a thousandth of it at keys. All stay as they are where these do not do, and where there is no memory for it. */
void sn_shaper_rank(sn_shaper *shaper);

/* shape_scene.c */
sn_result sn_shaper_build_scene(sn_shaper *shaper, sn_scene_file *scene);

/* shape_dual.c: (vertex_count x 3) of the pose at hand, of these places at rest. */
sn_result sn_shaper_skin_dual(sn_shaper *shaper, const double *rest, double *places);

#endif

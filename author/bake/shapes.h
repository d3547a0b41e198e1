/* SPDX-License-Identifier: MIT */
/* A character's shapes at keys, and physics between them: an analytic physics-based skin (host/fourier, Bian et al.
 * 2019) as morph targets and their weights, which any program plays. A shape is pulled back through the rig's skinning
 * in its pose, so that with the blended transform M(t) of a vertex and its linear part A(t)
 *   x(t) = M(t) (X + e_0 + d(t)) = LBS_t(S_0) + A(t) A(1)^-1 D(t),
 * where D is the displacement from what the rig makes of the shape before: the paper's x, at any time of a sequence.
 * e_0 is what the first key's shape has beside the rig; the bind pose is drawn with it. Targets are the modes that
 * each segment adds: N + 1 a segment, each segment's weighted 1 once it is over.
 *
 * A surface without a rig, and with no poses said, gets one joint, which follows the best rigid fit of each shape to
 * the first and goes smoothly through the keys. */
#ifndef SN_AUTHOR_BAKE_SHAPES_H
#define SN_AUTHOR_BAKE_SHAPES_H

#include "author/bake/trs.h"
#include "author/fourier/fourier.h"
#include "author/fourier/fourier_fit.h"
#include "author/io/scene_file.h"

typedef struct sn_shape_key {
    double seconds;
    int clip; /* of the scene; -1: none */
    double clip_seconds;
    const sn_trs *pose;  /* (node_count) local, in place of a clip; both missing: at rest */
    const double *shape; /* (vertex count x 3) where vertices are then, or null: where the rig has them */
} sn_shape_key;

/* A shape in between, to be compared with. */
typedef struct sn_shape_check {
    double seconds;
    const double *shape; /* (vertex count x 3) */
} sn_shape_check;

typedef struct sn_shapes_desc {
    const sn_scene_file *scene; /* no mesh is drawn by two nodes */
    const char *name;           /* of the sequence, for messages */
    const char *character;      /* of the scene, likewise */
    int key_count, check_count; /* keys: 2 .. SN_FOURIER_SEGMENT_LIMIT + 1 */
    const sn_shape_key *keys;   /* seconds ascend from >= 0 */
    const sn_shape_check *checks;
    sn_fourier_material material;
    sn_fourier_fit_desc fit;
    bool is_held;      /* every segment begins at rest */
    double frame_rate; /* frames a second at least, from which keys are left out */
    double key_error;  /* how far that may move the surface; in the scene's units */
    const char *clip_name;
} sn_shapes_desc;

/* Largest distances of a vertex, in the scene's units. */
typedef struct sn_shape_errors {
    double fourier; /* the written clip */
    double linear;  /* with gamma = t for all modes */
    double rig;     /* linear blend skinning of the shape at the key before */
    double dual;    /* dual-quaternion skinning of it; -1: there is no skin */
} sn_shape_errors;

typedef struct sn_shapes_report {
    int vertex_count, part_count, curve_count, target_count, frame_count, key_count;
    double diagonal;         /* of the box around the first key's places */
    double curve_error;      /* series at points of curves, largest of all segments */
    double at_keys;          /* the clip from the shapes, at keys, or from what the rig makes where there is none */
    double gain;             /* the largest of sn_fourier_sequence_gain between segments; 0: rates are not carried */
    double bend;             /* how far a vertex may be from the curve between two frames, where frames could come no */
    int bent_key;            /* nearer: the largest, and the key behind; 0: it is as it should be everywhere */
    int flattened;           /* vertices that the rig flattens at some key: their displacement there cannot be had */
    sn_shape_errors *checks; /* (check_count) */
} sn_shapes_report;

/* Targets times vertices, and weights times frames: of each 4 bytes three times, and once. */
#define SN_SHAPES_LIMIT (1 << 26)

/* Vertices of every primitive of every node that draws, node by node. */
int sn_shapes_vertex_count(const sn_scene_file *scene);

/* The default for the desc's scene and keys: where nothing poses the character, displacements are all of its motion,
 * not what a rig leaves of a bend, and a stiffer skin is nearer. */
sn_fourier_material sn_shapes_default_material(const sn_shapes_desc *desc);

/* The scene and the report live in the arena and borrow the desc's scene. Same input, same scene. Errors, with a line
 * that names `name`: SN_ERROR_ARGUMENT, SN_ERROR_UNSUPPORTED, SN_ERROR_MEMORY, SN_ERROR_NUMERIC. */
sn_result sn_shapes_build(const sn_shapes_desc *desc, sn_arena *arena, sn_scene_file *scene, sn_shapes_report *report);

/* How far a scene's clip is from the desc's shapes, at keys and checks: for one that has been written and read. */
sn_result sn_shapes_measure(const sn_shapes_desc *desc, const sn_scene_file *scene, const char *name,
                            sn_shapes_report *report);

#endif

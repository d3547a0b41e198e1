/* SPDX-License-Identifier: MIT */
/* Bakes a character's shapes at keys, with physics between them, to morph targets and weights that any program can
 * play: an analytic physics-based skin (host/fourier, Bian et al. 2019). A shape is pulled back through the rig's
 * skinning in its pose. With the blended transform M(t) of a vertex and its linear part A(t),
 *   x(t) = M(t) (X + e_0 + d(t)) = LBS_t(S_0) + A(t) A(1)^-1 D(t),
 * where D is the displacement from the rig's image of the previous shape: the paper's x, at any time of a sequence. e_0
 * is the first key's offset from the rig; it is added to the bind pose. Targets are the modes of each segment: N + 1
 * per segment, with weight 1 once the segment is over.
 *
 * A surface without a rig and poses gets one joint that follows the best rigid fit of each shape to the first, smoothly
 * through the keys. */
#ifndef SN_AUTHOR_BAKE_SHAPES_H
#define SN_AUTHOR_BAKE_SHAPES_H

#include "author/bake/trs.h"
#include "author/fourier/fourier.h"
#include "author/fourier/fourier_fit.h"
#include "author/io/scene_file.h"

typedef struct sn_shape_key {
    double seconds;
    int clip; /* clip of the scene; -1: none */
    double clip_seconds;
    const sn_trs *pose;  /* (node_count) local transforms, used instead of a clip; with neither: at rest */
    const double *shape; /* (vertex count x 3) vertex positions at the key, or null: those of the rig */
} sn_shape_key;

/* A shape between keys for comparison. */
typedef struct sn_shape_check {
    double seconds;
    const double *shape; /* (vertex count x 3) */
} sn_shape_check;

typedef struct sn_shapes_desc {
    const sn_scene_file *scene; /* each mesh is drawn by at most one node */
    const char *name;           /* name of the sequence, for messages */
    const char *character;      /* name of the scene, for messages */
    int key_count, check_count; /* keys: 2 to SN_FOURIER_SEGMENT_LIMIT + 1 */
    const sn_shape_key *keys;   /* seconds are >= 0 and ascending */
    const sn_shape_check *checks;
    sn_fourier_material material;
    sn_fourier_fit_desc fit;
    bool starts_at_rest; /* every segment starts at rest */
    double frame_rate;   /* min. frames per second before keys are reduced */
    double key_error;    /* max. surface distance caused by sampling and reducing keys, in the scene's units */
    const char *clip_name;
} sn_shapes_desc;

/* Largest vertex distances, in the scene's units. */
typedef struct sn_shape_errors {
    double fourier; /* the written clip */
    double linear;  /* with gamma = t for all modes */
    double rig;     /* linear blend skinning of the previous key's shape */
    double dual;    /* dual-quaternion skinning of it; -1: no skin */
} sn_shape_errors;

typedef struct sn_shapes_report {
    int vertex_count, part_count, curve_count, target_count, frame_count, key_count;
    double diagonal;    /* diagonal of the box of the first key's positions */
    double curve_error; /* error of the series at curve points, largest over all segments */
    double at_keys;     /* distance between clip and shapes at keys; of the rig if a key has no shape */
    double gain;        /* max. sn_fourier_sequence_gain between segments; 0: velocities are not carried over */
    double bend;        /* largest deviation between two frames where the frame limit prevents a smaller one; 0: none */
    int bent_key;       /* key after that deviation; 0: none */
    int flattened;      /* vertices whose transform is singular at some key; their displacement there is undefined */
    sn_shape_errors *checks; /* (check_count) */
} sn_shapes_report;

/* Max. targets times vertices, and weights times frames. Needs 12 and 4 bytes each. */
#define SN_SHAPES_LIMIT (1 << 26)

/* Returns the number of vertices of all nodes with meshes, node by node. */
int sn_shapes_vertex_count(const sn_scene_file *scene);

/* Returns the default for the desc's scene and keys. Without poses, displacements are the entire motion instead of
 * corrections of a bend, and a stiffer skin fits better. */
sn_fourier_material sn_shapes_default_material(const sn_shapes_desc *desc);

/* Builds scene and report in the arena; they reference the desc's scene. Deterministic. Errors, with a message that
 * contains `name`: SN_ERROR_ARGUMENT, SN_ERROR_UNSUPPORTED, SN_ERROR_MEMORY, SN_ERROR_NUMERIC. */
sn_result sn_shapes_build(const sn_shapes_desc *desc, sn_arena *arena, sn_scene_file *scene, sn_shapes_report *report);

/* Measures the distance of a scene's clip from the desc's shapes at keys and checks, for a scene that has been written
 * and read. */
sn_result sn_shapes_measure(const sn_shapes_desc *desc, const sn_scene_file *scene, const char *name,
                            sn_shapes_report *report);

#endif

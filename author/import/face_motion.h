/* SPDX-License-Identifier: MIT */
/* Transfers the morph weights of a motion file to another character by name: expressions of a .vrma drive expressions,
 * and weights drive morph targets. A source without a match of its own type drives the other type. */
#ifndef SN_AUTHOR_IMPORT_FACE_MOTION_H
#define SN_AUTHOR_IMPORT_FACE_MOTION_H

#include "author/import/face.h"

/* An animated weight of a motion file. */
typedef struct sn_face_source {
    const char *name;
    int32_t node;       /* node with the channel */
    int component;      /* component of the channel's values */
    bool is_expression; /* stored as the x translation of a node; else a morph target weight */
    bool is_animated;   /* animated by some clip */
    bool is_matched;    /* matched by a target or expression of the face */
} sn_face_source;

typedef struct sn_face_motion {
    const sn_scene_file *scene;
    const char *path; /* for messages */
    const sn_face *face;
    sn_face_source *sources; /* sources of a node are consecutive */
    int source_count;
    int32_t *first_of_node;                      /* (node_count) first morph target source of a node, or -1 */
    int32_t *morph_sources, *expression_sources; /* of the face: source that drives it, or -1 */
    const sn_scene_channel **channels;           /* (source_count) channel of the current clip, or null */
    float *expression_values;                    /* (expression_count) scratch of a frame */
} sn_face_motion;

/* Matches the sources of a scene to a face. scene, path and face must outlive the result. Errors: SN_ERROR_UNSUPPORTED
 * for more than 16384 weights; SN_ERROR_MEMORY. */
sn_result sn_face_motion_init(const sn_scene_file *scene, const char *path, const sn_face *face, sn_arena *arena,
                              sn_face_motion *motion);
/* Whether the clip animates anything other than weights. */
bool sn_face_motion_animates_joints(const sn_face_motion *motion, int clip);
/* Sets to->tracks to the morph targets that the clip animates. */
sn_result sn_face_motion_plan(sn_face_motion *motion, int clip, sn_arena *arena, sn_character_clip *to);
/* Samples to->morphs at the clip's frames; the tracks must be set. A matched target has its source's weight, or its
 * rest weight; expressions add their binds, clamped to [0, 1], binary ones above 0.5. Errors: a weight that is not
 * finite. */
sn_result sn_face_motion_sample(sn_face_motion *motion, int clip, sn_arena *arena, sn_character_clip *to);
/* Logs one warning that lists the animated sources which nothing of `target` matches. */
void sn_face_motion_report(const sn_face_motion *motion, const char *target);

#endif

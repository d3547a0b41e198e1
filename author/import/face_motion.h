/* SPDX-License-Identifier: MIT */
/* The weights that a motion file animates, for another character's face. By name: expressions of a .vrma move
 * expressions, weights of morph targets move morph targets, and what finds none of its own kind moves what the other
 * kind calls so. */
#ifndef SN_AUTHOR_IMPORT_FACE_MOTION_H
#define SN_AUTHOR_IMPORT_FACE_MOTION_H

#include "author/import/face.h"

/* What a motion file has a weight for. */
typedef struct sn_face_source {
    const char *name;
    int32_t node;       /* whose channel has it */
    int component;      /* of the channel's values */
    bool is_expression; /* the x of a translation; else a morph target's weight */
    bool is_animated;   /* in some clip that was planned */
    bool is_met;        /* by something of the face */
} sn_face_source;

typedef struct sn_face_motion {
    const sn_scene_file *scene;
    const char *path; /* for messages */
    const sn_face *face;
    sn_face_source *sources; /* those of a node follow each other */
    int source_count;
    int32_t *first_of_node;            /* (node_count) the first of a morph target, or -1 */
    int32_t *of_morph, *of_expression; /* of the face: the source that moves it, or -1 */
    const sn_scene_channel **channels; /* (source_count) of the clip at hand, or null each */
} sn_face_motion;

/* Everything is borrowed. Errors: SN_ERROR_UNSUPPORTED beyond 16384 weights; SN_ERROR_MEMORY. */
sn_result sn_face_motion_init(const sn_scene_file *scene, const char *path, const sn_face *face, sn_arena *arena,
                              sn_face_motion *motion);
/* Whether the clip moves anything but weights. */
bool sn_face_motion_moves_joints(const sn_face_motion *motion, int clip);
/* to->tracks: the morph targets that the clip moves. */
sn_result sn_face_motion_plan(sn_face_motion *motion, int clip, sn_arena *arena, sn_character_clip *to);
/* to->morphs, of its frames; its tracks are planned. A target that has a source of its own has its weight;
 * expressions, of values within 0 .. 1, add to that, binary ones from .5 on. Errors: a weight that is not finite. */
sn_result sn_face_motion_sample(sn_face_motion *motion, int clip, sn_arena *arena, sn_character_clip *to);
/* One line about all that is animated and moves nothing of `target`. */
void sn_face_motion_report(const sn_face_motion *motion, const char *target);

#endif

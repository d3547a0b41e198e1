/* SPDX-License-Identifier: MIT */
/* A character's motion leaves as a scene of joints, skinning weights and morph targets, which any program plays: the
 * surface, its materials, a skeleton with one joint a bone, and one clip. What modes add to the rig,
 *   x = sum_b g_b P_b X' + sum_j w_j T_j X',
 * has signed weights and affine transforms, which no file format takes; nor does any take flesh that is positions. It
 * goes out as one of
 *   morph targets: the displacement, pulled back through the rig's skinning, is nearly of low rank over a clip;
 *   joints: rigid ones with a uniform scale beside the bones, and weights >= 0 that sum to one (smooth skinning
 *     decomposition: Le and Deng 2012).
 * Coordinates are those of the file that was cooked. */
#ifndef SN_AUTHOR_BAKE_BAKE_H
#define SN_AUTHOR_BAKE_BAKE_H

#include "author/io/scene_file.h"

/* Frames at equal distances; the first at second 0. Model units. */
typedef struct sn_bake_motion {
    const sn_model *model;
    int frame_count;
    double frame_rate;
    const double *poses; /* (frame_count x bone_count x 12), relative to bind */
    const double *modes; /* (frame_count x mode_count x 12), or null: the rig alone */
    const float *morphs; /* (frame_count x morph_count), or null: at rest */
    /* (frame_count x surface_vertex_count x 3) in place of modes: flesh that goes where it does, as its embedding has
     * it; morph targets are in it already. Both or none */
    const float *surface, *surface_normals;
} sn_bake_motion;

typedef enum sn_bake_form { SN_BAKE_RIG, SN_BAKE_TARGETS, SN_BAKE_JOINTS } sn_bake_form;

#define SN_BAKE_TARGET_LIMIT 256
#define SN_BAKE_JOINT_LIMIT 256
#define SN_BAKE_INFLUENCE_LIMIT 64

typedef struct sn_bake_desc {
    sn_bake_form form;
    int count;             /* of targets or joints */
    int influence_limit;   /* joints a vertex at most, a multiple of 4; 0: the rig's weights whole, 4 beside joints */
    bool has_half_scales;  /* as USD keeps them: the rest of the rig makes up for their rounding where it can */
    double key_error;      /* how far leaving out keys may move the surface, in model units; 0: none is left out */
    const char *clip_name; /* or null */
} sn_bake_desc;

typedef struct sn_bake_report {
    int key_count;       /* of all channels */
    int frame_key_count; /* with a key a frame in every channel */
    int joint_count, target_count;
    double rig_error; /* the motion's largest distance from what its rig alone does, in diagonals of the model */
} sn_bake_report;

/* The scene lives in the arena and borrows the model's arrays. Same motion, same scene. Errors: SN_ERROR_MEMORY;
 * SN_ERROR_NUMERIC where the motion is not finite. */
sn_result sn_bake_build(const sn_bake_motion *motion, const sn_bake_desc *desc, sn_arena *arena, sn_scene_file *scene,
                        sn_bake_report *report);

/* How far what a motion's modes or flesh add takes the surface, in diagonals of the model. */
sn_result sn_bake_rig_error(const sn_bake_motion *motion, double *error);
/* Of a frame, in model units: positions (surface_vertex_count x 3), normals likewise or null. */
void sn_bake_surface(const sn_bake_motion *motion, int frame, double *positions, double *normals);

/* Largest distances from the motion, in diagonals of the model. */
typedef struct sn_bake_errors {
    double at_frames;
    double between; /* halfway between frames, from the middle of the places there */
} sn_bake_errors;

/* Plays a scene of sn_bake_build, mostly one that has been written and read again, beside the motion. `name` is for the
 * message where it is none. */
sn_result sn_bake_measure(const sn_bake_motion *motion, const sn_scene_file *scene, const char *name,
                          sn_bake_errors *errors);

#endif

/* SPDX-License-Identifier: MIT */
/* Bakes a character's motion to a scene with joints, skinning weights and morph targets that any program can play: the
 * surface, its materials, a skeleton with one joint per bone, and one clip. The surface of a reduced body,
 *   x = sum_b g_b P_b X' + sum_j w_j T_j X',
 * has signed mode weights and affine transforms, which no file format supports. Bodies with arbitrary surface positions
 * are not supported either. The motion beyond the rig is written as one of
 *   morph targets: the displacement, pulled back through the rig's skinning, is nearly of low rank over a clip;
 *   joints: rigid joints with a uniform scale in addition to the bones, and weights >= 0 that sum to one (smooth
 *   skinning decomposition: Le and Deng 2012).
 * Coordinates are those of the source file. */
#ifndef SN_AUTHOR_BAKE_BAKE_H
#define SN_AUTHOR_BAKE_BAKE_H

#include "author/io/scene_file.h"

/* A range of a motion's frames. */
typedef struct sn_bake_clip {
    const char *name;
    int frame_count;
    double frame_rate;
} sn_bake_clip;

/* Equidistant frames, starting at 0 s, in model units. */
typedef struct sn_bake_motion {
    const sn_model *model;
    int frame_count;
    double frame_rate;
    const double *poses; /* (frame_count x bone_count x 12) relative to bind */
    const double *modes; /* (frame_count x mode_count x 12) or null: only the rig moves */
    const float *morphs; /* (frame_count x morph_count) or null: at rest */
    /* (frame_count x surface_vertex_count x 3) final surface, used instead of modes; morph targets are already applied.
     * Both pointers or none. */
    const float *surface, *surface_normals;
    /* (clip_count) successive ranges that cover all frames and become clips of one scene; frame_rate is then arbitrary.
     * Null: one clip. */
    const sn_bake_clip *clips;
    int clip_count;
} sn_bake_motion;

typedef enum sn_bake_form { SN_BAKE_RIG, SN_BAKE_TARGETS, SN_BAKE_JOINTS } sn_bake_form;

#define SN_BAKE_TARGET_LIMIT 256
#define SN_BAKE_JOINT_LIMIT 256
#define SN_BAKE_INFLUENCE_LIMIT 64

typedef struct sn_bake_desc {
    sn_bake_form form;
    int count;           /* number of targets or joints */
    int influence_limit; /* max. joints per vertex, a multiple of 4; 0: no limit, or 4 with added joints */
    bool
        has_half_scales; /* round scales to half precision, as USD stores them; other nodes compensate where possible */
    double key_error;    /* max. surface distance that removing keys may cause, in model units; 0: keep all keys that
                            change anything */
    bool has_one_mesh;   /* one mesh for the whole surface; else one for each mesh of the source file */
    bool is_vrm;         /* write a VRM 1.0, of a model that was cooked from a VRM (model->vrm_version) */
    bool has_springs;    /* of a VRM: write its spring bones; else they are bones like others */
    const char *clip_name; /* of a motion without a list of clips; or null */
} sn_bake_desc;

typedef struct sn_bake_report {
    int key_count;       /* keys of all channels */
    int frame_key_count; /* keys before reduction */
    int joint_count, target_count;
    double rig_error; /* largest distance between the motion and the rig alone, in model diagonals */
} sn_bake_report;

/* Builds the scene in the arena; it references the model's arrays. Deterministic. Errors: SN_ERROR_MEMORY;
 * SN_ERROR_NUMERIC if the motion is not finite. */
sn_result sn_bake_build(const sn_bake_motion *motion, const sn_bake_desc *desc, sn_arena *arena, sn_scene_file *scene,
                        sn_bake_report *report);

/* Computes the largest surface distance between the motion and the rig alone, in model diagonals. */
sn_result sn_bake_rig_error(const sn_bake_motion *motion, double *error);
/* Computes the surface of a frame in model units: positions (surface_vertex_count x 3), normals likewise or null. */
void sn_bake_surface(const sn_bake_motion *motion, int frame, double *positions, double *normals);

/* Largest distances from the motion, in model diagonals. */
typedef struct sn_bake_errors {
    double at_frames;
    double between; /* halfway between frames, compared with the mean of the two frames */
} sn_bake_errors;

/* Plays a scene of sn_bake_build, usually after writing and reading it, and compares it with the motion. `name` is used
 * in messages if the scene does not match. */
sn_result sn_bake_measure(const sn_bake_motion *motion, const sn_scene_file *scene, const char *name,
                          sn_bake_errors *errors);

#endif

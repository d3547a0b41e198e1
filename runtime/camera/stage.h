/* SPDX-License-Identifier: MIT */
/* A camera, a light and a ground for one character and its motion, planned over all frames before the first is drawn,
 * so that nothing jumps or leaves the picture. The rig alone is looked at; a margin is left for the flesh. */
#ifndef SN_RUNTIME_CAMERA_STAGE_H
#define SN_RUNTIME_CAMERA_STAGE_H

#include "host/base/arena.h"
#include "runtime/render/renderer.h"

#define SN_STAGE_KEY_LIMIT 600 /* frames that planning looks at, evenly over the motion */

/* The rig's pose of a frame, (bone_count x 12), row-major, in model units, and the weights of the model's morph targets
 * (morph_count). */
typedef void sn_stage_pose_function(int frame, double *pose, float *morphs, void *user);

typedef struct sn_stage_desc {
    const sn_model *model; /* none of these is used after planning */
    const char *name;      /* of the motion, for messages */
    sn_stage_pose_function *pose;
    void *pose_user;
    int frame_count;
    double seconds_per_frame;
    int width, height; /* of the picture */
} sn_stage_desc;

typedef struct sn_stage {
    int frame_count, key_count;
    double path[SN_STAGE_KEY_LIMIT][2]; /* (key_count): x and z that the camera follows; all zero where it stands */
    double center[3];                   /* what it looks at, relative to the path */
    double distance;                    /* from there to the eye */
    double radius;                      /* of everything that moves, around the centre */
    double yaw;                         /* of the eye: from +Z towards +X, radians; behind +Z for who looks there */
    double ground_height;
} sn_stage;

/* Errors (one line): SN_ERROR_ARGUMENT (the motion leads out of sight: not finite or too large), SN_ERROR_MEMORY. */
sn_result sn_stage_plan(const sn_stage_desc *desc, sn_stage *stage);

/* The scene of a frame, or between two; bodies are left for the caller. */
void sn_stage_scene(const sn_stage *stage, double frame, sn_render_scene *scene);
/* Of the planned camera above the horizon, radians. */
double sn_stage_pitch(void);
/* Of the picture, radians. */
double sn_stage_vertical_angle(void);

#endif

/* SPDX-License-Identifier: MIT */
/* Camera, light and ground for one character and its motion. The view is planned over all frames before the first is
 * drawn, so that the camera does not jump and nothing leaves the picture. Only the rig is measured; a margin is added
 * for the flesh. */
#ifndef SN_RUNTIME_CAMERA_STAGE_H
#define SN_RUNTIME_CAMERA_STAGE_H

#include "host/base/arena.h"
#include "runtime/render/renderer.h"

#define SN_STAGE_KEY_LIMIT 600 /* maximum frames that planning samples, evenly over the motion */

/* Writes the rig's pose of a frame, (bone_count x 12) row-major in model units, and the weights of the model's morph
 * targets (morph_count). */
typedef void sn_stage_pose_function(int frame, double *pose, float *morphs, void *user);

/* From where the camera looks. */
typedef enum sn_stage_view {
    SN_VIEW_AUTOMATIC, /* from the right in front; long models from the side */
    SN_VIEW_FRONT,
    SN_VIEW_SIDE,
    SN_VIEW_BACK,
    SN_VIEW_PORTRAIT, /* head and shoulders */
    SN_VIEW_COUNT
} sn_stage_view;

typedef struct sn_stage_desc {
    const sn_model *model; /* not used after planning, like all fields */
    const char *name;      /* of the motion, for messages */
    sn_stage_pose_function *pose;
    void *pose_user;
    int frame_count;
    double seconds_per_frame;
    int width, height; /* of the picture */
    sn_stage_view view;
} sn_stage_desc;

typedef struct sn_stage {
    int frame_count, key_count;
    double path[SN_STAGE_KEY_LIMIT][2]; /* (key_count) x and z of the camera path; zero for a fixed camera */
    double center[3];                   /* camera target, relative to the path */
    double distance;                    /* from the target to the eye */
    double radius;                      /* bounding radius of everything that moves, around the center */
    double yaw; /* of the eye, radians: from +Z towards +X; behind +Z for a model that faces -Z */
    double ground_height;
} sn_stage;

/* Errors (logged): SN_ERROR_ARGUMENT (the motion is not finite or too large), SN_ERROR_MEMORY. */
sn_result sn_stage_plan(const sn_stage_desc *desc, sn_stage *stage);

/* Fills the scene of a frame, or interpolates between two; the caller adds the bodies. */
void sn_stage_scene(const sn_stage *stage, double frame, sn_render_scene *scene);
/* Pitch of the planned camera above the horizon, radians. */
double sn_stage_pitch(void);
/* Vertical field of view, radians. */
double sn_stage_vertical_angle(void);

#endif

/* SPDX-License-Identifier: MIT */
/* Camera for live motion, which cannot be planned ahead: planned for the current pose with a margin, then follows the
 * model when it moves away. */
#ifndef SN_RUNTIME_CAMERA_FOLLOW_CAMERA_H
#define SN_RUNTIME_CAMERA_FOLLOW_CAMERA_H

#include "runtime/camera/stage.h"

/* Widens the view of a stage that was planned for one frame. */
void sn_follow_camera_start(sn_stage *stage);
/* Moves the camera for a frame of `seconds` with the pose (bone_count x 12). Motion in place does not move the camera.
 */
void sn_follow_camera_update(sn_stage *stage, const sn_model *model, const double *pose, double seconds);

#endif

/* SPDX-License-Identifier: MIT */
/* A stage for a motion that nobody knows before it comes: planned for the pose that is there, with room around it, and
 * a camera that goes after whoever walks off. */
#ifndef SN_RUNTIME_CAMERA_FOLLOW_H
#define SN_RUNTIME_CAMERA_FOLLOW_H

#include "runtime/camera/stage.h"

/* Of a stage that was planned for one frame: draws back. */
void sn_follow_begin(sn_stage *stage);
/* A frame of `seconds` in which the model has the pose (bone_count x 12). What it does where it stands moves no camera.
 */
void sn_follow(sn_stage *stage, const sn_model *model, const double *pose, double seconds);

#endif

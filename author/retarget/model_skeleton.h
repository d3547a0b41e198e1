/* SPDX-License-Identifier: MIT */
/* The skeleton of a cooked model, for retargeting. */
#ifndef SN_AUTHOR_RETARGET_MODEL_SKELETON_H
#define SN_AUTHOR_RETARGET_MODEL_SKELETON_H

#include "author/retarget/skeleton.h"
#include "host/model/model.h"

/* Writes the bones of a model, in model units; names and numbers are in the arena. */
sn_result sn_model_skeleton(const sn_model *model, sn_arena *arena, sn_rig_skeleton *skeleton);

#endif

/* SPDX-License-Identifier: MIT */
/* The skeleton of a cooked model, as retargeting needs it. */
#ifndef SN_AUTHOR_RETARGET_MODEL_SKELETON_H
#define SN_AUTHOR_RETARGET_MODEL_SKELETON_H

#include "author/retarget/skeleton.h"
#include "host/model/model.h"

/* The bones of a model as a skeleton, in model units; names and numbers live in the arena. */
sn_result sn_model_skeleton(const sn_model *model, sn_arena *arena, sn_rig_skeleton *skeleton);

#endif

/* SPDX-License-Identifier: MIT */
/* What happens to the flesh when a clip loops. If the clip ends where it started, simulation continues. If the whole
 * character jumps back (it has walked away), the flesh is teleported rigidly with it. If the pose or morph weights that
 * affect the flesh differ, the flesh is reset to rest in the first pose. */
#ifndef SN_RUNTIME_SESSION_LOOP_H
#define SN_RUNTIME_SESSION_LOOP_H

#include "host/model/model.h"

typedef enum sn_loop_type { SN_LOOP_CONTINUOUS, SN_LOOP_TELEPORT, SN_LOOP_RESET } sn_loop_type;

typedef struct sn_loop {
    sn_loop_type type;
    sn_mat3x4 jump; /* for SN_LOOP_TELEPORT: the rigid transform from the last pose to the first */
} sn_loop;

/* Classifies the loop of a clip. The jump is the transform of bone 0, the root. Distances are measured at the bones'
 * pivots and at points 0.25 of the model's diagonal around them. A jump no larger than the clip's maximum motion
 * between two frames is ignored (many clips omit their last frame). After a teleport, the other bones may still jump by
 * twice that distance. */
sn_loop sn_loop_plan(const sn_model *model, int clip);

#endif

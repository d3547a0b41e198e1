/* SPDX-License-Identifier: MIT */
/* What happens to the flesh where a clip begins again. A clip that ends where it began flows on. Where the character
 * jumps back as a whole (it has walked away), the flesh is moved along and does not feel it. Where the pose itself is
 * another one, no rigid transform explains the jump: the flesh starts at rest in the first pose; so it does where morph
 * weights that it feels jump back. */
#ifndef SN_RUNTIME_SESSION_LOOP_H
#define SN_RUNTIME_SESSION_LOOP_H

#include "host/model/model.h"

typedef enum sn_loop_kind { SN_LOOP_FLOWS, SN_LOOP_TELEPORTS, SN_LOOP_RESETS } sn_loop_kind;

typedef struct sn_loop {
    sn_loop_kind kind;
    sn_mat3x4 jump; /* of SN_LOOP_TELEPORTS: from the last pose to the first, rigid */
} sn_loop;

/* The jump is that of bone 0, the root; how far anything jumps or moves is measured at the bones' places and a quarter
 * of the model's size around them. No jump counts that is smaller than the clip's largest motion between two frames
 * (many clips leave their last frame out); after a teleport, other bones may still jump twice as far. */
sn_loop sn_loop_plan(const sn_model *model, int clip);

#endif

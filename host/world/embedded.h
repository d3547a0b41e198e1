/* SPDX-License-Identifier: MIT */
/* Bodies whose embedded flesh is displayed: positions after the last two steps, and interpolation between them. */
#ifndef SN_HOST_WORLD_EMBEDDED_H
#define SN_HOST_WORLD_EMBEDDED_H

#include "host/model/embedding.h"
#include "host/world/store.h"

struct sn_embedded {
    const sn_embedding *embedding;
    const sn_backend *backend; /* the device that stores the flesh (all arrays but matrices are then null), or null */
    double *flesh[2];          /* (vertex_count x 3) before and after the last step */
    double *between;           /* (vertex_count x 3) interpolated */
    sn_mat3x4 *matrices;       /* (bone_count + sn_embedding_matrix_count) */
};

/* These do nothing for a body without an embedding. The first two save the flesh before and after the last step of a
 * call. */
void sn_body_slot_keep_flesh(sn_body_slot *slot);
void sn_body_slot_take_flesh(sn_body_slot *slot);
/* Sets both steps to the current state. */
void sn_body_slot_rest_flesh(sn_body_slot *slot);
/* Applies a rigid transform m (12), which has moved the body. */
void sn_body_slot_move_flesh(sn_body_slot *slot, const double *m);
/* Computes the matrices at a fraction between the last two steps, as for sn_body_slot_output. */
void sn_body_slot_embed(sn_body_slot *slot, double fraction);
void sn_body_slot_forget_embedding(sn_body_slot *slot);

#endif

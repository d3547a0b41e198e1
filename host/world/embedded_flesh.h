/* SPDX-License-Identifier: MIT */
/* Bodies whose embedded flesh is displayed: positions after the last two steps, and interpolation between them. */
#ifndef SN_HOST_WORLD_EMBEDDED_FLESH_H
#define SN_HOST_WORLD_EMBEDDED_FLESH_H

#include "host/model/embedding.h"
#include "host/world/store.h"

struct sn_embedded_flesh {
    const sn_embedding *embedding;
    const sn_backend *backend; /* the device that stores the flesh (all arrays but matrices are then null), or null */
    double *flesh[2];          /* (vertex_count x 3) before and after the last step */
    double *interpolated;      /* (vertex_count x 3) interpolated */
    sn_mat3x4 *matrices;       /* (bone_count + sn_embedding_matrix_count) */
};

/* These do nothing for a body without an embedding. The first two save the flesh before and after the last step of a
 * call. */
void sn_body_slot_save_flesh_before(sn_body_slot *slot);
void sn_body_slot_save_flesh_after(sn_body_slot *slot);
/* Sets both steps to the current state. */
void sn_body_slot_reset_flesh(sn_body_slot *slot);
/* Applies a rigid transform m (12), which has moved the body. */
void sn_body_slot_transform_flesh(sn_body_slot *slot, const double *m);
/* Computes the matrices at a fraction between the last two steps, as for sn_body_slot_output. */
void sn_body_slot_update_embedding(sn_body_slot *slot, double fraction);
void sn_body_slot_remove_embedding(sn_body_slot *slot);
/* Displays the flesh of a body on the CPU that has no embedding. A failure leaves none. */
sn_result sn_body_slot_add_embedding(sn_body_slot *slot, const sn_embedding *embedding);

#endif

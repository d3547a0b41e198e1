/* SPDX-License-Identifier: MIT */
/* Bodies that are drawn as their flesh: its positions after the last two steps, and what lies between. */
#ifndef SN_HOST_WORLD_EMBEDDED_H
#define SN_HOST_WORLD_EMBEDDED_H

#include "host/model/embedding.h"
#include "host/world/store.h"

struct sn_embedded {
    const sn_embedding *embedding;
    const sn_backend
        *backend;        /* where the flesh stays, and its matrices are made: the arrays of both are null; or null */
    double *flesh[2];    /* (vertex_count x 3) before and after the last step */
    double *between;     /* (vertex_count x 3) */
    sn_mat3x4 *matrices; /* (bone_count + the embedding's) */
};

/* For a body without an embedding these do nothing. Before the last step of a call, and after it. */
void sn_body_slot_keep_flesh(sn_body_slot *slot);
void sn_body_slot_take_flesh(sn_body_slot *slot);
/* At rest: both steps are as the body is now. */
void sn_body_slot_rest_flesh(sn_body_slot *slot);
/* m (12) has moved the body. */
void sn_body_slot_move_flesh(sn_body_slot *slot, const double *m);
/* What is drawn at this fraction of the way, as of sn_body_slot_output. */
void sn_body_slot_embed(sn_body_slot *slot, double fraction);
void sn_body_slot_forget_embedding(sn_body_slot *slot);

#endif

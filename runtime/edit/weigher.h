/* SPDX-License-Identifier: MIT */
/* Weights in the background: one thread, which works on the last request alone. What a newer one has taken the place of
 * is given up, and nobody hears of it. */
#ifndef SN_RUNTIME_EDIT_WEIGHER_H
#define SN_RUNTIME_EDIT_WEIGHER_H

#include "host/base/base.h"
#include "runtime/edit/handles.h"

typedef struct sn_edit_weigher sn_edit_weigher;

/* The model whose tets are weighed; it must outlive the weigher. */
sn_result sn_edit_weigher_create(const sn_model *model, sn_edit_weigher **weigher);
/* Gives up what is under way. Accepts null. */
void sn_edit_weigher_destroy(sn_edit_weigher **weigher);

/* In place of the request before, whether that is done or not. */
void sn_edit_weigher_ask(sn_edit_weigher *weigher, const sn_edit_handles *handles);
/* Gives up what was asked for last. */
void sn_edit_weigher_cancel(sn_edit_weigher *weigher);

typedef struct sn_edit_weighed {
    uint32_t edit; /* of the handles */
    sn_result result;
    sn_blob blob;    /* the caller's, of SN_OK */
    sn_kept_log log; /* what it had to say, and nobody has said yet */
    double seconds;
} sn_edit_weighed;

/* Whether the last request is done; true once for each. */
bool sn_edit_weigher_take(sn_edit_weigher *weigher, sn_edit_weighed *weighed);

#endif

/* SPDX-License-Identifier: MIT */
/* Computes handle weights on a background thread. Only the last request is processed; a newer request cancels it
 * silently. */
#ifndef SN_RUNTIME_EDIT_WEIGHER_H
#define SN_RUNTIME_EDIT_WEIGHER_H

#include "host/base/base.h"
#include "runtime/edit/handles.h"

typedef struct sn_edit_weigher sn_edit_weigher;

/* The model provides the tets; it must outlive this object. */
sn_result sn_edit_weigher_create(const sn_model *model, sn_edit_weigher **weigher);
/* Cancels the current computation. Accepts null. */
void sn_edit_weigher_destroy(sn_edit_weigher **weigher);

/* Requests weights; replaces any earlier request. */
void sn_edit_weigher_ask(sn_edit_weigher *weigher, const sn_edit_handles *handles);
/* Cancels the last request. */
void sn_edit_weigher_cancel(sn_edit_weigher *weigher);

typedef struct sn_edit_weighed {
    uint32_t edit; /* sn_edit_handles.edit of the request */
    sn_result result;
    sn_blob blob;    /* model bytes on SN_OK; owned by the caller */
    sn_kept_log log; /* message that is not yet logged */
    double seconds;
} sn_edit_weighed;

/* Returns the result of the last request, once; false: not ready. */
bool sn_edit_weigher_take(sn_edit_weigher *weigher, sn_edit_weighed *weighed);

#endif

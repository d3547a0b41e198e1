/* SPDX-License-Identifier: MIT */
/* Computes handle weights on a background thread. Only the last request is processed; a newer request cancels it
 * silently. */
#ifndef SN_RUNTIME_EDIT_WEIGHT_WORKER_H
#define SN_RUNTIME_EDIT_WEIGHT_WORKER_H

#include "host/base/base.h"
#include "runtime/edit/handles.h"

typedef struct sn_weight_worker sn_weight_worker;

/* The model provides the tets; it must outlive this object. */
sn_result sn_weight_worker_create(const sn_model *model, sn_weight_worker **worker);
/* Cancels the current computation. Accepts null. */
void sn_weight_worker_destroy(sn_weight_worker **worker);

/* Requests weights; replaces any earlier request. */
void sn_weight_worker_request(sn_weight_worker *worker, const sn_edit_handles *handles);
/* Cancels the last request. */
void sn_weight_worker_cancel(sn_weight_worker *worker);

typedef struct sn_weight_result {
    uint32_t edit; /* sn_edit_handles.edit of the request */
    sn_result result;
    sn_blob blob;        /* model bytes on SN_OK; owned by the caller */
    sn_captured_log log; /* message that is not yet logged */
    double seconds;
} sn_weight_result;

/* Returns the result of the last request, once; false: not ready. */
bool sn_weight_worker_poll(sn_weight_worker *worker, sn_weight_result *weights);

#endif

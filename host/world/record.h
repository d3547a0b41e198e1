/* SPDX-License-Identifier: MIT */
/* Reports a world's calls to the recorder in its desc. */
#ifndef SN_HOST_WORLD_RECORD_H
#define SN_HOST_WORLD_RECORD_H

#include "host/base/arena.h"
#include "host/world/record_format.h"
#include "host/world/store.h"

/* Records a completed call; the recorder may be null. */
#define SN_RECORD(recorder, call_type, ...)                                                                            \
    do {                                                                                                               \
        if (recorder) {                                                                                                \
            sn_recorder_record_call(recorder, &(sn_record_call){.type = SN_RECORD_##call_type, __VA_ARGS__});          \
        }                                                                                                              \
    } while (0)

void sn_recorder_record_call(sn_recorder *recorder, const sn_record_call *call);

/* Calls that need more than one record, or state. The recorder may be null in all of them. */

/* SN_ERROR_ARGUMENT if the recorder already has a world, or step_limit is too large. */
sn_result sn_recorder_check_world(const sn_recorder *recorder, const sn_world_desc *desc);
void sn_recorder_begin_world(sn_recorder *recorder, sn_world *w);
void sn_recorder_end_world(sn_recorder *recorder);
void sn_recorder_step(sn_recorder *recorder, double seconds, const sn_world_report *report);
/* Records a new body, or changed parameters of an existing one. */
void sn_recorder_body(sn_recorder *recorder, int number, const sn_body_desc *desc);
void sn_recorder_body_desc(sn_recorder *recorder, int number, const sn_body_desc *before, const sn_body_desc *desc);
void sn_recorder_rig(sn_recorder *recorder, int number, const sn_model *model);
/* kind: SN_RECORD_COLLIDER or SN_RECORD_COLLIDER_DESC. */
void sn_recorder_collider(sn_recorder *recorder, sn_record_type type, int number, const sn_collider_desc *desc);

/* Hash of the results of a step: bones, modes and flesh of all bodies, and the remaining time. scratch:
 * sn_world_scratch_size doubles for the flesh of one body; null: without flesh. */
uint64_t sn_world_state_hash(const sn_world *w, double *scratch);
/* Size of the scratch array, in doubles. */
size_t sn_world_scratch_size(const sn_world *w);
/* A model's checksum and, if an arena is given, its bytes. */
sn_result sn_model_identify(const sn_model *model, sn_arena *arena, uint64_t *checksum, uint8_t **bytes, size_t *size);
/* Name of the backend of a world; "" for threads. */
#define SN_BACKEND_NAME 320
void sn_backend_describe(const sn_backend *backend, char name[SN_BACKEND_NAME]);

#endif

/* SPDX-License-Identifier: MIT */
/* What a world's calls tell the recorder in its desc. */
#ifndef SN_HOST_WORLD_RECORD_H
#define SN_HOST_WORLD_RECORD_H

#include "host/base/arena.h"
#include "host/world/record_format.h"
#include "host/world/store.h"

/* A call that has been done; the recorder may be null. */
#define SN_RECORD(recorder, call_kind, ...)                                                                            \
    do {                                                                                                               \
        if (recorder) {                                                                                                \
            sn_recorder_take(recorder, &(sn_record_call){.kind = SN_RECORD_##call_kind, __VA_ARGS__});                 \
        }                                                                                                              \
    } while (0)

void sn_recorder_take(sn_recorder *recorder, const sn_record_call *call);

/* Those that are more than a call. The recorder may be null in all. */

/* SN_ERROR_ARGUMENT where it has a world, or the limit of steps is too high. */
sn_result sn_recorder_check_world(const sn_recorder *recorder, const sn_world_desc *desc);
void sn_recorder_begin_world(sn_recorder *recorder, sn_world *w);
void sn_recorder_end_world(sn_recorder *recorder);
void sn_recorder_step(sn_recorder *recorder, double seconds, const sn_world_report *report);
/* A body with its parameters, or, of one that there is, other parameters, unless they are what it has. */
void sn_recorder_body(sn_recorder *recorder, int number, const sn_body_desc *desc);
void sn_recorder_body_desc(sn_recorder *recorder, int number, const sn_body_desc *before, const sn_body_desc *desc);
void sn_recorder_rig(sn_recorder *recorder, int number, const sn_model *model);
/* kind: SN_RECORD_COLLIDER or SN_RECORD_COLLIDER_DESC. */
void sn_recorder_collider(sn_recorder *recorder, sn_record_kind kind, int number, const sn_collider_desc *desc);

/* What of a world steps have made, to be compared: bones, modes and flesh of its bodies, and the time that is left.
 * scratch: room for the flesh of any body of it, or null: then without flesh. */
uint64_t sn_world_state_hash(const sn_world *w, double *scratch);
/* Numbers of the scratch. */
size_t sn_world_scratch_size(const sn_world *w);
/* A model's checksum, and its bytes where an arena is given. */
sn_result sn_model_identify(const sn_model *model, sn_arena *arena, uint64_t *checksum, uint8_t **bytes, size_t *size);
/* Where a world steps: "" on threads. */
#define SN_BACKEND_NAME 320
void sn_backend_describe(const sn_backend *backend, char name[SN_BACKEND_NAME]);

#endif

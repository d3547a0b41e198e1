/* SPDX-License-Identifier: MIT */
/* Recordings: what was done to worlds, so that it can be done again, to the bit, on another machine, later.
 *
 * A recorder that is in a world's desc is handed every call that changes the world: bodies and colliders that are made,
 * changed and taken away, poses, pushes, grabs, locks, tears, other rigs, and each sn_world_step. States are not
 * recorded; after each step there is a hash of them, so that a replay says which step comes out differently. Several
 * worlds, one after the other, make one recording.
 *
 * What is not the same again. With budget_seconds the motion depends on the machine's speed. What bodies on a device
 * come to is the same on that device; the modes of reduced bodies stay there, so that their hash has their poses alone,
 * and recoveries are not compared. Where the program submits the steps (sn_gpu_record_step) the flesh of the others is
 * not there when the call returns: then the hash has no flesh at all, and what is done to flesh (grabs, tears) is where
 * the program's submissions had it. The number of threads does not matter.
 *
 * A recording that is cut, or of which a byte was changed, is refused as a whole. */
#ifndef SINEW_RECORD_H
#define SINEW_RECORD_H

#include "sinew/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the binary format that this library reads and writes. */
#define SN_RECORD_VERSION 2
/* Of the desc of a world that is recorded: its step_limit, at most. */
#define SN_RECORD_STEP_LIMIT 256

/* Takes the recording's next bytes, from the thread of the call that they are of; false: it cannot. */
typedef bool sn_record_function(const void *bytes, size_t size, void *user);

typedef struct sn_recorder_desc {
    sn_record_function *write;
    void *user;
    const char *note;       /* for people: what is recorded, with what settings; or null */
    bool is_without_models; /* their hashes alone: whoever replays it must have them. Else the recording holds all that
                               a replay takes */
} sn_recorder_desc;

/* Writes the beginning. Errors: SN_ERROR_MEMORY, SN_ERROR_FILE (write has failed). */
SN_API sn_result sn_recorder_create(const sn_recorder_desc *desc, sn_recorder **recorder);
/* Writes the end, without which it counts as cut; what worlds do from now on is not recorded. The first error that
 * there was since the beginning: SN_ERROR_FILE (write has failed), SN_ERROR_MEMORY, SN_ERROR_UNSUPPORTED (a model of
 * more than 4 GB). */
SN_API sn_result sn_recorder_finish(sn_recorder *recorder);
/* After the worlds that have it in their desc. Accepts null; nulls the pointer. */
SN_API void sn_recorder_destroy(sn_recorder **recorder);

typedef struct sn_replay sn_replay;

typedef struct sn_replay_desc {
    const char *name;  /* in messages; null: "recording" */
    const void *bytes; /* of a recording, aligned to 8 bytes; must outlive the replay */
    size_t size;
    sn_world_desc world; /* on what worlds step: threads, run_tasks, backend. The time step is the recording's */
    const sn_model *const *models; /* (model_count) that the recording need not hold; must outlive the replay */
    int model_count;
} sn_replay_desc;

/* Checks all of the recording. Any byte string is safe. Errors (one log line each): SN_ERROR_FORMAT (no recording, cut,
 * damaged), SN_ERROR_UNSUPPORTED (written by a newer version), SN_ERROR_MEMORY. */
SN_API sn_result sn_replay_create(const sn_replay_desc *desc, sn_replay **replay);
/* With its world. Accepts null; nulls the pointer. */
SN_API void sn_replay_destroy(sn_replay **replay);

typedef struct sn_replay_report {
    sn_world_report world; /* of the step */
    double seconds;        /* that the step was given */
    uint64_t hash;         /* of the state after it */
    bool is_over;          /* there was no step any more: the rest of this is 0 */
} sn_replay_report;

/* Does what was done up to the end of the next sn_world_step. A state that is another one than was recorded is told
 * once, by an error's line that names the step, and the replay goes on: see sn_replay_first_difference. Errors, after
 * which only sn_replay_destroy is allowed: those of the calls that are done again; SN_ERROR_UNSUPPORTED (the world was
 * on a device, or another one, or this one is, or a model is neither in the recording nor among those given),
 * SN_ERROR_FORMAT (damaged with its checksum: calls that cannot be). */
SN_API sn_result sn_replay_step(sn_replay *replay, sn_replay_report *report);
/* The first step whose state is not what was recorded, counted from 0; -1: none up to now. */
SN_API int sn_replay_first_difference(const sn_replay *replay);
/* Steps of the whole recording, and the seconds that they were given. */
SN_API int sn_replay_step_count(const sn_replay *replay);
SN_API double sn_replay_seconds(const sn_replay *replay);
/* The note, and the version of the library that wrote it. */
SN_API const char *sn_replay_note(const sn_replay *replay);
SN_API const char *sn_replay_version(const sn_replay *replay);
/* The models of the recording; each is one of those that were given, or the replay's own. Null: it is not there. */
SN_API int sn_replay_model_count(const sn_replay *replay);
SN_API const sn_model *sn_replay_model(const sn_replay *replay, int model);

/* What is there after a step, to be drawn: bodies and colliders have the numbers 1 up to these counts, of which some
 * may be missing (the zero id). A grid's is the replay's own. */
SN_API sn_world_id sn_replay_world(const sn_replay *replay);
SN_API int sn_replay_body_count(const sn_replay *replay);
SN_API sn_body_id sn_replay_body(const sn_replay *replay, int number);
SN_API int sn_replay_collider_count(const sn_replay *replay);
/* False where there is none. The name is null. */
SN_API bool sn_replay_collider(const sn_replay *replay, int number, sn_collider_desc *desc);

#ifdef __cplusplus
}
#endif
#endif

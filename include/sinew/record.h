/* SPDX-License-Identifier: MIT */
/* Recordings of the calls that change worlds, for bit-exact replay on another machine or at a later time.
 *
 * A recorder in a world's desc receives every call that changes the world: creation, changes and removal of bodies and
 * colliders, poses, impulses, grabs, locks, tears, rig changes, and each sn_world_step. It does not record states, but
 * a hash of them after each step, so that a replay can name the first step that differs. Several worlds, one after the
 * other, make one recording.
 *
 * Limits. With budget_seconds the motion depends on the machine's speed. A device reproduces its own results only. The
 * modes of reduced bodies stay on the device, so their hash covers poses only, and recoveries are not compared. Where
 * the program submits the steps (sn_gpu_record_step), the hash covers no flesh at all, and edits of the flesh (grabs,
 * tears) apply to its state in the program's submissions. The number of threads does not matter.
 *
 * A recording that is truncated or altered in any byte is refused completely. */
#ifndef SINEW_RECORD_H
#define SINEW_RECORD_H

#include "sinew/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the binary format that this library reads and writes. */
#define SN_RECORD_VERSION 3
/* Max step_limit of a recorded world. */
#define SN_RECORD_STEP_LIMIT 256

/* Receives the next bytes of the recording, on the thread of the recorded call. Return false if they cannot be written.
 */
typedef bool sn_record_function(const void *bytes, size_t size, void *user);

typedef struct sn_recorder_desc {
    sn_record_function *write;
    void *user;
    const char *note;       /* human-readable description of the recording; or null */
    bool is_without_models; /* store the models' hashes only; the replay must then be given the models */
} sn_recorder_desc;

/* Starts a recording and writes its header. Errors: SN_ERROR_MEMORY, SN_ERROR_FILE (write has failed). */
SN_API sn_result sn_recorder_create(const sn_recorder_desc *desc, sn_recorder **recorder);
/* Writes the end of the recording, without which it counts as truncated; later changes of worlds are not recorded.
 * Returns the first error of the whole recording: SN_ERROR_FILE (write has failed), SN_ERROR_MEMORY,
 * SN_ERROR_UNSUPPORTED (a model of more than 4 GB). */
SN_API sn_result sn_recorder_finish(sn_recorder *recorder);
/* Call it after the worlds of the recorder are destroyed. Accepts null; sets the pointer to null. */
SN_API void sn_recorder_destroy(sn_recorder **recorder);

typedef struct sn_replay sn_replay;

typedef struct sn_replay_desc {
    const char *name;  /* for messages; null: "recording" */
    const void *bytes; /* the recording, aligned to 8 bytes; must outlive the replay */
    size_t size;
    sn_world_desc world;           /* threads, run_tasks and backend; the time step is the recording's */
    const sn_model *const *models; /* (model_count) models that the recording may refer to; must outlive the replay */
    int model_count;
} sn_replay_desc;

/* Checks the whole recording. Any byte string is safe. Errors (one log line each): SN_ERROR_FORMAT (not a recording,
 * truncated or damaged), SN_ERROR_UNSUPPORTED (written by a newer version), SN_ERROR_MEMORY. */
SN_API sn_result sn_replay_create(const sn_replay_desc *desc, sn_replay **replay);
/* Destroys the replay and its world. Accepts null; sets the pointer to null. */
SN_API void sn_replay_destroy(sn_replay **replay);

typedef struct sn_replay_report {
    sn_world_report world; /* of the step */
    double seconds;        /* argument of the recorded sn_world_step */
    uint64_t hash;         /* of the state after the step */
    bool is_over;          /* there are no more steps; the other fields are 0 */
} sn_replay_report;

/* Replays all calls up to the end of the next sn_world_step. The first state that differs from the recorded one logs an
 * error that names the step, and the replay continues: see sn_replay_first_difference. After an error only
 * sn_replay_destroy is allowed. Errors: those of the replayed calls; SN_ERROR_UNSUPPORTED (the recording needs another
 * device, or a model that is neither in it nor in the desc); SN_ERROR_FORMAT (a call is invalid although the checksum
 * matches). */
SN_API sn_result sn_replay_step(sn_replay *replay, sn_replay_report *report);
/* The first step whose state differs from the recorded one, counted from 0, or -1 if none differs so far. */
SN_API int sn_replay_first_difference(const sn_replay *replay);
/* Number of steps of the whole recording, and their total duration in seconds. */
SN_API int sn_replay_step_count(const sn_replay *replay);
SN_API double sn_replay_seconds(const sn_replay *replay);
/* The recorder's note, and the version of the library that wrote the recording. */
SN_API const char *sn_replay_note(const sn_replay *replay);
SN_API const char *sn_replay_version(const sn_replay *replay);
/* The models of the recording: models of the desc, or owned by the replay. Null if a model is not loaded. */
SN_API int sn_replay_model_count(const sn_replay *replay);
SN_API const sn_model *sn_replay_model(const sn_replay *replay, int model);

/* The bodies and colliders that exist after a step, for rendering. They are numbered from 1 up to these counts; a
 * missing one has the zero id. The replay owns the grids. */
SN_API sn_world_id sn_replay_world(const sn_replay *replay);
/* Max number of a body. */
SN_API int sn_replay_body_count(const sn_replay *replay);
/* A body by its number, or the zero id. */
SN_API sn_body_id sn_replay_body(const sn_replay *replay, int number);
/* Max number of a collider. */
SN_API int sn_replay_collider_count(const sn_replay *replay);
/* Returns false if the collider does not exist. The name in the desc is null. */
SN_API bool sn_replay_collider(const sn_replay *replay, int number, sn_collider_desc *desc);

#ifdef __cplusplus
}
#endif
#endif

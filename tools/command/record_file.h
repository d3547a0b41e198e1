/* SPDX-License-Identifier: MIT */
/* Recordings of worlds in files. */
#ifndef SN_TOOLS_COMMAND_RECORD_FILE_H
#define SN_TOOLS_COMMAND_RECORD_FILE_H

#include <stdio.h>

#include "host/base/arena.h"
#include "sinew/record.h"

/* Zero it; open it; give the recorder to worlds; close it after them. */
typedef struct sn_record_file {
    const char *path;
    char part[4096]; /* beside it, until it is whole */
    FILE *file;
    sn_recorder *recorder; /* null: nothing is recorded */
} sn_record_file;

/* path: null records nothing. It holds all its models. What was at the path stays until the recording is closed; a
 * program that ends before leaves PATH.part, which is refused as cut. SN_ERROR_FILE,
 * SN_ERROR_MEMORY. */
sn_result sn_record_file_open(const char *path, const char *note, sn_record_file *file);
/* Ends the recording, if there is one, and puts it in its place; or, of a run that has not begun, drops it. */
sn_result sn_record_file_close(sn_record_file *file, bool is_kept);

/* The bytes of a recording, in the arena, and the desc of its replay; model: one that it need not hold, or null, and
 * borrowed. */
sn_result sn_replay_file_read(const char *path, const sn_model *const *model, sn_arena *arena, sn_replay_desc *desc);
/* SN_ERROR_ARGUMENT where the recording is of other models than this one. */
sn_result sn_replay_check_model(const sn_replay *replay, const char *path, const char *model_path,
                                const sn_model *model);

#endif

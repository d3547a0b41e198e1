/* SPDX-License-Identifier: MIT */
/* World recordings in files. */
#ifndef SN_TOOLS_COMMAND_RECORD_FILE_H
#define SN_TOOLS_COMMAND_RECORD_FILE_H

#include "author/io/source.h"
#include "sinew/record.h"

/* Zero it, open it, pass the recorder to worlds, and close it after the worlds are destroyed. */
typedef struct sn_record_file {
    const char *path;
    sn_file_output *output;
    sn_recorder *recorder; /* null: no recording */
} sn_record_file;

/* A null path disables recording. The recording stores all models that it uses. An existing file at the path is
 * replaced when the recording is closed; see sn_file_output. Errors: SN_ERROR_FILE, SN_ERROR_MEMORY. */
sn_result sn_record_file_open(const char *path, const char *note, sn_record_file *file);
/* Completes the recording, if any, and moves it to its path; deletes it if keep_file is false. */
sn_result sn_record_file_close(sn_record_file *file, bool keep_file);

/* Reads a recording into the arena and fills the desc of its replay. model: a model that the recording need not
 * contain, or null; it must outlive the replay. */
sn_result sn_replay_file_read(const char *path, const sn_model *const *model, sn_arena *arena, sn_replay_desc *desc);
/* SN_ERROR_ARGUMENT if the recording was made with a different model. */
sn_result sn_replay_check_model(const sn_replay *replay, const char *path, const char *model_path,
                                const sn_model *model);

#endif

/* SPDX-License-Identifier: MIT */
/* Checks a recording's bytes, and iterates over its records. */
#ifndef SN_HOST_WORLD_REPLAY_FILE_H
#define SN_HOST_WORLD_REPLAY_FILE_H

#include "host/world/record_format.h"

typedef struct sn_replay_file {
    char name[512]; /* truncated if longer */
    const uint8_t *bytes;
    size_t size;
    const char *note;
    char library[17];
    int step_count, model_count, grid_count;
    double seconds;
} sn_replay_file;

/* Errors, one line each: SN_ERROR_FORMAT (not a recording, truncated, damaged), SN_ERROR_UNSUPPORTED (written by a
 * newer version). */
sn_result sn_replay_file_open(const char *name, const void *bytes, size_t size, sn_replay_file *file);

/* Reads the record at an offset and advances the offset; false at the end. Every record of an open file is readable. */
#define SN_REPLAY_FIRST sizeof(sn_record_head)
bool sn_replay_file_next(const sn_replay_file *file, size_t *offset, sn_record_call *call);

#endif

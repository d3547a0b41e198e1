/* SPDX-License-Identifier: MIT */
/* A recording's bytes, checked, and its records one after the other. */
#ifndef SN_HOST_WORLD_REPLAY_FILE_H
#define SN_HOST_WORLD_REPLAY_FILE_H

#include "host/world/record_format.h"

typedef struct sn_replay_file {
    char name[512]; /* cut where it is longer */
    const uint8_t *bytes;
    size_t size;
    const char *note;
    char library[17];
    int step_count, model_count, grid_count;
    double seconds;
} sn_replay_file;

/* SN_ERROR_FORMAT (it is none, is cut, is damaged), SN_ERROR_UNSUPPORTED (written by a newer version), one line each.
 */
sn_result sn_replay_file_open(const char *name, const void *bytes, size_t size, sn_replay_file *file);

/* The record at a place, which moves on behind it; false at the end. Of an open file each can be read. */
#define SN_REPLAY_FIRST sizeof(sn_record_head)
bool sn_replay_file_next(const sn_replay_file *file, size_t *at, sn_record_call *call);

#endif

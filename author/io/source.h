/* SPDX-License-Identifier: MIT */
/* Whole files in memory: how every reader gets its bytes and every writer leaves them. */
#ifndef SN_AUTHOR_IO_SOURCE_H
#define SN_AUTHOR_IO_SOURCE_H

#include "host/base/arena.h"

/* Bytes of an input. A null byte stands behind them, so that text readers need no copy. */
typedef struct sn_source {
    const char *name; /* for messages; as the user wrote it; borrowed */
    const uint8_t *bytes;
    size_t size;
} sn_source;

/* Whether the name has something in front of this ending, as ".glb", in any case. */
bool sn_has_extension(const char *path, const char *extension);

/* Reads a regular file of at most 2 GiB into the arena. */
sn_result sn_source_read(const char *path, sn_arena *arena, sn_source *source);

/* Writes beside `path`, syncs and renames: the old file stays until the new one is whole. */
sn_result sn_file_write(const char *path, const void *bytes, size_t size);

#endif

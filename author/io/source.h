/* SPDX-License-Identifier: MIT */
/* Complete files in memory, for all readers and writers. */
#ifndef SN_AUTHOR_IO_SOURCE_H
#define SN_AUTHOR_IO_SOURCE_H

#include "host/base/arena.h"

/* The bytes of an input, followed by a null byte, so that text readers need no copy. */
typedef struct sn_source {
    const char *name; /* as given by the user, for messages; not owned */
    const uint8_t *bytes;
    size_t size;
} sn_source;

/* Whether the path ends in this extension (such as ".glb"), case-insensitive, after at least one character. */
bool sn_has_extension(const char *path, const char *extension);

/* Reads a regular file of at most 2 GiB into the arena. */
sn_result sn_source_read(const char *path, sn_arena *arena, sn_source *source);

/* Writes a temporary file beside `path`, syncs it and renames it, so that the old file stays until the new one is
 * complete. */
sn_result sn_file_write(const char *path, const void *bytes, size_t size);

#endif

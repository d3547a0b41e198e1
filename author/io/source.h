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
/* The same for a file that the program adds to: sn_source_protect_inputs does not protect it. */
sn_result sn_source_read_output(const char *path, sn_arena *arena, sn_source *source);

/* A file that is written piece by piece. The bytes go to a new file beside `path`, PATH.PROCESS.NUMBER.tmp, which takes
 * the place of `path` when it is complete. Several writers of one path do not disturb each other; the last one to close
 * its output prevails. A program that is killed leaves its temporary file. */
typedef struct sn_file_output sn_file_output;

/* Creates the temporary file. SN_ERROR_FILE if it cannot be created, or `path` exists and is no regular file. */
sn_result sn_file_output_open(const char *path, sn_file_output **output);
/* Returns false, with errno, after a failure; sn_file_output_close then reports it. */
bool sn_file_output_write(sn_file_output *output, const void *bytes, size_t size);
/* If `keep`, syncs the file and renames it to its path; otherwise, or after a failure, deletes it. Sets the pointer to
 * null; accepts null. */
sn_result sn_file_output_close(sn_file_output **output, bool keep);

/* Makes sn_file_output refuse (SN_ERROR_ARGUMENT) to replace any file that sn_source_read reads from here on, under
 * whatever name: textures, buffers and options of an input as well. For programs; call it before threads start. */
void sn_source_protect_inputs(void);

/* Writes a complete file in the same way. */
sn_result sn_file_write(const char *path, const void *bytes, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/* Writes settings of parts into a character's sidecar. */
#ifndef SN_AUTHOR_IO_RIG_SIDECAR_WRITE_H
#define SN_AUTHOR_IO_RIG_SIDECAR_WRITE_H

#include "author/io/rig/sidecar.h"

/* Sets members of "parts" in the sidecar of the file at `path`, which it creates if there is none. Members that are not
 * set in `parts` (part_count), and everything else in the file, stay. An amplitude replaces a frequency and the
 * reverse, since one determines the other. Writes the path of the sidecar (size bytes, cut) to `written`. Errors, with
 * one line: the existing file is not a JSON object or cannot be read, SN_ERROR_IO, SN_ERROR_MEMORY. The old file stays
 * until the new one is whole. */
sn_result sn_sidecar_write_parts(const char *path, const sn_named_part *parts, int part_count, char *written,
                                 size_t size);

#endif

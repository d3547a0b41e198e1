/* SPDX-License-Identifier: MIT */
/* Converts names from files to the form that models store. */
#ifndef SN_AUTHOR_IMPORT_NAMES_H
#define SN_AUTHOR_IMPORT_NAMES_H

#include "host/base/arena.h"

#define SN_NAME_BYTES 200

/* Replaces bytes that are not valid UTF-8 by underscores (Latin-1 names, a character cut in two). */
void sn_name_make_printable(char *name);

/* Concatenates the names, null-terminated, each cut to SN_NAME_BYTES. An empty name becomes the fallback and its index.
 */
sn_result sn_names_pack(const char *const *names, int count, const char *fallback, sn_arena *arena, char **bytes,
                        int32_t *size);

#endif

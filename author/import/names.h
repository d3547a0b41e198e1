/* SPDX-License-Identifier: MIT */
/* Names from files, as models keep them. */
#ifndef SN_AUTHOR_IMPORT_NAMES_H
#define SN_AUTHOR_IMPORT_NAMES_H

#include "host/base/arena.h"

#define SN_NAME_BYTES 200

/* Reports are lines of UTF-8: what is not (a Latin-1 file name, a character that was cut) becomes underscores. */
void sn_name_make_printable(char *name);

/* One after the other, null-terminated, cut to SN_NAME_BYTES. What has no name is called the fallback and its number.
 */
sn_result sn_names_pack(const char *const *names, int count, const char *fallback, sn_arena *arena, char **bytes,
                        int32_t *size);

#endif

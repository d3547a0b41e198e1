/* SPDX-License-Identifier: MIT */
#include "author/import/names.h"

#include <stdio.h>
#include <string.h>

#include "host/base/utf8.h"

void sn_name_make_printable(char *name)
{
    for (char *at = name, *end = name + strlen(name); at < end;) {
        const size_t size = sn_utf8_character_size(at, (size_t)(end - at));
        *at = size > 0 ? *at : '_';
        at += size > 0 ? size : 1;
    }
}

sn_result sn_names_pack(const char *const *names, int count, const char *fallback, sn_arena *arena, char **bytes,
                        int32_t *size)
{
    char *to = SN_NEW(arena, char, (size_t)count *SN_NAME_BYTES);
    *bytes = to;
    if (!to) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        if (names[i][0]) {
            snprintf(to, SN_NAME_BYTES, "%.*s", SN_NAME_BYTES - 1, names[i]);
        } else {
            snprintf(to, SN_NAME_BYTES, "%s %d", fallback, i);
        }
        sn_name_make_printable(to);
        to += strlen(to) + 1;
    }
    *size = (int32_t)(to - *bytes);
    return SN_OK;
}

/* SPDX-License-Identifier: MIT */
#include "author/cook/names.h"

#include <stdio.h>
#include <string.h>

/* Bytes of the character that starts with this one, 0 for none of UTF-8's and for control characters. */
static int character_bytes(unsigned char first)
{
    return first < 0x20 || first == 0x7f   ? 0
           : first < 0x80                  ? 1
           : first >= 0xc2 && first < 0xe0 ? 2
           : first >= 0xe0 && first < 0xf0 ? 3
           : first >= 0xf0 && first < 0xf5 ? 4
                                           : 0;
}

void sn_name_make_printable(char *name)
{
    for (char *at = name; *at;) {
        const int wanted = character_bytes((unsigned char)*at);
        int found = wanted > 0;
        while (found > 0 && found < wanted && ((unsigned char)at[found] & 0xc0) == 0x80) {
            ++found;
        }
        if (wanted == 0 || found < wanted) {
            *at++ = '_';
        } else {
            at += wanted;
        }
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

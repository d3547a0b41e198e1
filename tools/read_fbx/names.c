/* SPDX-License-Identifier: MIT */
/* Names of old exporters are in whatever the artist's system wrote; JSON takes UTF-8 alone. */
#include "tools/read_fbx/read_fbx.h"

/* The bytes of the character at `text`, of `left` bytes; 0: none that UTF-8 has (RFC 3629), or a control character. */
static size_t character_size(const unsigned char *text, size_t left)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t size = text[0] < 0x80 ? 1 : text[0] < 0xc0 ? 0 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
    if (size <= 1) {
        return text[0] >= 0x20 && text[0] != 0x7f ? size : 0;
    }
    if (size > left || text[0] > 0xf4) {
        return 0;
    }
    uint32_t code = text[0] & (0x7fU >> size);
    for (size_t i = 1; i < size; ++i) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
        code = code << 6 | (text[i] & 0x3fU);
    }
    return code < least[size] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : size;
}

const char *fbx_name(fbx_reading *r, const struct aiString *name)
{
    const size_t size = name->length < MAXLEN ? name->length : MAXLEN - 1;
    char *copy = SN_NEW(&r->arena, char, size + 1);
    for (size_t at = 0; copy && at < size;) {
        const size_t count = character_size((const unsigned char *)name->data + at, size - at);
        for (size_t k = 0; k < (count > 0 ? count : 1); ++k) {
            copy[at + k] = count > 0 ? name->data[at + k] : '_';
        }
        at += count > 0 ? count : 1;
    }
    return copy;
}

/* SPDX-License-Identifier: MIT */
#include "host/base/utf8.h"

#include <stdint.h>

size_t sn_utf8_character_size(const char *characters, size_t left)
{
    static const uint32_t min_code[5] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *text = (const unsigned char *)characters;
    if (left == 0) {
        return 0;
    }
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
    return code < min_code[size] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : size;
}

bool sn_utf8_is_text(const char *text, size_t size)
{
    size_t at = 0, step = 1;
    while (at < size && step > 0) {
        step = sn_utf8_character_size(text + at, size - at);
        at += step;
    }
    return at == size;
}

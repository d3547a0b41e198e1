/* SPDX-License-Identifier: MIT */
/* Names may have the encoding of the artist's system; JSON requires UTF-8. */
#include "host/base/utf8.h"
#include "tools/read_fbx/read_fbx.h"

const char *fbx_name(fbx_reader *r, const struct aiString *name)
{
    const size_t size = name->length < MAXLEN ? name->length : MAXLEN - 1;
    char *copy = SN_NEW(&r->arena, char, size + 1);
    for (size_t at = 0; copy && at < size;) {
        const size_t count = sn_utf8_character_size(name->data + at, size - at);
        for (size_t k = 0; k < (count > 0 ? count : 1); ++k) {
            copy[at + k] = count > 0 ? name->data[at + k] : '_';
        }
        at += count > 0 ? count : 1;
    }
    return copy;
}

/* SPDX-License-Identifier: MIT */
/* Fuzz target: the clip reader, for a rig of two bones. */
#include "author/io/rig_file.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1); /* a source has a null byte behind it, and nothing more */
    if (!copy) {
        return 0;
    }
    if (size > 0) {
        memcpy(copy, data, size);
    }
    copy[size] = 0;
    const sn_source source = {.name = "fuzz", .bytes = copy, .size = size};
    sn_arena arena = {0};
    sn_clip_file clip;
    if (sn_clip_read(&source, 2, &arena, &clip) == SN_OK) {
        SN_ASSERT(clip.frame_count > 0 && clip.bone_count == 2);
    }
    sn_arena_finish(&arena);
    free(copy);
    return 0;
}

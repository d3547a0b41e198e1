/* SPDX-License-Identifier: MIT */
/* Fuzz target: the clip reader, for a rig of two bones. */
#include "author/io/rig/rig_file.h"

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_source source = sn_fuzz_source(data, size);
    if (!source.bytes) {
        return 0;
    }
    sn_arena arena = {0};
    sn_clip_file clip;
    if (sn_clip_read(&source, 2, &arena, &clip) == SN_OK) {
        SN_ASSERT(clip.frame_count > 0 && clip.bone_count == 2);
    }
    sn_arena_finish(&arena);
    sn_fuzz_finish(&source);
    return 0;
}

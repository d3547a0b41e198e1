/* SPDX-License-Identifier: MIT */
/* Fuzz target: DragonBones skeletons, and their atlas behind a null byte, over a small picture. */
#include "author/io/drawing/drawing.h"
#include "tests/fuzz/fuzz_handles.h"

static void check_clip(const sn_drawing_clip *clip, int handle_count)
{
    SN_ASSERT(clip->frame_count > 0 && clip->frame_rate > 0 && clip->name && clip->name[0]);
    for (size_t i = 0; i < 12 * (size_t)clip->frame_count * (size_t)handle_count; ++i) {
        SN_ASSERT(clip->transforms[i] - clip->transforms[i] == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t pixels[4 * 16 * 16];
    static const char atlas_text[] =
        "{\"SubTexture\": [{\"name\": \"a\", \"x\": 0, \"y\": 0, \"width\": 8, \"height\": 4},"
        "{\"name\": \"b\", \"x\": 8, \"y\": 0, \"width\": 4, \"height\": 16}]}";
    sn_source source = sn_fuzz_source(data, size);
    if (!source.bytes) {
        return 0;
    }
    memset(pixels, 255, sizeof pixels);
    const size_t end = strlen((const char *)source.bytes);
    const sn_source skeleton = {"fuzz_ske", source.bytes, end};
    sn_source atlas = {"fuzz_tex", (const uint8_t *)atlas_text, sizeof atlas_text - 1};
    if (end < size) {
        atlas.bytes = source.bytes + end + 1;
        atlas.size = size - end - 1;
    }
    const sn_image image = {16, 16, pixels};
    sn_arena arena = {0};
    sn_drawing drawing;
    if (sn_dragonbones_read(&skeleton, &atlas, &image, &arena, &arena, &drawing) == SN_OK) {
        SN_ASSERT(drawing.image.width > 0 && drawing.image.width <= SN_DRAWING_SIDE_LIMIT);
        SN_ASSERT(drawing.image.height > 0 && drawing.image.height <= SN_DRAWING_SIDE_LIMIT);
        sn_fuzz_check_handles(&drawing.handles);
        for (int i = 0; i < drawing.clip_count; ++i) {
            check_clip(&drawing.clips[i], drawing.handles.count);
        }
    }
    sn_arena_finish(&arena);
    sn_fuzz_finish(&source);
    return 0;
}

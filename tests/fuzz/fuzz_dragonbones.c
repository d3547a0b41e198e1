/* SPDX-License-Identifier: MIT */
/* Fuzz target: DragonBones skeletons, and their atlas behind a null byte, over a small picture. */
#include "author/io/drawing.h"
#include "tests/fuzz/fuzz_handles.h"

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
    }
    sn_arena_finish(&arena);
    sn_fuzz_finish(&source);
    return 0;
}

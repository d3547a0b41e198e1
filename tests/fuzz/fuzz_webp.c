/* SPDX-License-Identifier: MIT */
/* Fuzz target: the WebP reader. */
#include "author/io/webp.h"

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_source source = sn_fuzz_source(data, size);
    if (!source.bytes) {
        return 0;
    }
    sn_arena arena = {0};
    sn_image image;
    if (sn_webp_read(&source, &arena, &image) == SN_OK) {
        int width = 0, height = 0;
        SN_ASSERT(sn_webp_size(&source, &width, &height) == SN_OK && width == image.width && height == image.height);
        SN_ASSERT(image.width > 0 && image.width <= SN_IMAGE_LIMIT && image.height > 0);
        SN_ASSERT(image.height <= SN_IMAGE_LIMIT && image.pixels);
    }
    sn_arena_finish(&arena);
    sn_fuzz_finish(&source);
    return 0;
}

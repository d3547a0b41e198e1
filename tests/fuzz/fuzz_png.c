/* SPDX-License-Identifier: MIT */
/* Fuzz target: the PNG reader; the checksums are set right, so that what is behind them is reached. */
#include "author/io/image/png.h"

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/png_checksums.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_source source = sn_fuzz_source(data, size);
    if (!source.bytes) {
        return 0;
    }
    png_fix_checksums((uint8_t *)(uintptr_t)source.bytes, size);
    sn_arena arena = {0};
    sn_image image;
    if (sn_png_read(&source, &arena, &image) == SN_OK) {
        SN_ASSERT(image.width > 0 && image.width <= SN_IMAGE_LIMIT && image.height > 0);
        SN_ASSERT(image.height <= SN_IMAGE_LIMIT && image.pixels);
        volatile uint8_t last = image.pixels[4 * (size_t)image.width * (size_t)image.height - 1];
        (void)last;
    }
    sn_arena_finish(&arena);
    sn_fuzz_finish(&source);
    return 0;
}

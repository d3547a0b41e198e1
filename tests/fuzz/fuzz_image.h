/* SPDX-License-Identifier: MIT */
/* What the targets of pictures with a header share. */
#ifndef SN_TESTS_FUZZ_FUZZ_IMAGE_H
#define SN_TESTS_FUZZ_FUZZ_IMAGE_H

#include "author/io/image/png.h"
#include "tests/fuzz/fuzz.h"

/* What is read has the size that the header says; is_opaque: and no alpha. */
static inline void sn_fuzz_image(const uint8_t *data, size_t size,
                                 sn_result (*read)(const sn_source *, sn_arena *, sn_image *),
                                 sn_result (*read_size)(const sn_source *, int *, int *), bool is_opaque)
{
    sn_source source = sn_fuzz_source(data, size);
    sn_arena arena = {0};
    sn_image image;
    if (source.bytes && read(&source, &arena, &image) == SN_OK) {
        int width = 0, height = 0;
        SN_ASSERT(read_size(&source, &width, &height) == SN_OK && width == image.width && height == image.height);
        SN_ASSERT(image.width > 0 && image.width <= SN_IMAGE_LIMIT && image.height > 0);
        SN_ASSERT(image.height <= SN_IMAGE_LIMIT && image.pixels);
        volatile uint8_t last = image.pixels[4 * (size_t)image.width * (size_t)image.height - 1];
        SN_ASSERT(!is_opaque || last == 255);
    }
    sn_arena_finish(&arena);
    sn_fuzz_finish(&source);
}

#endif

/* SPDX-License-Identifier: MIT */
/* Fuzz target: the JPEG reader. */
#include "author/io/image/jpeg.h"

#include "tests/fuzz/fuzz_image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_fuzz_image(data, size, sn_jpeg_read, sn_jpeg_size, true);
    return 0;
}

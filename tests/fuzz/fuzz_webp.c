/* SPDX-License-Identifier: MIT */
/* Fuzz target: the WebP reader. */
#include "author/io/image/webp.h"

#include "tests/fuzz/fuzz_image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_fuzz_image(data, size, sn_webp_read, sn_webp_size, false);
    return 0;
}

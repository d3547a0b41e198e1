/* SPDX-License-Identifier: MIT */
/* What the targets of readers share. */
#ifndef SN_TESTS_FUZZ_FUZZ_H
#define SN_TESTS_FUZZ_FUZZ_H

#include <stdlib.h>
#include <string.h>

#include "author/io/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A source has a null byte behind it and nothing more: a copy of that size lets the sanitizer see one byte too far.
 * Null bytes when memory is out; finish it either way. */
static inline sn_source sn_fuzz_source(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1);
    if (copy) {
        if (size > 0) {
            memcpy(copy, data, size);
        }
        copy[size] = 0;
    }
    return (sn_source){.name = "fuzz", .bytes = copy, .size = size};
}

static inline void sn_fuzz_finish(sn_source *source)
{
    free((void *)(uintptr_t)source->bytes);
}

#endif

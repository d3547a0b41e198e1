/* SPDX-License-Identifier: MIT */
/* Fuzz target: the NumPy reader. */
#include "author/io/npy.h"

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
    sn_npy array;
    if (sn_npy_read(&source, &arena, &array) == SN_OK) {
        SN_ASSERT(array.dimension_count <= SN_NPY_MAX_DIMENSIONS && array.values);
    }
    sn_arena_finish(&arena);
    free(copy);
    return 0;
}

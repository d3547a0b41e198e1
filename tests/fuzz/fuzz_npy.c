/* SPDX-License-Identifier: MIT */
/* Fuzz target: the NumPy reader. */
#include "author/io/npy.h"

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_source source = sn_fuzz_source(data, size);
    if (!source.bytes) {
        return 0;
    }
    sn_arena arena = {0};
    sn_npy array;
    if (sn_npy_read(&source, &arena, &array) == SN_OK) {
        SN_ASSERT(array.dimension_count <= SN_NPY_MAX_DIMENSIONS && array.values);
    }
    sn_arena_finish(&arena);
    sn_fuzz_finish(&source);
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* Fuzz target: the reader of .dmat matrices. */
#include "author/io/npy.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_source source = sn_fuzz_source(data, size);
    sn_arena arena = {0};
    sn_npy array;
    if (source.bytes && sn_dmat_read(&source, &arena, &array) == SN_OK) {
        SN_ASSERT(array.dimension_count == 2 && array.count == array.shape[0] * array.shape[1]);
        SN_ASSERT(array.count <= size);
        for (size_t i = 0; i < array.count; i++) {
            SN_ASSERT(array.values[i] - array.values[i] == 0);
        }
    }
    sn_arena_finish(&arena);
    sn_fuzz_finish(&source);
    return 0;
}

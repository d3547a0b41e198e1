/* SPDX-License-Identifier: MIT */
/* Fuzz target: the STL reader; what it lets through must be whole: indices inside, coordinates finite. */
#include "tests/fuzz/fuzz_surface.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_fuzz_surface(data, size, sn_stl_read);
    return 0;
}

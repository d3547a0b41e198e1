/* SPDX-License-Identifier: MIT */
/* Fuzz target: the glTF and VRM reader. */
#include "tests/fuzz/fuzz_scene_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_fuzz_scene_file(data, size, sn_gltf_read);
    return 0;
}

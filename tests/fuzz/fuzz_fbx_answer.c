/* SPDX-License-Identifier: MIT */
/* Fuzz target: what sinew-read-fbx answers, which an FBX file that has taken it over may have written. */
#include "author/io/fbx.h"
#include "tests/fuzz/fuzz_scene_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_fuzz_scene_file(data, size, sn_fbx_output_read);
    return 0;
}

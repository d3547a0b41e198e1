/* SPDX-License-Identifier: MIT */
/* Fuzz target: the sidecar's reader; factors must be usable as they are. */
#include "author/io/sidecar.h"

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_source source = sn_fuzz_source(data, size);
    if (!source.bytes) {
        return 0;
    }
    sn_arena arena = {0};
    sn_sidecar sidecar;
    if (sn_sidecar_read(&source, &arena, &sidecar) == SN_OK) {
        for (int i = 0; i < sidecar.bone_count; ++i) {
            SN_ASSERT(sidecar.bones[i].stiffness > 0 && sidecar.bones[i].density > 0);
            sn_name_is_listed(&sidecar.rigid, sidecar.bones[i].name);
        }
        SN_ASSERT(sidecar.mode_count >= 0 && sidecar.cluster_count >= 0);
    }
    sn_arena_finish(&arena);
    sn_fuzz_finish(&source);
    return 0;
}

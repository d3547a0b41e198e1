/* SPDX-License-Identifier: MIT */
/* Fuzz target: the Medit reader; every index that it lets through must be a vertex. */
#include "author/io/tets/tet_file.h"

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_source source = sn_fuzz_source(data, size);
    if (!source.bytes) {
        return 0;
    }
    sn_arena arena = {0};
    sn_tet_mesh mesh;
    if (sn_medit_read(&source, &arena, &mesh) == SN_OK) {
        for (size_t i = 0; i < (size_t)mesh.tet_count * 4; i++) {
            SN_ASSERT(mesh.tets[i] >= 0 && mesh.tets[i] < mesh.vertex_count);
        }
    }
    sn_arena_finish(&arena);
    sn_fuzz_finish(&source);
    return 0;
}

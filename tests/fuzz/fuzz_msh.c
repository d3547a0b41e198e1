/* SPDX-License-Identifier: MIT */
/* Fuzz target: the Gmsh reader; every index that it lets through must be a vertex or a group. */
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
    sn_tet_groups groups;
    if (sn_msh_read_with_groups(&source, &arena, &mesh, &groups) == SN_OK) {
        for (size_t i = 0; i < (size_t)mesh.tet_count * 4; i++) {
            SN_ASSERT(mesh.tets[i] >= 0 && mesh.tets[i] < mesh.vertex_count);
            SN_ASSERT(groups.of_tet[i / 4] >= -1 && groups.of_tet[i / 4] < groups.count);
        }
    }
    sn_arena_finish(&arena);
    sn_fuzz_finish(&source);
    return 0;
}

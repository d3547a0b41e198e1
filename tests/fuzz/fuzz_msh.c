/* SPDX-License-Identifier: MIT */
/* Fuzz target: the Gmsh reader; every index that it lets through must be a vertex. */
#include "author/io/tet_file.h"

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
    sn_tet_mesh mesh;
    if (sn_msh_read(&source, &arena, &mesh) == SN_OK) {
        for (size_t i = 0; i < (size_t)mesh.tet_count * 4; i++) {
            SN_ASSERT(mesh.tets[i] >= 0 && mesh.tets[i] < mesh.vertex_count);
        }
    }
    sn_arena_finish(&arena);
    free(copy);
    return 0;
}

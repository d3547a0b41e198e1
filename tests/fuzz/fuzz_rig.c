/* SPDX-License-Identifier: MIT */
/* Fuzz target: the rig reader; faces must name vertices, and every walk up from a bone must end. */
#include "author/io/rig_file.h"

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
    sn_rig_file rig;
    if (sn_rig_read(&source, &arena, &rig) == SN_OK) {
        for (size_t i = 0; i < (size_t)rig.face_count * (size_t)rig.corner_count; i++) {
            SN_ASSERT(rig.faces[i] >= 0 && rig.faces[i] < rig.vertex_count);
        }
        int32_t bone = rig.bone_count - 1;
        for (int steps = 0; bone >= 0; steps++) {
            SN_ASSERT(steps < rig.bone_count);
            bone = rig.parents[bone];
        }
    }
    sn_arena_finish(&arena);
    free(copy);
    return 0;
}

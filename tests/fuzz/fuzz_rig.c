/* SPDX-License-Identifier: MIT */
/* Fuzz target: the rig reader; faces must name vertices, every walk up from a bone must end, and a rig of handles must
 * have what it counts. */
#include "tests/fuzz/fuzz_handles.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_source source = sn_fuzz_source(data, size);
    if (!source.bytes) {
        return 0;
    }
    sn_arena arena = {0};
    sn_rig_file rig;
    if (sn_rig_read(&source, &arena, &rig) == SN_OK) {
        for (size_t i = 0; i < (size_t)rig.face_count * (size_t)rig.corner_count; i++) {
            SN_ASSERT(rig.faces[i] >= 0 && rig.faces[i] < rig.vertex_count);
        }
        sn_fuzz_check_handles(&rig.handles);
        int32_t bone = rig.parents ? rig.bone_count - 1 : -1;
        for (int steps = 0; bone >= 0; steps++) {
            SN_ASSERT(steps < rig.bone_count);
            bone = rig.parents[bone];
        }
    }
    sn_arena_finish(&arena);
    sn_fuzz_finish(&source);
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* Fuzz target: the rig reader; faces must name vertices, every walk up from a bone must end, and a rig of handles must
 * have what it counts. */
#include "author/io/rig_file.h"

#include "tests/fuzz/fuzz.h"

static void check_handles(const sn_rig_handles *handles)
{
    int bones = 0;
    for (int i = 0; i < handles->count; i++) {
        const sn_rig_handle *h = &handles->handles[i];
        SN_ASSERT(h->first_bone == bones && h->point_count > 0);
        bones += h->kind == SN_RIG_CAGE ? h->point_count : 1;
        for (int k = 0; h->face_count > 0 && k < h->face_starts[h->face_count]; k++) {
            SN_ASSERT(h->face_corners[k] >= 0 && h->face_corners[k] < h->point_count);
        }
        for (int k = 0; k < 2 * h->edge_count; k++) {
            SN_ASSERT(h->edges[k] >= 0 && h->edges[k] < h->point_count);
        }
        for (int k = 0; k < 3 * h->point_count; k++) {
            SN_ASSERT(h->points[k] - h->points[k] == 0);
        }
    }
    SN_ASSERT(bones == handles->bone_count && bones <= SN_RIG_HANDLE_LIMIT);
    for (int b = 0; b < bones; b++) {
        SN_ASSERT(handles->bone_names[b] && handles->bone_names[b][0]);
    }
}

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
        check_handles(&rig.handles);
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

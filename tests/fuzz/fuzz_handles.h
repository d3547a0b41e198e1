/* SPDX-License-Identifier: MIT */
/* What the targets of readers of handles share: handles must have what they count, and every walk up must end. */
#ifndef SN_TESTS_FUZZ_FUZZ_HANDLES_H
#define SN_TESTS_FUZZ_FUZZ_HANDLES_H

#include "author/io/rig/rig_file.h"
#include "tests/fuzz/fuzz.h"

static inline void sn_fuzz_check_handles(const sn_rig_handles *handles)
{
    int bones = 0;
    for (int i = 0; i < handles->count; i++) {
        const sn_rig_handle *h = &handles->handles[i];
        SN_ASSERT(h->first_bone == bones && h->point_count > 0);
        bones += h->type == SN_RIG_CAGE ? h->point_count : 1;
        for (int k = 0; h->face_count > 0 && k < h->face_starts[h->face_count]; k++) {
            SN_ASSERT(h->face_corners[k] >= 0 && h->face_corners[k] < h->point_count);
        }
        for (int k = 0; k < 2 * h->edge_count; k++) {
            SN_ASSERT(h->edges[k] >= 0 && h->edges[k] < h->point_count);
        }
        for (int k = 0; k < 3 * h->point_count; k++) {
            SN_ASSERT(h->points[k] - h->points[k] == 0);
        }
        int above = h->parent;
        for (int steps = 0; above >= 0; steps++) {
            int at = 0;
            while (at < handles->count && handles->handles[at].first_bone != above) {
                at++;
            }
            SN_ASSERT(steps <= handles->count && at < handles->count && handles->handles[at].type != SN_RIG_CAGE);
            above = handles->handles[at].parent;
        }
    }
    SN_ASSERT(bones == handles->bone_count && bones <= SN_RIG_HANDLE_LIMIT);
    for (int b = 0; b < bones; b++) {
        SN_ASSERT(handles->bone_names[b] && handles->bone_names[b][0]);
    }
}

static inline int sn_fuzz_handles(const uint8_t *data, size_t size,
                                  sn_result (*read)(const sn_source *, sn_arena *, sn_rig_handles *))
{
    sn_source source = sn_fuzz_source(data, size);
    sn_arena arena = {0};
    sn_rig_handles handles;
    if (source.bytes && read(&source, &arena, &handles) == SN_OK) {
        SN_ASSERT(handles.count > 0);
        sn_fuzz_check_handles(&handles);
    }
    sn_arena_finish(&arena);
    sn_fuzz_finish(&source);
    return 0;
}

#endif

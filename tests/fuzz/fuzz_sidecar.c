/* SPDX-License-Identifier: MIT */
/* Fuzz target: the sidecar's reader; factors must be usable as they are. */
#include "author/io/rig/sidecar.h"

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
        for (int i = 0; i < sidecar.fibres.curve_count; ++i) {
            const sn_cook_curve *c = &sidecar.fibres.curves[i];
            const int knots = c->point_count + c->degree + 1;
            SN_ASSERT(c->point_count >= 2 && c->degree >= 1 && c->points[3 * c->point_count - 1] < 1e9);
            SN_ASSERT((!c->weights || c->weights[c->point_count - 1] < 1e9) &&
                      (!c->knots || c->knots[knots - 1] < 1e9));
        }
        for (int i = 0; i < sidecar.part_count; ++i) {
            const sn_named_part *p = &sidecar.parts[i];
            SN_ASSERT(p->name && p->amplitude <= SN_MAX_PART_AMPLITUDE && p->core_depth <= 1);
            SN_ASSERT(p->frequency >= 0 && p->frequency <= SN_MAX_PART_FREQUENCY);
            SN_ASSERT(p->settling_time >= 0 && p->settling_time <= SN_MAX_SETTLING_TIME);
        }
        SN_ASSERT((unsigned)sidecar.style < SN_STYLE_COUNT);
        SN_ASSERT(sidecar.mode_count >= 0 && sidecar.cluster_count >= 0);
    }
    sn_arena_finish(&arena);
    sn_fuzz_finish(&source);
    return 0;
}

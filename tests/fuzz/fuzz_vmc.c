/* SPDX-License-Identifier: MIT */
/* Fuzz target: VMC's datagrams, several after each other, each behind its size in two bytes; the last takes the rest.
 */
#include <math.h>

#include "runtime/puppet/vmc.h"
#include "tests/fuzz/fuzz.h"

static sn_vmc vmc;

static void check(const sn_tracking *tracking_frame)
{
    for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
        const double *q = tracking_frame->rotations[bone];
        const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        SN_ASSERT(!sn_tracking_has(tracking_frame, bone) || fabs(square - 1) < 1e-6);
    }
    for (int i = 0; i < tracking_frame->expression_count; ++i) {
        const sn_tracked_expression *e = &tracking_frame->expressions[i];
        SN_ASSERT(memchr(e->name, 0, sizeof e->name) && e->name[0] && e->weight >= 0 && e->weight <= 1);
    }
    SN_ASSERT(!tracking_frame->has_hips || (isfinite(tracking_frame->hips[0]) && isfinite(tracking_frame->hips[1]) &&
                                            isfinite(tracking_frame->hips[2])));
    SN_ASSERT(tracking_frame->hips_height >= 0 && isfinite(tracking_frame->seconds));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    double now = 1;
    sn_vmc_init(&vmc);
    while (size >= 2) {
        const size_t wanted = (size_t)data[0] | (size_t)data[1] << 8, length = wanted < size - 2 ? wanted : size - 2;
        sn_source datagram = sn_fuzz_source(data + 2, length);
        if (datagram.bytes) {
            sn_vmc_read(&vmc, datagram.bytes, length, now);
        }
        sn_fuzz_finish(&datagram);
        now += 0.003;
        sn_vmc_flush(&vmc, now);
        data += 2 + length;
        size -= 2 + length;
    }
    sn_vmc_flush(&vmc, now + 1);
    check(&vmc.tracking_frame);
    check(&vmc.next);
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* What a device does at best is measured at all, and in the right units. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "compute/core/peak.h"
#include "tests/support/gpu.h"

/* Any device computes and copies something, and none of today does a quadrillion a second. */
static void test_peak_of_a_device(void **state)
{
    sn_gpu_device *device = *state;
    sn_gpu_peak peak = {.flops = -1, .bandwidth = -1};
    assert_int_equal(sn_gpu_measure_peak(device, &peak), SN_OK);
    assert_true(device->timestamp_mask != 0 ? peak.flops > 1e7 && peak.flops < 1e15 : peak.flops == 0);
    assert_true(device->timestamp_mask != 0 ? peak.bandwidth > 1e7 && peak.bandwidth < 1e15 : peak.bandwidth == 0);
}

static void test_without_a_clock(void **state)
{
    sn_gpu_device *device = *state;
    const uint64_t mask = device->timestamp_mask;
    sn_gpu_peak peak = {.flops = -1, .bandwidth = -1};
    device->timestamp_mask = 0;
    assert_int_equal(sn_gpu_measure_peak(device, &peak), SN_OK);
    device->timestamp_mask = mask;
    assert_true(peak.flops == 0 && peak.bandwidth == 0);
}

static int release(void **state)
{
    (void)state;
    sn_test_gpu_close();
    return sn_allocated_bytes() == 0 ? 0 : -1;
}

int test_peak(void)
{
    const struct CMUnitTest tests[] = {
        SN_TEST_SHARED_GPU(test_peak_of_a_device),
        SN_TEST_SHARED_GPU(test_without_a_clock),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}

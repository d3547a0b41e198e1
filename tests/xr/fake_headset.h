/* SPDX-License-Identifier: MIT */
/* The headset of tests/support/fake_xr, its session and its device, validated. Include it after cmocka.h. */
#ifndef SN_TESTS_XR_FAKE_HEADSET_H
#define SN_TESTS_XR_FAKE_HEADSET_H

#include <dlfcn.h>
#include <stdlib.h>

#include "compute/core/open.h"
#include "runtime/xr/xr.h"
#include "tests/support/fake_xr/fake.h"
#include "tests/support/render_fixture.h"

static sn_fake_xr *fake;

/* For each test: the headset is as new. The library stays loaded, so that it is the one that the loader loads. */
static inline int start_fake(void **state)
{
    static void *library;
    (void)state;
    setenv("XR_RUNTIME_JSON", SN_BINARY_DIR "/tests/fake_xr.json", 1);
    unsetenv("SN_FAKE_XR");
    library = library ? library : dlopen(SN_BINARY_DIR "/tests/libsn_fake_xr.so", RTLD_NOW);
    assert_non_null(library);
    void *symbol = dlsym(library, "sn_fake_xr_start");
    sn_fake_xr_start_function *start;
    memcpy(&start, &symbol, sizeof start);
    assert_non_null(symbol);
    fake = start();
    sn_set_log(keep_log, NULL);
    log_line_count = 0;
    return 0;
}

typedef struct headset {
    sn_xr *xr;
    sn_gpu_device *device;
} headset;

static inline headset open_headset(void)
{
    headset h = {0};
    assert_int_equal(sn_xr_open(&h.xr), SN_OK);
    assert_int_equal(
        sn_gpu_device_create(&(sn_gpu_device_desc){.factory = sn_xr_gpu_device_factory(h.xr), .is_validated = true},
                             &h.device),
        SN_OK);
    assert_int_equal(sn_xr_start(h.xr, h.device), SN_OK);
    return h;
}

/* line_count: of the log, in all. */
static inline void close_headset(headset *h, int line_count)
{
    sn_xr_stop(h->xr);
    assert_int_equal(h->device->validation_message_count, 0);
    sn_gpu_device_destroy(&h->device);
    sn_xr_close(&h->xr);
    assert_int_equal(log_line_count, line_count);
    assert_int_equal(fake->broken_count, 0);
    assert_int_equal(fake->live_count, 0);
    sn_set_log(NULL, NULL);
    assert_int_equal(sn_allocated_bytes(), 0);
}

#endif

/* SPDX-License-Identifier: MIT */
/* OSC as it comes: messages, bundles within bundles, and bytes that are neither. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "runtime/puppet/osc.h"
#include "tests/support/vmc_packets.h"

static void assert_near(double value, double wanted, double tolerance)
{
    assert_true(fabs(value - wanted) <= tolerance);
}

typedef struct heard {
    int count;
    char last[64];
    bool is_read; /* its arguments are "sfi" */
    sn_osc_value values[3];
} heard;

static void hear(void *user, const sn_osc_message *message)
{
    heard *h = user;
    ++h->count;
    snprintf(h->last, sizeof h->last, "%s", message->address);
    h->is_read = sn_osc_arguments(message, "sfi", h->values);
}

/* A copy of that very size, so that a sanitizer sees a read behind it. */
static sn_osc_handler read_bytes(const uint8_t *bytes, size_t size, heard *h)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    sn_osc_handler handler = {.handle = hear, .user = h};
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    *h = (heard){0};
    sn_osc_read(copy, size, &handler);
    if (h->is_read) {
        assert_string_equal(h->values[0].text, "abc");
    }
    free(copy);
    return handler;
}

static sn_test_packet a_message(void)
{
    sn_test_packet p = {.size = 0};
    sn_test_message(&p, "/a/b", "sfi", "abc", 1.5, -7);
    return p;
}

static void a_message_is_read(void **state)
{
    (void)state;
    heard h;
    const sn_test_packet p = a_message();
    const sn_osc_handler o = read_bytes(p.bytes, p.size, &h);
    assert_int_equal(o.message_count, 1);
    assert_string_equal(h.last, "/a/b");
    assert_true(h.is_read);
    assert_near((double)h.values[1].number, 1.5, 0);
    assert_int_equal(h.values[2].integer, -7);
}

static void arguments_behind_are_left(void **state)
{
    (void)state;
    heard h;
    sn_test_packet p = {.size = 0};
    sn_test_message(&p, "/a", "sfiTNfs", "abc", 1.5, -7, 2.0, "more");
    read_bytes(p.bytes, p.size, &h);
    assert_true(h.is_read);
    p.size = 0; /* too few, and of another type */
    sn_test_message(&p, "/a", "sf", "abc", 1.5);
    read_bytes(p.bytes, p.size, &h);
    assert_true(h.count == 1 && !h.is_read);
    p.size = 0;
    sn_test_message(&p, "/a", "sff", "abc", 1.5, 2.0);
    read_bytes(p.bytes, p.size, &h);
    assert_true(h.count == 1 && !h.is_read);
}

/* Each in the one before, `depth` of them. */
static sn_test_packet nested(int depth)
{
    sn_test_packet p = a_message();
    for (int i = 0; i < depth; ++i) {
        sn_test_packet outer = {.size = 0};
        sn_test_bundle(&outer);
        sn_test_element(&outer, &p);
        p = outer;
    }
    return p;
}

static void bundles_within_bundles(void **state)
{
    (void)state;
    heard h;
    for (int depth = 1; depth <= SN_OSC_DEPTH_LIMIT + 2; ++depth) {
        const sn_test_packet p = nested(depth);
        const sn_osc_handler o = read_bytes(p.bytes, p.size, &h);
        assert_int_equal(h.count, depth <= SN_OSC_DEPTH_LIMIT);
        assert_int_equal(o.nested_count, depth > SN_OSC_DEPTH_LIMIT);
        assert_int_equal(o.malformed_count, 0);
    }
}

static void a_broken_message_goes_alone(void **state)
{
    (void)state;
    heard h;
    sn_test_packet p = {.size = 0}, broken = {.size = 0};
    const sn_test_packet good = a_message();
    sn_test_put_text(&broken, "/no/types");
    sn_test_bundle(&p);
    sn_test_element(&p, &good);
    sn_test_element(&p, &broken);
    sn_test_element(&p, &good);
    const sn_osc_handler o = read_bytes(p.bytes, p.size, &h);
    assert_int_equal(h.count, 2);
    assert_int_equal(o.malformed_count, 1);
}

/* Whatever is cut off, or written over, is no more than not read. */
static void any_bytes_are_safe(void **state)
{
    (void)state;
    heard h;
    sn_test_packet p = nested(2);
    for (size_t size = 0; size < p.size; ++size) {
        const sn_osc_handler o = read_bytes(p.bytes, size, &h);
        assert_true(h.count == 0 && o.message_count == 0);
    }
    for (size_t at = 0; at < p.size; ++at) {
        for (int value = 0; value < 256; value += 15) {
            sn_test_packet other = p;
            other.bytes[at] = (uint8_t)value;
            heard any = {0};
            uint8_t *copy = malloc(other.size);
            sn_osc_handler handler = {.handle = hear, .user = &any};
            assert_non_null(copy);
            memcpy(copy, other.bytes, other.size);
            sn_osc_read(copy, other.size, &handler);
            free(copy);
            assert_true(handler.message_count + handler.malformed_count + handler.nested_count >= 1);
        }
    }
}

int test_osc(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_is_read),      cmocka_unit_test(arguments_behind_are_left),
        cmocka_unit_test(bundles_within_bundles), cmocka_unit_test(a_broken_message_goes_alone),
        cmocka_unit_test(any_bytes_are_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

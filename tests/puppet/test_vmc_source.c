/* SPDX-License-Identifier: MIT */
/* VMC over the loopback, at a port that is free. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/platform/platform.h"
#include "runtime/puppet/address.h"
#include "runtime/puppet/udp.h"
#include "runtime/puppet/vmc_source.h"
#include "tests/support/count_allocations.h"
#include "tests/support/ip.h"
#include "tests/support/log.h"
#include "tests/support/vmc_packets.h"

static int sender(int port)
{
    const struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int s = socket(AF_INET, SOCK_DGRAM, 0);
    assert_true(s >= 0 && connect(s, (const struct sockaddr *)&to, sizeof to) == 0);
    return s;
}

static void send_walk(int s, double seconds)
{
    sn_test_packet packets[3];
    for (int i = 0; i < sn_test_walk(seconds, packets); ++i) {
        assert_int_equal(send(s, packets[i].bytes, packets[i].size, 0), (int)packets[i].size);
    }
}

/* Until a moment is there; what is sent on the loopback is soon. */
static bool wait_for(sn_tracking_source *source, sn_tracking *tracking_frame)
{
    const double start = sn_now();
    bool is_there = false;
    while (!(is_there = source->poll(source, tracking_frame)) && sn_now() - start < 10) {
        poll(NULL, 0, 1);
    }
    return is_there;
}

static void moments_come(void **state)
{
    (void)state;
    sn_tracking_source *source;
    static sn_tracking tracking_frame;
    const char *bound_address = NULL;
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    begin_log();
    assert_int_equal(sn_vmc_source_create("127.0.0.1:0", &bound_address, &source), SN_OK);
    assert_int_equal(strncmp(bound_address, "127.0.0.1:", 10), 0);
    const int s = sender(sn_vmc_source_port(source));
    assert_false(source->poll(source, &tracking_frame));
    send_walk(s, 0);
    assert_true(wait_for(source, &tracking_frame));
    const int before = allocation_count;
    for (int frame = 1; frame < 20; ++frame) {
        send_walk(s, frame / 60.);
        const double last = tracking_frame.seconds;
        while (!(tracking_frame.seconds > last)) { /* a moment may come of part of a frame that was slow */
            assert_true(wait_for(source, &tracking_frame));
        }
    }
    assert_int_equal(allocation_count, before);
    assert_true(sn_tracking_has(&tracking_frame, sn_humanoid_find("leftLowerArm")));
    assert_true(tracking_frame.has_hips && tracking_frame.arrived > 0 && tracking_frame.arrived <= sn_now());
    sn_tracking_report report;
    source->report(source, &report);
    assert_int_equal(report.packet_count, 60);
    assert_true(report.tracking_frame_count >= 20 && report.message_count == 20 * 18);
    for (int i = 0; i < SN_TRACKING_DROP_LIMIT && report.drops[i].cause; ++i) {
        assert_int_equal(report.drops[i].count, 0);
    }
    close(s);
    sn_tracking_source_destroy(&source);
    assert_null(source);
    sn_set_allocator(NULL, NULL, NULL);
}

/* A poll does a bounded amount of work, and what it leaves behind is not old when it comes to it. */
static void a_flood_is_dropped(void **state)
{
    (void)state;
    sn_tracking_source *source;
    static sn_tracking tracking_frame;
    static uint8_t noise[60000];
    sn_tracking_report report;
    memset(noise, 0x2f, sizeof noise);
    assert_int_equal(sn_vmc_source_create("0", NULL, &source), SN_OK);
    const int s = sender(sn_vmc_source_port(source));
    for (int i = 0; i < 3000; ++i) { /* as many as there is room for wait */
        send(s, noise, i < 20 ? sizeof noise : 16, 0);
    }
    source->poll(source, &tracking_frame);
    source->report(source, &report);
    assert_true(report.packet_count > 0 && report.message_count == 0);
    const int64_t read = report.drops[1].count; /* malformed */
    assert_string_equal(report.drops[1].cause, "malformed");
    assert_true(read <= SN_VMC_PACKET_LIMIT);
    assert_string_equal(report.drops[0].cause, "flood");
    assert_int_equal(report.drops[0].count + read, report.packet_count);
    for (int i = 0; i < 20; ++i) { /* it is over */
        source->poll(source, &tracking_frame);
    }
    send_walk(s, 1);
    assert_true(wait_for(source, &tracking_frame));
    close(s);
    sn_tracking_source_destroy(&source);
}

static void a_port_that_is_taken(void **state)
{
    (void)state;
    sn_udp first, second;
    sn_tracking_source *source;
    begin_log();
    assert_int_equal(sn_udp_open("127.0.0.1:0", 1, &first), SN_OK);
    assert_int_equal(sn_udp_open(first.bound_address, 1, &second), SN_ERROR_FILE);
    assert_one_error("cannot listen: the port is taken by another program");
    assert_int_equal(second.socket, -1);
    begin_log();
    assert_int_equal(sn_vmc_source_create(first.bound_address, NULL, &source), SN_ERROR_FILE);
    assert_one_error(first.bound_address);
    assert_null(source);
    sn_udp_close(&first);
    sn_udp_close(&first);
    sn_set_log(NULL, NULL);
}

/* One byte from there arrives, of one that listens at `where`. */
static bool arrives(sn_udp *udp, int family)
{
    uint8_t bytes[SN_UDP_SIZE_LIMIT];
    const sn_address to = family == AF_INET ? (sn_address){.v4 = {.sin_family = AF_INET,
                                                                  .sin_port = htons((uint16_t)udp->port),
                                                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}}
                                            : (sn_address){.v6 = {.sin6_family = AF_INET6,
                                                                  .sin6_port = htons((uint16_t)udp->port),
                                                                  .sin6_addr = IN6ADDR_LOOPBACK_INIT}};
    const int file = socket(family, SOCK_DGRAM, 0);
    sendto(file, "x", 1, 0, &to.any, family == AF_INET ? sizeof to.v4 : sizeof to.v6);
    close(file);
    for (int i = 0; i < 100; ++i) {
        if (sn_udp_receive(udp, bytes, NULL) == 1) {
            return true;
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return false;
}

static void both_versions(void **state)
{
    (void)state;
    static const struct {
        const char *listen;
        bool is_v4, is_v6;
    } cases[] = {
        {"127.0.0.1:0", true, false}, {"0.0.0.0:0", true, false}, {"[::1]:0", false, true}, {"[::]:0", true, true}};
    const size_t count = sn_test_has_v6() ? sizeof cases / sizeof cases[0] : 2;
    sn_udp udp;
    begin_log();
    for (size_t i = 0; i < count; ++i) {
        assert_int_equal(sn_udp_open(cases[i].listen, 0, &udp), SN_OK);
        assert_int_equal(arrives(&udp, AF_INET), cases[i].is_v4);
        assert_int_equal(arrives(&udp, AF_INET6), cases[i].is_v6);
        sn_udp_close(&udp);
    }
    sn_set_log(NULL, NULL);
}

static void addresses(void **state)
{
    (void)state;
    static const char *const good[] = {"127.0.0.1:0", "0", "localhost:0", "127.0.0.1", NULL, "[::1]:0", "[::1]"};
    const bool has_v6 = sn_test_has_v6();
    const size_t good_count = sizeof good / sizeof good[0] - (has_v6 ? 0 : 2);
    static const char *const bad[] = {
        "",     ":",    "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "host:0",          "127.0.0.1:x",
        "[::1", "[]:0", "1.2.3:0",    "[::1]x0",         "70000",        "127.0.0.1:0:0:0", "127.0.0.1:0x10",
        "::1",  "::",   "fe80::1:0",  "[127.0.0.1:0"};
    sn_udp udp;
    for (size_t i = 0; i < good_count; ++i) {
        begin_log();
        assert_int_equal(sn_udp_open(good[i], 0, &udp), SN_OK);
        assert_true(udp.port > 0 && logged.lines == 0);
        sn_udp_close(&udp);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        begin_log();
        if (sn_udp_open(bad[i], 0, &udp) != SN_ERROR_ARGUMENT) {
            fail_msg("'%s' is an address", bad[i]);
        }
        assert_one_error("not an address to listen on");
    }
    begin_log();
    assert_int_equal(sn_udp_open("::1", 7, &udp), SN_ERROR_ARGUMENT);
    assert_one_error("in brackets: [::1]:7");
    static const char *const open[] = {"0.0.0.0:0", "[::]:0"};
    for (int i = 0; i < (has_v6 ? 2 : 1); ++i) {
        begin_log();
        assert_int_equal(sn_udp_open(open[i], 0, &udp), SN_OK);
        assert_one_warning("anyone who can reach this machine");
        sn_udp_close(&udp);
    }
    begin_log();
    assert_int_equal(sn_udp_open("192.0.2.1:0", 0, &udp), SN_ERROR_FILE);
    assert_one_error("192.0.2.1:0: cannot listen: this machine does not have the address");
    sn_set_log(NULL, NULL);
}

int test_vmc_source(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_come), cmocka_unit_test(a_flood_is_dropped), cmocka_unit_test(a_port_that_is_taken),
        cmocka_unit_test(addresses),    cmocka_unit_test(both_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* The page's server, by a client that may do what no browser does, on any port of the loopback. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <cmocka.h>

#include "host/platform/platform.h"
#include "runtime/puppet/address.h"
#include "runtime/puppet/origins.h"
#include "runtime/puppet/web_server.h"
#include "tests/support/ip.h"
#include "tests/support/log.h"
#include "tests/support/web_client.h"

#define LIMIT 4096

typedef struct heard {
    char text[LIMIT + 1];
    size_t size;
    int count;
} heard;

/* On the server's thread: what it wrote is read after a pong, which comes behind it. */
static bool hear(void *user, const char *text, size_t size, char reason[SN_WEB_SERVER_REASON_SIZE])
{
    heard *h = user;
    memcpy(h->text, text, size);
    h->text[size] = 0;
    h->size = size;
    ++h->count;
    snprintf(reason, SN_WEB_SERVER_REASON_SIZE, "not today");
    return strcmp(h->text, "go away") != 0;
}

typedef struct fixture {
    heard heard;
    sn_web_server *socket;
    char origin[64];
} fixture;

static void begin(fixture *f)
{
    memset(f, 0, sizeof *f);
    const sn_web_server_desc desc = {.listen = "0",
                                     .folder = SN_SOURCE_DIR "/tests/puppet",
                                     .message_limit = LIMIT,
                                     .receive = hear,
                                     .user = &f->heard};
    assert_int_equal(sn_web_server_open(&desc, &f->socket), SN_OK);
    assert_true(sn_web_server_port(f->socket) > 0);
    snprintf(f->origin, sizeof f->origin, "http://localhost:%d", sn_web_server_port(f->socket));
}

static int enter(const fixture *f)
{
    const int file = sn_test_connect(sn_web_server_port(f->socket));
    assert_true(file >= 0);
    assert_int_equal(sn_test_upgrade(file, SN_WEB_SERVER_PROTOCOL, f->origin), 101);
    return file;
}

/* Of a count that another thread brings there. */
static void wait_for(const fixture *f, int64_t open)
{
    const double start = sn_now();
    while (sn_web_server_get_counts(f->socket).open != open && sn_now() - start < WAIT_SECONDS) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    assert_int_equal(sn_web_server_get_counts(f->socket).open, open);
}

static void test_messages_arrive(void **unused)
{
    (void)unused;
    fixture f;
    begin(&f);
    const int file = enter(&f);
    assert_true(sn_test_send_text(file, "one"));
    assert_true(sn_test_send_frame(file, SN_TEST_TEXT, false, "tw", 2));
    assert_true(sn_test_send_frame(file, SN_TEST_CONTINUED, true, "o", 1));
    assert_true(sn_test_ping(file));
    assert_int_equal(f.heard.count, 2);
    assert_string_equal(f.heard.text, "two");
    char long_text[LIMIT + 1];
    memset(long_text, 'x', LIMIT);
    long_text[LIMIT] = 0;
    assert_true(sn_test_send_text(file, long_text));
    assert_true(sn_test_ping(file));
    assert_int_equal(f.heard.size, LIMIT);
    assert_string_equal(f.heard.text, long_text);
    const sn_web_server_counts counts = sn_web_server_get_counts(f.socket);
    assert_int_equal(counts.frames, 3);
    assert_int_equal(counts.bytes, 6 + LIMIT);
    close(file);
    wait_for(&f, 0);
    const int again = enter(&f); /* a page that comes back */
    assert_true(sn_test_send_text(again, "back"));
    assert_true(sn_test_ping(again));
    assert_string_equal(f.heard.text, "back");
    assert_int_equal(sn_web_server_get_counts(f.socket).connected, 2);
    close(again);
    sn_web_server_close(&f.socket);
    assert_null(f.socket);
}

static void test_origins(void **unused)
{
    (void)unused;
    fixture f;
    begin(&f);
    char own[64], other_port[64];
    snprintf(own, sizeof own, "http://127.0.0.1:%d", sn_web_server_port(f.socket));
    snprintf(other_port, sizeof other_port, "http://localhost:%d", sn_web_server_port(f.socket) + 1);
    const struct {
        const char *protocol, *origin;
        int status;
    } cases[] = {{SN_WEB_SERVER_PROTOCOL, own, 101},
                 {SN_WEB_SERVER_PROTOCOL, f.origin, 101},
                 {SN_WEB_SERVER_PROTOCOL, "https://example.org", 403},
                 {SN_WEB_SERVER_PROTOCOL, other_port, 403},
                 {SN_WEB_SERVER_PROTOCOL, "null", 403},
                 {SN_WEB_SERVER_PROTOCOL, NULL, 403},
                 {NULL, "https://example.org", 403},
                 {NULL, own, -1},
                 {"chat", own, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const int file = sn_test_connect(sn_web_server_port(f.socket));
        assert_int_equal(sn_test_upgrade(file, cases[i].protocol, cases[i].origin), cases[i].status);
        close(file);
    }
    assert_int_equal(sn_web_server_get_counts(f.socket).rejected_origin, 5);
    assert_int_equal(sn_web_server_get_counts(f.socket).connected, 2);
    sn_web_server_close(&f.socket);
}

static void test_an_origin_let_in(void **unused)
{
    (void)unused;
    const char *const origins[] = {"https://example.org", "http://example.com:80", "https://example.net:80"};
    const struct {
        const char *origin;
        int status;
    } cases[] = {{"https://example.org", 101},    {"https://example.org:443", 101}, {"http://example.com", 101},
                 {"http://example.com:80", 101},  {"https://example.net:80", 101},  {"https://example.net", 403},
                 {"https://example.org:80", 403}, {"http://example.com:443", 403}};
    heard here = {0};
    sn_web_server *socket;
    const sn_web_server_desc desc = {
        .listen = "0", .origins = origins, .origin_count = 3, .message_limit = LIMIT, .receive = hear, .user = &here};
    assert_int_equal(sn_web_server_open(&desc, &socket), SN_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const int file = sn_test_connect(sn_web_server_port(socket));
        assert_int_equal(sn_test_upgrade(file, SN_WEB_SERVER_PROTOCOL, cases[i].origin), cases[i].status);
        close(file);
    }
    sn_web_server_close(&socket);
}

static void test_cut_off(void **unused)
{
    (void)unused;
    fixture f;
    char payload[126], large[LIMIT + 1];
    begin(&f);
    memset(large, 'x', sizeof large);
    int file = enter(&f);
    assert_true(sn_test_send_frame(file, SN_TEST_TEXT, true, large, sizeof large));
    assert_int_equal(sn_test_read_close(file, payload), 1009);
    close(file);
    file = enter(&f); /* in parts, each of which is small enough */
    assert_true(sn_test_send_frame(file, SN_TEST_TEXT, false, large, LIMIT));
    assert_true(sn_test_send_frame(file, SN_TEST_CONTINUED, false, large, 1));
    assert_int_equal(sn_test_read_close(file, payload), 1009);
    close(file);
    file = enter(&f); /* by what the header says alone */
    assert_true(sn_test_send_part(file, SN_TEST_TEXT, true, large, UINT64_C(1) << 40, 100));
    assert_int_equal(sn_test_read_close(file, payload), 1009);
    close(file);
    file = enter(&f);
    assert_true(sn_test_send_frame(file, SN_TEST_BINARY, true, "x", 1));
    assert_int_equal(sn_test_read_close(file, payload), 1003);
    close(file);
    file = enter(&f);
    assert_true(sn_test_send_text(file, "go away"));
    assert_int_equal(sn_test_read_close(file, payload), 1008);
    assert_string_equal(payload + 2, "not today");
    close(file);
    assert_int_equal(f.heard.count, 1);
    const sn_web_server_counts counts = sn_web_server_get_counts(f.socket);
    assert_true(counts.too_large == 3 && counts.binary == 1);
    wait_for(&f, 0);
    sn_web_server_close(&f.socket);
}

/* Frames that RFC 6455 forbids, bytes that are no HTTP, peers that stop in the middle: the next one is served. What
 * libwebsockets lets pass is a frame that is not masked. */
static void test_malformed(void **unused)
{
    (void)unused;
    fixture f;
    begin(&f);
    static const struct {
        const char *bytes;
        size_t size;
        int code;
    } frames[] = {
        {"\xf1\x81\x01\x02\x03\x04x", 7, 1002},                              /* reserved bits */
        {"\x83\x81\x01\x02\x03\x04x", 7, 1002},                              /* an unknown opcode */
        {"\x80\x81\x01\x02\x03\x04x", 7, 1002},                              /* continues nothing */
        {"\x89\xfe\x00\x7e\x01\x02\x03\x04", 8, 0},                          /* a ping that is too long */
        {"\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x02\x03\x04", 14, 0}, /* 2^64 - 1 bytes */
        {"\x81\x82\x00\x00\x00\x00\xc3\x28", 8, 1007},                       /* no UTF-8 */
        {"\x81", 1, 0},
        {"\x81\x85\x01\x02", 4, 0},
    };
    for (size_t i = 0; i < sizeof frames / sizeof *frames; ++i) {
        char payload[126];
        const int file = enter(&f);
        assert_true(sn_test_send(file, frames[i].bytes, frames[i].size));
        if (frames[i].code == 0) { /* it waits for more, or hangs up */
            shutdown(file, SHUT_WR);
        }
        assert_int_equal(sn_test_read_close(file, payload), frames[i].code);
        close(file);
    }
    static const char *const requests[] = {"",
                                           "\r\n\r\n",
                                           "GET",
                                           "GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n",
                                           "\x16\x03\x01\x02",
                                           "BREW /pot HTTP/9.9\r\n\r\n"};
    for (size_t i = 0; i < sizeof requests / sizeof *requests; ++i) {
        char head[4096];
        const int file = sn_test_connect(sn_web_server_port(f.socket));
        assert_true(sn_test_send(file, requests[i], strlen(requests[i])));
        shutdown(file, SHUT_WR);
        sn_test_read_head(file, head, sizeof head);
        close(file);
    }
    assert_int_equal(f.heard.count, 0);
    const int file = enter(&f);
    assert_true(sn_test_send_text(file, "well"));
    assert_true(sn_test_ping(file));
    assert_string_equal(f.heard.text, "well");
    close(file);
    sn_web_server_close(&f.socket);
}

static void test_a_crowd(void **unused)
{
    (void)unused;
    fixture f;
    begin(&f);
    int files[SN_WEB_SERVER_CONNECTION_LIMIT + 1];
    for (int i = 0; i < SN_WEB_SERVER_CONNECTION_LIMIT; ++i) {
        files[i] = enter(&f);
    }
    wait_for(&f, SN_WEB_SERVER_CONNECTION_LIMIT);
    files[SN_WEB_SERVER_CONNECTION_LIMIT] = sn_test_connect(sn_web_server_port(f.socket));
    assert_int_equal(sn_test_upgrade(files[SN_WEB_SERVER_CONNECTION_LIMIT], SN_WEB_SERVER_PROTOCOL, f.origin), 503);
    assert_int_equal(sn_web_server_get_counts(f.socket).rejected_full, 1);
    close(files[0]);
    wait_for(&f, SN_WEB_SERVER_CONNECTION_LIMIT - 1);
    files[0] = enter(&f);
    for (int i = 0; i <= SN_WEB_SERVER_CONNECTION_LIMIT; ++i) {
        close(files[i]);
    }
    sn_web_server_close(&f.socket);
}

static int get(const fixture *f, const char *path, char head[4096])
{
    char request[512];
    const int file = sn_test_connect(sn_web_server_port(f->socket));
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
    assert_true(sn_test_send(file, request, strlen(request)));
    const int status = sn_test_read_head(file, head, 4096);
    close(file);
    return status;
}

static void test_files(void **unused)
{
    (void)unused;
    fixture f;
    char head[4096];
    begin(&f);
    assert_int_equal(get(&f, "/web_page/page.html", head), 200);
    assert_non_null(strstr(head, "text/html"));
    assert_non_null(strstr(head, "connect-src 'self'"));
    assert_int_equal(get(&f, "/web_page/module.mjs", head), 200);
    assert_non_null(strstr(head, "text/javascript"));
    assert_int_equal(get(&f, "/web_page/program.wasm", head), 200);
    assert_non_null(strstr(head, "application/wasm"));
    assert_int_equal(get(&f, "/absent", head), 404);
    const char *const outside[] = {"/../../README.md", "/web_page/../../../README.md", "/%2e%2e/%2e%2e/README.md",
                                   "/..%2f..%2fREADME.md"};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; ++i) {
        assert_int_not_equal(get(&f, outside[i], head), 200);
    }
    sn_web_server_close(&f.socket);
}

/* Status of a request with this header, or -1 if the server hangs up. */
static int get_as(int port, const char *host_line)
{
    char request[512], head[4096];
    const int file = sn_test_connect(port);
    assert_true(file >= 0);
    snprintf(request, sizeof request, "GET /web_page/page.html HTTP/1.1\r\n%s\r\n", host_line);
    assert_true(sn_test_send(file, request, strlen(request)));
    const int status = sn_test_read_head(file, head, sizeof head);
    close(file);
    return status;
}

/* A site whose name resolves to this machine (DNS rebinding) is the same origin as the page for a browser. */
static void test_hosts(void **unused)
{
    (void)unused;
    heard here = {0};
    sn_web_server *socket;
    char name[65], own[128];
    const char *const names[] = {"studio.example.org"};
    const sn_web_server_desc desc = {.listen = "0",
                                     .folder = SN_SOURCE_DIR "/tests/puppet",
                                     .hosts = names,
                                     .host_count = 1,
                                     .message_limit = LIMIT,
                                     .receive = hear,
                                     .user = &here};
    assert_int_equal(sn_web_server_open(&desc, &socket), SN_OK);
    const int port = sn_web_server_port(socket);
    assert_int_equal(gethostname(name, sizeof name), 0);
    snprintf(own, sizeof own, "Host: %s:%d\r\n", name, port);
    const char *const accepted[] = {"Host: localhost\r\n",
                                    "Host: LocalHost:1234\r\n",
                                    "Host: 127.0.0.1\r\n",
                                    "Host: 192.168.1.5:39540\r\n",
                                    "Host: [::1]:39540\r\n",
                                    own,
                                    "Host: studio.example.org:80\r\n"};
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; ++i) {
        assert_int_equal(get_as(port, accepted[i]), 200);
    }
    const char *const refused[] = {"Host: rebound.example.org\r\n",
                                   "Host: rebound.example.org:39540\r\n",
                                   "Host: 127.0.0.1.example.org\r\n",
                                   "Host: [localhost]\r\n",
                                   "Host: example.org\r\n",
                                   "Host: \r\n",
                                   ""};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
        const int status = get_as(port, refused[i]);
        assert_true(status == 403 || (status == -1 && i >= 5));
    }
    assert_true(sn_web_server_get_counts(socket).rejected_host >= 5);
    sn_web_server_close(&socket);
}

/* Links that stay in the folder are served; those that leave it, and pipes, are not. */
static void test_links(void **unused)
{
    (void)unused;
    char folder[] = "/tmp/sinew-page-XXXXXX", path[128], outside[] = "/tmp/sinew-secret-XXXXXX", head[4096];
    assert_non_null(mkdtemp(folder));
    const int secret = mkstemp(outside);
    assert_true(secret >= 0 && write(secret, "secret", 6) == 6);
    close(secret);
    snprintf(path, sizeof path, "%s/page.html", folder);
    FILE *page = fopen(path, "w");
    assert_non_null(page);
    fputs("page", page);
    fclose(page);
    static const char *const made[] = {"inside.html", "outside.html", "up", "pipe.html", "page.html"};
    const char *const targets[] = {"page.html", outside, "/tmp"};
    for (int i = 0; i < 3; ++i) {
        snprintf(path, sizeof path, "%s/%s", folder, made[i]);
        assert_int_equal(symlink(targets[i], path), 0);
    }
    snprintf(path, sizeof path, "%s/pipe.html", folder);
    assert_int_equal(mkfifo(path, 0600), 0);

    fixture f = {0};
    const sn_web_server_desc desc = {
        .listen = "0", .folder = folder, .message_limit = LIMIT, .receive = hear, .user = &f.heard};
    assert_int_equal(sn_web_server_open(&desc, &f.socket), SN_OK);
    assert_int_equal(get(&f, "/page.html", head), 200);
    assert_int_equal(get(&f, "/inside.html", head), 200);
    assert_int_equal(get(&f, "/outside.html", head), 403);
    snprintf(path, sizeof path, "/up/%s", outside + 5);
    assert_int_equal(get(&f, path, head), 403);
    assert_int_equal(get(&f, "/pipe.html", head), 403);
    assert_int_equal(get(&f, "/absent.html", head), 404);
    sn_web_server_close(&f.socket);
    for (int i = 0; i < 5; ++i) {
        snprintf(path, sizeof path, "%s/%s", folder, made[i]);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(unlink(outside), 0);
}

/* Connections that say nothing keep nobody out, and do not close a WebSocket. */
static void test_idle_connections(void **unused)
{
    (void)unused;
    enum { IDLE = 300 };
    static int idle[IDLE];
    fixture f;
    char head[4096];
    begin(&f);
    const int page = enter(&f);
    for (int i = 0; i < IDLE; ++i) {
        idle[i] = sn_test_connect(sn_web_server_port(f.socket));
        assert_true(idle[i] >= 0);
    }
    assert_int_equal(get(&f, "/web_page/page.html", head), 200); /* within WAIT_SECONDS */
    const int second = enter(&f);
    assert_true(sn_test_send_text(page, "still here"));
    assert_true(sn_test_ping(page));
    assert_string_equal(f.heard.text, "still here");
    assert_true(sn_web_server_get_counts(f.socket).dropped_idle >= IDLE - SN_WEB_SERVER_REQUEST_LIMIT);
    close(page);
    close(second);
    for (int i = 0; i < IDLE; ++i) {
        close(idle[i]);
    }
    sn_web_server_close(&f.socket);
}

/* The connection's own address is an origin, of every version of IP that it listens to. */
static void test_versions_of_ip(void **unused)
{
    (void)unused;
    static const struct {
        const char *listen;
        bool is_v4, is_v6;
    } cases[] = {{"127.0.0.1:0", true, false}, {"[::1]:0", false, true}, {"[::]:0", true, true}};
    const size_t count = sn_test_has_v6() ? sizeof cases / sizeof *cases : 1;
    heard here = {0};
    char url[SN_WEB_SERVER_URL_SIZE], elsewhere[SN_WEB_SERVER_URL_SIZE], origin[64];
    for (size_t i = 0; i < count; ++i) {
        sn_web_server *socket;
        const sn_web_server_desc desc = {
            .listen = cases[i].listen, .message_limit = LIMIT, .receive = hear, .user = &here};
        begin_log();
        assert_int_equal(sn_web_server_open(&desc, &socket), SN_OK);
        const int port = sn_web_server_port(socket);
        for (int v6 = 0; v6 < 2; ++v6) {
            const int file = v6 ? sn_test_connect_v6(port) : sn_test_connect(port);
            assert_int_equal(file >= 0, v6 ? cases[i].is_v6 : cases[i].is_v4);
            if (file >= 0) {
                snprintf(origin, sizeof origin, v6 ? "http://[::1]:%d" : "http://127.0.0.1:%d", port);
                assert_int_equal(sn_test_upgrade(file, SN_WEB_SERVER_PROTOCOL, origin), 101);
                close(file);
            }
        }
        sn_web_server_urls(socket, url, elsewhere);
        snprintf(origin, sizeof origin, i == 1 ? "http://[::1]:%d/" : "http://localhost:%d/", port);
        assert_string_equal(url, origin);
        assert_true(i == 2 || elsewhere[0] == 0);
        sn_web_server_close(&socket);
    }
    sn_set_log(NULL, NULL);
}

/* By its own address as a connection comes to it, and by no name that leads there. */
static void test_known_origins(void **unused)
{
    (void)unused;
    heard here = {0};
    sn_web_server *socket;
    sn_origins origins;
    char origin[SN_ORIGIN_SIZE];
    const sn_web_server_desc desc = {.listen = "0", .message_limit = LIMIT, .receive = hear, .user = &here};
    assert_int_equal(sn_web_server_open(&desc, &socket), SN_OK);
    const int file = sn_test_connect(sn_web_server_port(socket)); /* its near end stands for the server's */
    sn_address near;
    assert_true(sn_address_local(file, &near));
    assert_int_equal(sn_origins_init(&origins, "https", NULL, 0), SN_OK);
    origins.port = 443;
    assert_true(sn_origins_accept(&origins, "https://127.0.0.1", file));
    assert_true(sn_origins_accept(&origins, "https://LOCALHOST:443", file));
    assert_false(sn_origins_accept(&origins, "http://localhost:443", file));
    assert_false(sn_origins_accept(&origins, "https://localhost:444", file));
    assert_false(sn_origins_accept(&origins, "https://rebound.example.org", file));
    assert_false(sn_origins_accept(&origins, "https://192.0.2.1", file));
    memset(origin, 'x', sizeof origin - 1);
    origin[sizeof origin - 1] = 0;
    assert_false(sn_origins_accept(&origins, origin, file));
    close(file);
    sn_web_server_close(&socket);
}

static void test_refusals(void **unused)
{
    (void)unused;
    fixture f;
    begin(&f);
    const char *const origins[] = {"example.org", "http://", "http://example.org/page"};
    char listen[32];
    snprintf(listen, sizeof listen, "%d", sn_web_server_port(f.socket));
    sn_web_server *socket;
    sn_web_server_desc desc = {.listen = listen, .message_limit = LIMIT, .receive = hear};
    begin_log();
    assert_int_equal(sn_web_server_open(&desc, &socket), SN_ERROR_FILE);
    assert_null(socket);
    assert_one_error("cannot listen: the port is taken");
    desc.listen = "somewhere";
    begin_log();
    assert_int_equal(sn_web_server_open(&desc, &socket), SN_ERROR_ARGUMENT);
    assert_one_error("somewhere: not an address to listen on");
    desc = (sn_web_server_desc){.listen = "0", .origin_count = 1, .message_limit = LIMIT, .receive = hear};
    for (int i = 0; i < 3; ++i) {
        desc.origins = origins + i;
        begin_log();
        assert_int_equal(sn_web_server_open(&desc, &socket), SN_ERROR_ARGUMENT);
        assert_one_error(origins[i]);
    }
    sn_set_log(NULL, NULL);
    sn_web_server_close(&f.socket);
    sn_web_server_close(&f.socket); /* nothing is left */
}

int test_socket(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages_arrive),
        cmocka_unit_test(test_origins),
        cmocka_unit_test(test_an_origin_let_in),
        cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_a_crowd),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_hosts),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_idle_connections),
        cmocka_unit_test(test_versions_of_ip),
        cmocka_unit_test(test_known_origins),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* The home of libwebsockets. All of its calls but the first and last are made by the server's thread. */
#include "runtime/puppet/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libwebsockets.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "runtime/puppet/address.h"

#define FILE_LIMIT 64 /* descriptors of the server: connections, and the files that it sends */
#define ORIGIN_SIZE 256
#define FOLDER_SIZE 4096

struct sn_socket {
    sn_socket_desc desc; /* less what is the caller's */
    char folder[FOLDER_SIZE];
    char address[INET_ADDRSTRLEN];
    char origins[SN_SOCKET_ORIGIN_LIMIT + 3][ORIGIN_SIZE];
    int origin_count, port;
    struct lws_context *context;
    struct lws_vhost *vhost;
    struct lws_protocols protocols[3];
    struct lws_http_mount mount;
    pthread_t thread;
    bool has_thread;
    atomic_bool is_ending;
    pthread_mutex_t mutex; /* of counts */
    sn_socket_counts counts;
};

/* A connection; message_limit bytes lie behind it. */
typedef struct connection {
    size_t size; /* of the message so far */
} connection;

/* Nothing of a page but its own files, and no way out of it but to where it came from: what MediaPipe would report to
 * its makers stays here. */
static const struct lws_protocol_vhost_options headers[] = {
    {&headers[1], NULL, "content-security-policy:",
     "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; img-src 'self' blob: data:; "
     "media-src 'self' blob:; worker-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"},
    {&headers[2], NULL, "x-content-type-options:", "nosniff"},
    {NULL, NULL, "referrer-policy:", "no-referrer"},
};

static const struct lws_protocol_vhost_options types[] = {
    {&types[1], NULL, ".mjs", "text/javascript"},
    {&types[2], NULL, ".js", "text/javascript"},
    {&types[3], NULL, ".wasm", "application/wasm"},
    {NULL, NULL, ".task", "application/octet-stream"},
};

/* Peers that say nothing are asked after 10 s whether they are there, and given up after 20. */
static const lws_retry_bo_t patience = {.secs_since_valid_ping = 10, .secs_since_valid_hangup = 20};

static void count(sn_socket *s, int64_t *which, int64_t amount)
{
    pthread_mutex_lock(&s->mutex);
    *which += amount;
    pthread_mutex_unlock(&s->mutex);
}

/* Browsers leave out the port that a scheme has anyway. */
static void strip_port(char *origin)
{
    static const struct {
        const char *scheme, *port;
    } usual[2] = {{"http://", ":80"}, {"https://", ":443"}};
    for (int i = 0; i < 2; ++i) {
        char *port = strrchr(origin, ':');
        if (port && strcmp(port, usual[i].port) == 0 &&
            strncasecmp(origin, usual[i].scheme, strlen(usual[i].scheme)) == 0) {
            *port = 0;
        }
    }
}

static bool is_known_origin(const sn_socket *s, struct lws *wsi)
{
    char origin[ORIGIN_SIZE];
    if (lws_hdr_copy(wsi, origin, sizeof origin, WSI_TOKEN_ORIGIN) <= 0) {
        return false;
    }
    strip_port(origin);
    int known = s->origin_count - 1;
    while (known >= 0 && strcasecmp(s->origins[known], origin) != 0) {
        --known;
    }
    return known >= 0;
}

static int turn_away(struct lws *wsi, unsigned int status, const char *why)
{
    return lws_return_http_status(wsi, status, why) < 0 ? -1 : 1;
}

static int confirm_upgrade(sn_socket *s, struct lws *wsi, const char *protocol)
{
    if (!protocol || strcmp(protocol, "websocket") != 0) {
        return -1;
    }
    if (!is_known_origin(s, wsi)) {
        count(s, &s->counts.foreign, 1);
        return turn_away(wsi, HTTP_STATUS_FORBIDDEN, "this Origin is not let in; --origin adds one");
    }
    if (sn_socket_count(s).open >= SN_SOCKET_CONNECTION_LIMIT) {
        count(s, &s->counts.crowded, 1);
        return turn_away(wsi, HTTP_STATUS_SERVICE_UNAVAILABLE, "too many connections");
    }
    return 0;
}

static int cut_off(struct lws *wsi, enum lws_close_status status, const char *why)
{
    unsigned char text[SN_SOCKET_REASON_SIZE];
    const size_t size = strnlen(why, sizeof text);
    memcpy(text, why, size);
    lws_close_reason(wsi, status, text, size);
    return -1;
}

static int receive(sn_socket *s, struct lws *wsi, connection *c, const char *bytes, size_t size)
{
    char *text = (char *)(c + 1), reason[SN_SOCKET_REASON_SIZE] = "";
    count(s, &s->counts.bytes, (int64_t)size);
    if (lws_frame_is_binary(wsi)) {
        count(s, &s->counts.binary, 1);
        return cut_off(wsi, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "messages are text");
    }
    if (size > s->desc.message_limit - c->size || lws_remaining_packet_payload(wsi) > s->desc.message_limit) {
        count(s, &s->counts.too_large, 1);
        return cut_off(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "the message is too large");
    }
    memcpy(text + c->size, bytes, size);
    c->size += size;
    if (lws_remaining_packet_payload(wsi) > 0 || !lws_is_final_fragment(wsi)) {
        return 0;
    }
    count(s, &s->counts.frames, 1);
    const bool is_welcome = s->desc.receive(s->desc.user, text, c->size, reason);
    c->size = 0;
    return is_welcome ? 0 : cut_off(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, reason);
}

static int serve_messages(struct lws *wsi, enum lws_callback_reasons what, void *user, void *in, size_t size)
{
    sn_socket *s = lws_context_user(lws_get_context(wsi));
    connection *c = user;
    switch (what) {
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return confirm_upgrade(s, wsi, in);
    case LWS_CALLBACK_ESTABLISHED:
        c->size = 0;
        count(s, &s->counts.connected, 1);
        count(s, &s->counts.open, 1);
        return 0;
    case LWS_CALLBACK_CLOSED:
        count(s, &s->counts.open, -1);
        return 0;
    case LWS_CALLBACK_RECEIVE:
        return receive(s, wsi, c, in, size);
    default:
        return 0;
    }
}

/* Also asked of a WebSocket that names no protocol, which is none of ours. */
static int serve_files(struct lws *wsi, enum lws_callback_reasons what, void *user, void *in, size_t size)
{
    switch (what) {
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return confirm_upgrade(lws_context_user(lws_get_context(wsi)), wsi, in);
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return -1;
    default:
        return lws_callback_http_dummy(wsi, what, user, in, size);
    }
}

static void *serve(void *user)
{
    sn_socket *s = user;
    while (!atomic_load(&s->is_ending) && lws_service(s->context, 0) >= 0) {
    }
    return NULL;
}

static sn_result check_desc(const sn_socket_desc *desc)
{
    if (desc->folder && strlen(desc->folder) >= FOLDER_SIZE) {
        return sn_fail(SN_ERROR_ARGUMENT, "%.100s...: the path is too long", desc->folder);
    }
    if (desc->origin_count > SN_SOCKET_ORIGIN_LIMIT) {
        return sn_fail(SN_ERROR_ARGUMENT, "%d origins: at most %d can be let in", desc->origin_count,
                       SN_SOCKET_ORIGIN_LIMIT);
    }
    for (int i = 0; i < desc->origin_count; ++i) {
        const char *origin = desc->origins[i], *host = strstr(origin, "://");
        if (!host || !host[3] || strchr(host + 3, '/') || strlen(origin) >= ORIGIN_SIZE) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: an origin is SCHEME://HOST[:PORT], such as https://example.org",
                           origin);
        }
    }
    return SN_OK;
}

static void list_origins(sn_socket *s, const sn_socket_desc *desc)
{
    const char *own[] = {"127.0.0.1", "localhost", s->address};
    s->origin_count = 0;
    for (int i = 0; i < 3; ++i) {
        snprintf(s->origins[s->origin_count++], ORIGIN_SIZE, "http://%s:%d", own[i], s->port);
    }
    for (int i = 0; i < desc->origin_count; ++i) {
        snprintf(s->origins[s->origin_count++], ORIGIN_SIZE, "%s", desc->origins[i]);
    }
    for (int i = 0; i < s->origin_count; ++i) {
        strip_port(s->origins[i]);
    }
}

/* Whether the address can be had, which libwebsockets says to its log alone. */
static sn_result try_address(const sn_socket_desc *desc, sn_address *place)
{
    socklen_t size;
    const sn_result result = sn_address_read(desc->listen, desc->default_port, place, &size);
    if (result != SN_OK) {
        return result;
    }
    if (place->any.sa_family != AF_INET) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: a page is served by IPv4 alone", desc->listen);
    }
    const int file = socket(AF_INET, SOCK_STREAM, 0);
    const bool is_free = file >= 0 && setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &(const int){1}, sizeof(int)) == 0 &&
                         bind(file, &place->any, size) == 0 && listen(file, 1) == 0;
    const int cause = errno;
    if (file >= 0) {
        close(file);
    }
    return is_free ? SN_OK : sn_address_fail(place, cause);
}

static sn_result create_context(sn_socket *s, const sn_address *place)
{
    struct lws_context_creation_info info = {0};
    s->protocols[0] = (struct lws_protocols){.name = "http", .callback = serve_files};
    s->protocols[1] = (struct lws_protocols){.name = SN_SOCKET_PROTOCOL,
                                             .callback = serve_messages,
                                             .per_session_data_size = sizeof(connection) + s->desc.message_limit,
                                             .rx_buffer_size = 4096};
    s->mount = (struct lws_http_mount){.mountpoint = "/",
                                       .mountpoint_len = 1,
                                       .origin = s->folder,
                                       .def = "index.html",
                                       .origin_protocol = LWSMPRO_FILE,
                                       .extra_mimetypes = types};
    info.options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_DISABLE_IPV6 |
                   LWS_SERVER_OPTION_VALIDATE_UTF8 | LWS_SERVER_OPTION_SKIP_SERVER_CANONICAL_NAME |
                   LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND;
    info.user = s;
    info.uid = -1;
    info.gid = -1;
    info.fd_limit_per_thread = FILE_LIMIT;
    info.port = sn_address_port(place);
    info.iface = s->address;
    info.protocols = s->protocols;
    info.mounts = s->folder[0] ? &s->mount : NULL;
    info.headers = headers;
    info.retry_and_idle_policy = &patience;
    info.timeout_secs = 10;
    lws_set_log_level(0, NULL);
    s->context = lws_create_context(&info);
    s->vhost = s->context ? lws_create_vhost(s->context, &info) : NULL;
    if (!s->vhost) {
        return sn_fail(SN_ERROR_FILE, "%s:%d: libwebsockets cannot serve there", s->address, info.port);
    }
    s->port = lws_get_vhost_listen_port(s->vhost);
    return SN_OK;
}

/* Signals are for the program's own threads. */
static sn_result start_thread(sn_socket *s)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int cause = pthread_create(&s->thread, NULL, serve, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    s->has_thread = cause == 0;
    return s->has_thread ? SN_OK : sn_fail(SN_ERROR_MEMORY, "a thread for the socket: %s", strerror(cause));
}

sn_result sn_socket_open(const sn_socket_desc *desc, sn_socket **socket)
{
    *socket = NULL;
    sn_address place;
    sn_result result = check_desc(desc);
    result = result ? result : try_address(desc, &place);
    if (result != SN_OK) {
        return result;
    }
    sn_socket *s = sn_alloc(1, sizeof *s);
    if (!s) {
        return sn_fail(SN_ERROR_MEMORY, "a socket: out of memory");
    }
    s->desc = *desc;
    snprintf(s->folder, sizeof s->folder, "%s", desc->folder ? desc->folder : "");
    pthread_mutex_init(&s->mutex, NULL);
    inet_ntop(AF_INET, &place.v4.sin_addr, s->address, sizeof s->address);
    result = create_context(s, &place);
    if (result == SN_OK) {
        list_origins(s, desc);
        sn_address_warn(&place);
        result = start_thread(s);
    }
    if (result != SN_OK) {
        sn_socket_close(&s);
    }
    *socket = s;
    return result;
}

void sn_socket_close(sn_socket **socket)
{
    sn_socket *s = *socket;
    if (!s) {
        return;
    }
    if (s->has_thread) {
        atomic_store(&s->is_ending, true);
        lws_cancel_service(s->context);
        pthread_join(s->thread, NULL);
    }
    if (s->context) {
        lws_context_destroy(s->context);
    }
    pthread_mutex_destroy(&s->mutex);
    sn_free(s, 1, sizeof *s);
    *socket = NULL;
}

int sn_socket_port(const sn_socket *socket)
{
    return socket->port;
}

sn_socket_counts sn_socket_count(sn_socket *socket)
{
    pthread_mutex_lock(&socket->mutex);
    const sn_socket_counts counts = socket->counts;
    pthread_mutex_unlock(&socket->mutex);
    return counts;
}

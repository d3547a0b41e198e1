/* SPDX-License-Identifier: MIT */
/* The only user of libwebsockets. All of its calls except setup and shutdown are made on the server's thread. */
#define _XOPEN_SOURCE 700 /* for realpath */
#include "runtime/puppet/web_server.h"

#include <errno.h>
#include <libwebsockets.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/puppet/address.h"
#include "runtime/puppet/certificate.h"
#include "runtime/puppet/origins.h"

#define FILE_LIMIT 256 /* file descriptors: connections, those that are about to be closed, and files being sent */
#define FOLDER_SIZE 4096

/* A connection that is no WebSocket (yet). */
typedef struct request {
    struct lws *wsi; /* null: unused */
    uint64_t serial; /* order of arrival */
    bool is_active;  /* a request has arrived and is not answered yet */
} request;

struct sn_web_server {
    sn_web_server_desc desc; /* without pointers to the caller's memory */
    char folder[FOLDER_SIZE];
    sn_address address; /* requested address */
    char host[SN_ADDRESS_SIZE];
    sn_origins origins;
    int port;
    struct lws_context *context;
    struct lws_vhost *vhost;
    struct lws_protocols protocols[3];
    struct lws_http_mount mount;
    pthread_t thread;
    bool has_thread;
    atomic_bool is_stopping;
    pthread_mutex_t mutex; /* protects counts */
    sn_web_server_counts counts;
    request requests[SN_WEB_SERVER_REQUEST_LIMIT]; /* this and the following are used by the server's thread only */
    uint64_t request_serial;
};

/* A connection, followed by a buffer of message_limit bytes. */
typedef struct connection {
    size_t size; /* of the partial message */
} connection;

/* The page may load only its own files and connect only to this server. This also blocks MediaPipe's usage reports. */
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

/* Idle peers are pinged after 10 s and disconnected after 20 s. */
static const lws_retry_bo_t keep_alive = {.secs_since_valid_ping = 10, .secs_since_valid_hangup = 20};

static void count(sn_web_server *s, int64_t *which, int64_t amount)
{
    pthread_mutex_lock(&s->mutex);
    *which += amount;
    pthread_mutex_unlock(&s->mutex);
}

/* ---- places of connections ---- */

static request *find_request(sn_web_server *s, const struct lws *wsi)
{
    for (int i = 0; i < SN_WEB_SERVER_REQUEST_LIMIT; ++i) {
        if (s->requests[i].wsi == wsi) {
            return &s->requests[i];
        }
    }
    return NULL;
}

/* Without a free place, closes the oldest connection without a request, or else the oldest one. */
static void add_request(sn_web_server *s, struct lws *wsi)
{
    request *r = find_request(s, NULL);
    for (int i = 0; i < SN_WEB_SERVER_REQUEST_LIMIT && (!r || r->wsi); ++i) {
        request *other = &s->requests[i];
        if (!r || other->is_active < r->is_active || (other->is_active == r->is_active && other->serial < r->serial)) {
            r = other;
        }
    }
    if (r->wsi) {
        lws_set_timeout(r->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
        count(s, &s->counts.dropped_idle, 1);
    }
    *r = (request){.wsi = wsi, .serial = ++s->request_serial};
}

static void remove_request(sn_web_server *s, const struct lws *wsi)
{
    request *r = find_request(s, wsi);
    if (r) {
        *r = (request){0};
    }
}

static void set_active(sn_web_server *s, const struct lws *wsi, bool is_active)
{
    request *r = find_request(s, wsi);
    if (r) {
        r->is_active = is_active;
    }
}

/* ---- requests ---- */

/* HTTP/1.1 needs the header, and browsers send it: it names the server as the user or a page wrote it. */
static bool is_known_host(sn_web_server *s, struct lws *wsi)
{
    char host[SN_ORIGIN_SIZE];
    const bool is_known =
        lws_hdr_copy(wsi, host, sizeof host, WSI_TOKEN_HOST) > 0 && sn_origins_accept_host(&s->origins, host);
    if (!is_known) {
        count(s, &s->counts.rejected_host, 1);
    }
    return is_known;
}

/* Whether libwebsockets may open this path: it does not exist, or is a regular file of the folder. */
static bool is_servable(const sn_web_server *s, const char *path)
{
    struct stat status;
    char *real = realpath(path, NULL);
    const size_t size = strlen(s->folder);
    const bool is_inside =
        real && strncmp(real, s->folder, size) == 0 && (real[size] == '/' || s->folder[size - 1] == '/');
    const bool is_allowed = !real || (is_inside && stat(real, &status) == 0 && S_ISREG(status.st_mode));
    free(real);
    return is_allowed;
}

/* Decides about a request for a file, before libwebsockets opens it. A folder stands for its index.html. */
static bool is_request_allowed(const sn_web_server *s, const char *uri, size_t size)
{
    struct stat status;
    char path[2 * FOLDER_SIZE];
    if (!s->folder[0]) {
        return true; /* nothing is served */
    }
    const int length = snprintf(path, sizeof path - 16, "%s/%.*s", s->folder, (int)size, uri);
    if (length < 0 || length >= (int)sizeof path - 16) {
        return false;
    }
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        strcat(path, "/index.html");
    }
    return is_servable(s, path);
}

static bool is_known_origin(const sn_web_server *s, struct lws *wsi)
{
    char origin[SN_ORIGIN_SIZE];
    return lws_hdr_copy(wsi, origin, sizeof origin, WSI_TOKEN_ORIGIN) > 0 &&
           sn_origins_accept(&s->origins, origin, lws_get_socket_fd(wsi));
}

#define UNKNOWN_HOST "this Host is not allowed; --web-host adds one"

static int reject_upgrade(struct lws *wsi, unsigned int status, const char *why)
{
    return lws_return_http_status(wsi, status, why) < 0 ? -1 : 1;
}

static int confirm_upgrade(sn_web_server *s, struct lws *wsi, const char *protocol)
{
    if (!protocol || strcmp(protocol, "websocket") != 0) {
        return -1;
    }
    if (!is_known_host(s, wsi)) {
        return reject_upgrade(wsi, HTTP_STATUS_FORBIDDEN, UNKNOWN_HOST);
    }
    if (!is_known_origin(s, wsi)) {
        count(s, &s->counts.rejected_origin, 1);
        return reject_upgrade(wsi, HTTP_STATUS_FORBIDDEN, "this Origin is not allowed; --origin adds one");
    }
    if (sn_web_server_get_counts(s).open >= SN_WEB_SERVER_CONNECTION_LIMIT) {
        count(s, &s->counts.rejected_full, 1);
        return reject_upgrade(wsi, HTTP_STATUS_SERVICE_UNAVAILABLE, "too many connections");
    }
    return 0;
}

static int close_connection(struct lws *wsi, enum lws_close_status status, const char *why)
{
    unsigned char text[SN_WEB_SERVER_REASON_SIZE];
    const size_t size = strnlen(why, sizeof text);
    memcpy(text, why, size);
    lws_close_reason(wsi, status, text, size);
    return -1;
}

static int receive(sn_web_server *s, struct lws *wsi, connection *c, const char *bytes, size_t size)
{
    char *text = (char *)(c + 1), reason[SN_WEB_SERVER_REASON_SIZE] = "";
    count(s, &s->counts.bytes, (int64_t)size);
    if (lws_frame_is_binary(wsi)) {
        count(s, &s->counts.binary, 1);
        return close_connection(wsi, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "messages must be text");
    }
    if (size > s->desc.message_limit - c->size || lws_remaining_packet_payload(wsi) > s->desc.message_limit) {
        count(s, &s->counts.too_large, 1);
        return close_connection(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "the message is too large");
    }
    memcpy(text + c->size, bytes, size);
    c->size += size;
    if (lws_remaining_packet_payload(wsi) > 0 || !lws_is_final_fragment(wsi)) {
        return 0;
    }
    count(s, &s->counts.frames, 1);
    const bool is_accepted = s->desc.receive(s->desc.user, text, c->size, reason);
    c->size = 0;
    return is_accepted ? 0 : close_connection(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, reason);
}

static int serve_messages(struct lws *wsi, enum lws_callback_reasons what, void *user, void *in, size_t size)
{
    sn_web_server *s = lws_context_user(lws_get_context(wsi));
    connection *c = user;
    switch (what) {
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return confirm_upgrade(s, wsi, in);
    case LWS_CALLBACK_ESTABLISHED:
        c->size = 0;
        remove_request(s, wsi);
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

/* Also called for a WebSocket without a subprotocol, which is rejected. */
static int serve_files(struct lws *wsi, enum lws_callback_reasons what, void *user, void *in, size_t size)
{
    sn_web_server *s = lws_context_user(lws_get_context(wsi));
    switch (what) {
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
        add_request(s, wsi);
        return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        remove_request(s, wsi);
        return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return confirm_upgrade(s, wsi, in);
    case LWS_CALLBACK_FILTER_HTTP_CONNECTION:
        set_active(s, wsi, true);
        if (!is_known_host(s, wsi)) {
            lws_return_http_status(wsi, HTTP_STATUS_FORBIDDEN, UNKNOWN_HOST);
            return -1;
        }
        if (!is_request_allowed(s, in, size)) {
            lws_return_http_status(wsi, HTTP_STATUS_FORBIDDEN, "not a file of the page");
            return -1;
        }
        return 0;
    case LWS_CALLBACK_HTTP_FILE_COMPLETION:
        set_active(s, wsi, false);
        return lws_callback_http_dummy(wsi, what, user, in, size);
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return -1;
    default:
        return lws_callback_http_dummy(wsi, what, user, in, size);
    }
}

static void *serve(void *user)
{
    sn_web_server *s = user;
    while (!atomic_load(&s->is_stopping) && lws_service(s->context, 0) >= 0) {
    }
    return NULL;
}

static sn_result check_desc(const sn_web_server_desc *desc)
{
    if (desc->folder && strlen(desc->folder) >= FOLDER_SIZE) {
        return sn_fail(SN_ERROR_ARGUMENT, "%.100s...: the path is too long", desc->folder);
    }
    return desc->certificate ? sn_certificate_check(desc->certificate, desc->key) : SN_OK;
}

/* Tests whether the address is available, because libwebsockets reports a failure only to its log. */
static sn_result check_address(const sn_web_server_desc *desc, sn_address *address)
{
    socklen_t size;
    const sn_result result = sn_address_parse(desc->listen, desc->default_port, address, &size);
    if (result != SN_OK) {
        return result;
    }
    const int file = socket(address->any.sa_family, SOCK_STREAM, 0);
    const bool is_free = file >= 0 && setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &(const int){1}, sizeof(int)) == 0 &&
                         sn_address_bind(address, size, file) && listen(file, 1) == 0;
    const int cause = errno;
    if (file >= 0) {
        close(file);
    }
    return is_free ? SN_OK : sn_address_fail(address, cause);
}

/* First line of libwebsockets' error about a certificate or key. One server is opened at a time. */
static char tls_error[200];

static void store_tls_error(int level, const char *line)
{
    (void)level;
    if (!tls_error[0]) {
        snprintf(tls_error, sizeof tls_error, "%.*s", (int)strcspn(line, "\r\n"), line);
    }
}

/* The empty password prevents a prompt. */
static void set_certificate(const sn_web_server_desc *desc, struct lws_context_creation_info *info)
{
    info->options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
    info->ssl_cert_filepath = desc->certificate;
    info->ssl_private_key_filepath = desc->key;
    info->ssl_private_key_password = "";
    tls_error[0] = 0;
    lws_set_log_level(LLL_ERR, store_tls_error);
}

static sn_result create_context(sn_web_server *s)
{
    struct lws_context_creation_info info = {0};
    s->protocols[0] = (struct lws_protocols){.name = "http", .callback = serve_files};
    s->protocols[1] = (struct lws_protocols){.name = SN_WEB_SERVER_PROTOCOL,
                                             .callback = serve_messages,
                                             .per_session_data_size = sizeof(connection) + s->desc.message_limit,
                                             .rx_buffer_size = 4096};
    s->mount = (struct lws_http_mount){.mountpoint = "/",
                                       .mountpoint_len = 1,
                                       .origin = s->folder,
                                       .def = "index.html",
                                       .origin_protocol = LWSMPRO_FILE,
                                       .extra_mimetypes = types};
    const bool is_v4 = s->address.any.sa_family == AF_INET;
    char name[SN_ADDRESS_SIZE];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(s->host + !is_v4, "]"), s->host + !is_v4);
    info.options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_VALIDATE_UTF8 |
                   LWS_SERVER_OPTION_SKIP_SERVER_CANONICAL_NAME | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND;
    info.options |= is_v4 ? LWS_SERVER_OPTION_DISABLE_IPV6 : LWS_SERVER_OPTION_IPV6_V6ONLY_MODIFY;
    info.user = s;
    info.uid = -1;
    info.gid = -1;
    info.fd_limit_per_thread = FILE_LIMIT;
    info.port = sn_address_port(&s->address);
    info.iface = is_v4 || !sn_address_is_wildcard(&s->address) ? name : NULL;
    info.protocols = s->protocols;
    info.mounts = s->folder[0] ? &s->mount : NULL;
    info.headers = headers;
    info.retry_and_idle_policy = &keep_alive;
    info.timeout_secs = 10;
    lws_set_log_level(0, NULL);
    if (s->desc.certificate) {
        set_certificate(&s->desc, &info);
    }
    s->context = lws_create_context(&info);
    s->vhost = s->context ? lws_create_vhost(s->context, &info) : NULL;
    lws_set_log_level(0, NULL);
    if (!s->vhost && s->desc.certificate) {
        return sn_fail(SN_ERROR_FORMAT, "%s: does not work with the private key %s: %s", s->desc.certificate,
                       s->desc.key, tls_error[0] ? tls_error : "libwebsockets gives no reason");
    }
    if (!s->vhost) {
        return sn_fail(SN_ERROR_FILE, "%s:%d: libwebsockets cannot listen there", s->host, info.port);
    }
    s->port = lws_get_vhost_listen_port(s->vhost);
    return SN_OK;
}

/* Blocks all signals in the server's thread; the program's own threads handle them. */
static sn_result start_thread(sn_web_server *s)
{
    sigset_t all, previous;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &previous);
    const int cause = pthread_create(&s->thread, NULL, serve, s);
    pthread_sigmask(SIG_SETMASK, &previous, NULL);
    s->has_thread = cause == 0;
    return s->has_thread ? SN_OK
                         : sn_fail(SN_ERROR_MEMORY, "cannot start a thread for the web server: %s", strerror(cause));
}

sn_result sn_web_server_open(const sn_web_server_desc *desc, sn_web_server **socket)
{
    *socket = NULL;
    sn_address address;
    sn_origins origins;
    const char *scheme = desc->certificate ? "https" : "http";
    sn_result result = sn_origins_init(&origins, scheme, desc->origins, desc->origin_count);
    result = result ? result : sn_origins_add_hosts(&origins, desc->hosts, desc->host_count);
    result = result ? result : check_desc(desc);
    result = result ? result : check_address(desc, &address);
    if (result != SN_OK) {
        return result;
    }
    sn_web_server *s = sn_alloc(1, sizeof *s);
    if (!s) {
        return sn_fail(SN_ERROR_MEMORY, "web server: out of memory");
    }
    s->desc = *desc;
    char *folder = desc->folder ? realpath(desc->folder, NULL) : NULL;
    snprintf(s->folder, sizeof s->folder, "%s", folder ? folder : desc->folder ? desc->folder : "");
    free(folder);
    pthread_mutex_init(&s->mutex, NULL);
    s->address = address;
    s->origins = origins;
    sn_address_host(&address, s->host);
    result = create_context(s);
    if (result == SN_OK) {
        s->origins.port = s->port;
        sn_address_warn(&address);
        result = start_thread(s);
    }
    if (result != SN_OK) {
        sn_web_server_close(&s);
    }
    *socket = s;
    return result;
}

void sn_web_server_close(sn_web_server **socket)
{
    sn_web_server *s = *socket;
    if (!s) {
        return;
    }
    if (s->has_thread) {
        atomic_store(&s->is_stopping, true);
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

int sn_web_server_port(const sn_web_server *socket)
{
    return socket->port;
}

void sn_web_server_urls(const sn_web_server *s, char local_url[SN_WEB_SERVER_URL_SIZE],
                        char remote_url[SN_WEB_SERVER_URL_SIZE])
{
    char host[SN_ADDRESS_SIZE];
    const bool is_local = sn_address_is_wildcard(&s->address) ||
                          (s->address.any.sa_family == AF_INET && sn_address_is_local(&s->address));
    const char *scheme = s->origins.scheme;
    snprintf(local_url, SN_WEB_SERVER_URL_SIZE, "%s://%s:%d/", scheme, is_local ? "localhost" : s->host, s->port);
    remote_url[0] = 0;
    if (sn_address_external_host(&s->address, host)) {
        snprintf(remote_url, SN_WEB_SERVER_URL_SIZE, "%s://%s:%d/", scheme, host, s->port);
    }
}

sn_web_server_counts sn_web_server_get_counts(sn_web_server *socket)
{
    pthread_mutex_lock(&socket->mutex);
    const sn_web_server_counts counts = socket->counts;
    pthread_mutex_unlock(&socket->mutex);
    return counts;
}

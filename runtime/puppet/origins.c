/* SPDX-License-Identifier: MIT */
#include "runtime/puppet/origins.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "host/base/base.h"
#include "runtime/puppet/address.h"

/* Copies an origin without the scheme's default port, as browsers send it. */
static void copy(const char *from, char to[SN_ORIGIN_SIZE])
{
    static const char *const default_ports[2][2] = {{"http://", ":80"}, {"https://", ":443"}};
    snprintf(to, SN_ORIGIN_SIZE, "%s", from);
    for (int i = 0; i < 2; ++i) {
        char *port = strrchr(to, ':');
        if (port && strcmp(port, default_ports[i][1]) == 0 &&
            strncasecmp(to, default_ports[i][0], strlen(default_ports[i][0])) == 0) {
            *port = 0;
        }
    }
}

static sn_result add_host(sn_origins *o, const char *host)
{
    if (!host[0] || strlen(host) >= SN_ORIGIN_SIZE || strpbrk(host, "/:[]@ ")) {
        return sn_fail(SN_ERROR_ARGUMENT, "%.100s: not a host name; write a name without scheme and port", host);
    }
    snprintf(o->hosts[o->host_count++], SN_ORIGIN_SIZE, "%s", host);
    return SN_OK;
}

sn_result sn_origins_add_hosts(sn_origins *o, const char *const *hosts, int count)
{
    if (count > SN_ORIGIN_LIMIT) {
        return sn_fail(SN_ERROR_ARGUMENT, "%d host names; at most %d are allowed", count, SN_ORIGIN_LIMIT);
    }
    for (int i = 0; i < count; ++i) {
        SN_TRY(add_host(o, hosts[i]));
    }
    return SN_OK;
}

static void add_own_names(sn_origins *o)
{
    char name[65], local[80];
    if (gethostname(name, sizeof name) == 0 && memchr(name, 0, sizeof name) && name[0] && !strpbrk(name, "/:[]@ ")) {
        snprintf(local, sizeof local, "%s.local", name);
        add_host(o, name);
        add_host(o, local);
    }
}

sn_result sn_origins_init(sn_origins *o, const char *scheme, const char *const *allowed, int count)
{
    *o = (sn_origins){.scheme = scheme};
    add_own_names(o);
    if (count > SN_ORIGIN_LIMIT) {
        return sn_fail(SN_ERROR_ARGUMENT, "%d origins; at most %d are allowed", count, SN_ORIGIN_LIMIT);
    }
    for (int i = 0; i < count; ++i) {
        const char *host = strstr(allowed[i], "://");
        if (!host || !host[3] || strchr(host + 3, '/') || strlen(allowed[i]) >= SN_ORIGIN_SIZE) {
            return sn_fail(SN_ERROR_ARGUMENT,
                           "%s: not an origin; write SCHEME://HOST[:PORT], such as https://example.org", allowed[i]);
        }
        copy(allowed[i], o->allowed[o->count++]);
    }
    return SN_OK;
}

static bool is_own_origin(const sn_origins *o, const char *origin, const char *host)
{
    char own_origin[SN_ORIGIN_SIZE], full_origin[SN_ORIGIN_SIZE + 32];
    snprintf(full_origin, sizeof full_origin, "%s://%s:%d", o->scheme, host, o->port);
    copy(full_origin, own_origin);
    return strcasecmp(own_origin, origin) == 0;
}

bool sn_origins_accept_host(const sn_origins *o, const char *text)
{
    char host[SN_ORIGIN_SIZE];
    const bool is_bracketed = text[0] == '[';
    const size_t size = strcspn(text + is_bracketed, is_bracketed ? "]" : ":");
    if (size >= sizeof host) {
        return false;
    }
    memcpy(host, text + is_bracketed, size);
    host[size] = 0;
    bool is_known = sn_address_is_number(host, is_bracketed) || (!is_bracketed && strcasecmp(host, "localhost") == 0);
    for (int i = 0; i < o->host_count && !is_known; ++i) {
        is_known = !is_bracketed && strcasecmp(o->hosts[i], host) == 0;
    }
    return is_known;
}

bool sn_origins_accept(const sn_origins *o, const char *text, int socket)
{
    char origin[SN_ORIGIN_SIZE], host[SN_ADDRESS_SIZE];
    sn_address local;
    if (strlen(text) >= sizeof origin) {
        return false;
    }
    copy(text, origin);
    bool is_known = is_own_origin(o, origin, "localhost") || is_own_origin(o, origin, "127.0.0.1") ||
                    is_own_origin(o, origin, "[::1]");
    if (!is_known && sn_address_local(socket, &local)) {
        sn_address_host(&local, host);
        is_known = is_own_origin(o, origin, host);
    }
    for (int i = 0; i < o->host_count && !is_known; ++i) {
        is_known = is_own_origin(o, origin, o->hosts[i]);
    }
    for (int i = 0; i < o->count && !is_known; ++i) {
        is_known = strcasecmp(o->allowed[i], origin) == 0;
    }
    return is_known;
}

/* SPDX-License-Identifier: MIT */
#include "runtime/puppet/origins.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

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

sn_result sn_origins_init(sn_origins *o, const char *scheme, const char *const *allowed, int count)
{
    *o = (sn_origins){.scheme = scheme};
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
    char own_origin[SN_ORIGIN_SIZE], full_origin[SN_ORIGIN_SIZE];
    snprintf(full_origin, sizeof full_origin, "%s://%s:%d", o->scheme, host, o->port);
    copy(full_origin, own_origin);
    return strcasecmp(own_origin, origin) == 0;
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
    for (int i = 0; i < o->count && !is_known; ++i) {
        is_known = strcasecmp(o->allowed[i], origin) == 0;
    }
    return is_known;
}

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
    static const char *const usual[2][2] = {{"http://", ":80"}, {"https://", ":443"}};
    snprintf(to, SN_ORIGIN_SIZE, "%s", from);
    for (int i = 0; i < 2; ++i) {
        char *port = strrchr(to, ':');
        if (port && strcmp(port, usual[i][1]) == 0 && strncasecmp(to, usual[i][0], strlen(usual[i][0])) == 0) {
            *port = 0;
        }
    }
}

sn_result sn_origins_init(sn_origins *o, const char *scheme, const char *const *others, int count)
{
    *o = (sn_origins){.scheme = scheme};
    if (count > SN_ORIGIN_LIMIT) {
        return sn_fail(SN_ERROR_ARGUMENT, "%d origins; at most %d are allowed", count, SN_ORIGIN_LIMIT);
    }
    for (int i = 0; i < count; ++i) {
        const char *host = strstr(others[i], "://");
        if (!host || !host[3] || strchr(host + 3, '/') || strlen(others[i]) >= SN_ORIGIN_SIZE) {
            return sn_fail(SN_ERROR_ARGUMENT,
                           "%s: not an origin; write SCHEME://HOST[:PORT], such as https://example.org", others[i]);
        }
        copy(others[i], o->others[o->count++]);
    }
    return SN_OK;
}

static bool is_own(const sn_origins *o, const char *origin, const char *host)
{
    char own[SN_ORIGIN_SIZE], whole[SN_ORIGIN_SIZE];
    snprintf(whole, sizeof whole, "%s://%s:%d", o->scheme, host, o->port);
    copy(whole, own);
    return strcasecmp(own, origin) == 0;
}

bool sn_origins_know(const sn_origins *o, const char *text, int socket)
{
    char origin[SN_ORIGIN_SIZE], host[SN_ADDRESS_SIZE];
    sn_address local;
    if (strlen(text) >= sizeof origin) {
        return false;
    }
    copy(text, origin);
    bool is_known = is_own(o, origin, "localhost") || is_own(o, origin, "127.0.0.1") || is_own(o, origin, "[::1]");
    if (!is_known && sn_address_local(socket, &local)) {
        sn_address_host(&local, host);
        is_known = is_own(o, origin, host);
    }
    for (int i = 0; i < o->count && !is_known; ++i) {
        is_known = strcasecmp(o->others[i], origin) == 0;
    }
    return is_known;
}

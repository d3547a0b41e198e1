/* SPDX-License-Identifier: MIT */
/* Which web pages a server accepts, by the Origin header, which browsers send and pages cannot change: its own page
 * under loopback or connected addresses, this machine's name and configured names, and a configured list. Other host
 * names are not accepted, because any site's name may resolve to this machine (DNS rebinding). The Host header is
 * checked in the same way, for requests without an Origin. */
#ifndef SN_RUNTIME_PUPPET_ORIGINS_H
#define SN_RUNTIME_PUPPET_ORIGINS_H

#include <stdbool.h>

#include "sinew/types.h"

#define SN_ORIGIN_LIMIT 16
#define SN_ORIGIN_SIZE 256
#define SN_HOST_LIMIT 18 /* the configured names and two of this machine */

typedef struct sn_origins {
    const char *scheme; /* "http" or "https" of the server's own page; static text */
    int port;
    char allowed[SN_ORIGIN_LIMIT][SN_ORIGIN_SIZE]; /* (count) without a scheme's default port */
    int count;
    char hosts[SN_HOST_LIMIT][SN_ORIGIN_SIZE]; /* (host_count) accepted names besides localhost */
    int host_count;
} sn_origins;

/* Also accepts this machine's name, NAME and NAME.local. Errors: SN_ERROR_ARGUMENT (more than SN_ORIGIN_LIMIT, or not
 * SCHEME://HOST[:PORT]). */
sn_result sn_origins_init(sn_origins *origins, const char *scheme, const char *const *allowed, int count);
/* Accepts more names of the server. Errors: SN_ERROR_ARGUMENT (more than SN_ORIGIN_LIMIT, or not a host name). */
sn_result sn_origins_add_hosts(sn_origins *origins, const char *const *hosts, int count);
/* True if the Host header `text`, NAME[:PORT], is localhost, an IP address or an accepted name. */
bool sn_origins_accept_host(const sn_origins *origins, const char *text);
/* True if the origin `text` of a connection to this socket is accepted: SCHEME://localhost:PORT, a loopback address,
 * the address that the connection was made to, an accepted name, or one of the list. */
bool sn_origins_accept(const sn_origins *origins, const char *text, int socket);

#endif

/* SPDX-License-Identifier: MIT */
/* Which web pages a server accepts, by the Origin header, which browsers send and pages cannot change: its own page
 * under loopback or connected addresses, and a configured list. Host names from DNS are not accepted, because any
 * site's name may resolve to this machine. */
#ifndef SN_RUNTIME_PUPPET_ORIGINS_H
#define SN_RUNTIME_PUPPET_ORIGINS_H

#include <stdbool.h>

#include "sinew/types.h"

#define SN_ORIGIN_LIMIT 16
#define SN_ORIGIN_SIZE 256

typedef struct sn_origins {
    const char *scheme; /* "http" or "https" of the server's own page; static text */
    int port;
    char allowed[SN_ORIGIN_LIMIT][SN_ORIGIN_SIZE]; /* (count) without a scheme's default port */
    int count;
} sn_origins;

/* Errors: SN_ERROR_ARGUMENT (more than SN_ORIGIN_LIMIT, or not SCHEME://HOST[:PORT]). */
sn_result sn_origins_init(sn_origins *origins, const char *scheme, const char *const *allowed, int count);
/* True if the origin `text` of a connection to this socket is accepted: SCHEME://localhost:PORT, a loopback address,
 * the address that the connection was made to, or one of the list. */
bool sn_origins_accept(const sn_origins *origins, const char *text, int socket);

#endif

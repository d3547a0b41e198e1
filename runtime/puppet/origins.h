/* SPDX-License-Identifier: MIT */
/* Which web pages a server lets in, by the Origin that browsers send and pages cannot change: its own, by every name
 * that only it can have, and those that it is told. A name that DNS gives is none of these: anybody's may lead here. */
#ifndef SN_RUNTIME_PUPPET_ORIGINS_H
#define SN_RUNTIME_PUPPET_ORIGINS_H

#include <stdbool.h>

#include "sinew/types.h"

#define SN_ORIGIN_LIMIT 16
#define SN_ORIGIN_SIZE 256

typedef struct sn_origins {
    const char *scheme; /* "http" or "https", of the server's own; static text */
    int port;
    char others[SN_ORIGIN_LIMIT][SN_ORIGIN_SIZE]; /* (count), without a scheme's usual port */
    int count;
} sn_origins;

/* SN_ERROR_ARGUMENT (one line) for more than SN_ORIGIN_LIMIT, or what is no SCHEME://HOST[:PORT]. */
sn_result sn_origins_init(sn_origins *origins, const char *scheme, const char *const *others, int count);
/* text: of a connection that has come to this socket: SCHEME://localhost:PORT, or with the loopback's addresses, or
 * with the one that the connection came to; or one of the others. */
bool sn_origins_know(const sn_origins *origins, const char *text, int socket);

#endif

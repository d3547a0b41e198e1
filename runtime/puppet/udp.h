/* SPDX-License-Identifier: MIT */
/* Receives UDP datagrams on one address and port. */
#ifndef SN_RUNTIME_PUPPET_UDP_H
#define SN_RUNTIME_PUPPET_UDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/types.h"

#define SN_UDP_SIZE_LIMIT 65536 /* larger than any datagram */

typedef struct sn_udp {
    int socket;             /* -1: closed */
    char bound_address[64]; /* bound address such as "127.0.0.1:39539", with the actual port */
    int port;
} sn_udp;

/* Opens a socket; `text` as in sn_address_parse, port 0 is any free port. Warns if other machines can reach it. Errors:
 * SN_ERROR_ARGUMENT (not an address), SN_ERROR_FILE (cannot be bound, for example because the port is in use). */
sn_result sn_udp_open(const char *text, int default_port, sn_udp *udp);
/* Accepts a closed one. */
void sn_udp_close(sn_udp *udp);
/* Reads the next datagram into bytes (SN_UDP_SIZE_LIMIT) and returns its size; -1: there is none. Never blocks.
 * arrived: the time of sn_now() at which the system received it; may be null. */
int64_t sn_udp_receive(sn_udp *udp, uint8_t *bytes, double *arrived);

#endif

/* SPDX-License-Identifier: MIT */
/* Datagrams in, from one address and port. */
#ifndef SN_RUNTIME_PUPPET_UDP_H
#define SN_RUNTIME_PUPPET_UDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/types.h"

#define SN_UDP_SIZE_LIMIT 65536 /* of a datagram, more than there can be */

typedef struct sn_udp {
    int socket;     /* -1: closed */
    char where[64]; /* "127.0.0.1:39539", as bound: port 0 is one that was free */
    int port;
} sn_udp;

/* text: "ADDRESS:PORT", "ADDRESS", "PORT" or null; what is left out is 127.0.0.1 and default_port. Addresses are
 * numbers, IPv4 or IPv6 ("[::1]:39539"; [::] is of both), or localhost. One that is not of this machine alone is warned
 * of. Errors: SN_ERROR_ARGUMENT for text that is no address; SN_ERROR_FILE where it cannot be listened on: the port is
 * taken, say.
 */
sn_result sn_udp_open(const char *text, int default_port, sn_udp *udp);
/* Accepts closed ones. */
void sn_udp_close(sn_udp *udp);
/* Never waits. The size of the next datagram, of which bytes (SN_UDP_SIZE_LIMIT) has everything; -1: there is none.
 * arrived: when the system had it, as sn_now() counts; or null. */
int64_t sn_udp_receive(sn_udp *udp, uint8_t *bytes, double *arrived);

#endif

/* SPDX-License-Identifier: MIT */
/* Where a source listens: text into addresses, and back. */
#ifndef SN_RUNTIME_PUPPET_ADDRESS_H
#define SN_RUNTIME_PUPPET_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "sinew/types.h"

#define SN_ADDRESS_SIZE 64

typedef union sn_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} sn_address;

/* text: "ADDRESS:PORT", "ADDRESS", "PORT" or null; what is left out is 127.0.0.1 and default_port. Addresses are
 * numbers, IPv4 or IPv6 in brackets ("[::1]:39539"), or localhost, which is 127.0.0.1; 0.0.0.0 is all of this machine's
 * of IPv4, [::] all of both; [::ffff:127.0.0.1] is 127.0.0.1. SN_ERROR_ARGUMENT (one line) for text that is no address.
 */
sn_result sn_address_read(const char *text, int default_port, sn_address *address, socklen_t *size);
/* "127.0.0.1:39539" */
void sn_address_describe(const sn_address *address, char where[SN_ADDRESS_SIZE]);
int sn_address_port(const sn_address *address);
/* "127.0.0.1", "[::1]" */
void sn_address_host(const sn_address *address, char host[SN_ADDRESS_SIZE]);
/* Of the loopback: this machine alone. */
bool sn_address_is_local(const sn_address *address);
/* All addresses of this machine. */
bool sn_address_is_any(const sn_address *address);
/* bind(), to both versions of IP at [::]; false: errno has the cause. */
bool sn_address_bind(const sn_address *address, socklen_t size, int socket);
/* Where a connection has come to: of IPv4 by an IPv6 socket, the IPv4 address. */
bool sn_address_local(int socket, sn_address *address);
/* By which other machines may reach it: where it listens at all addresses, by the one of the way out of this machine;
 * false: none is known. Sends nothing. */
bool sn_address_outside(const sn_address *address, char host[SN_ADDRESS_SIZE]);
/* The line of one that cannot be listened on, for errno's `cause`: SN_ERROR_FILE. */
sn_result sn_address_fail(const sn_address *address, int cause);
/* A warning, unless it is of this machine alone. */
void sn_address_warn(const sn_address *address);

#endif

/* SPDX-License-Identifier: MIT */
/* Listening addresses: parsing, formatting and binding. */
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

/* Parses "ADDRESS:PORT", "ADDRESS", "PORT" or null. Defaults are 127.0.0.1 and default_port. An address is a number
 * (IPv4, or IPv6 in brackets: "[::1]:39539") or localhost, which is 127.0.0.1. 0.0.0.0 means all IPv4 addresses of this
 * machine, [::] all addresses of both versions; [::ffff:127.0.0.1] is 127.0.0.1. Errors: SN_ERROR_ARGUMENT (not an
 * address). */
sn_result sn_address_parse(const char *text, int default_port, sn_address *address, socklen_t *size);
/* Formats as "127.0.0.1:39539". */
void sn_address_describe(const sn_address *address, char address_text[SN_ADDRESS_SIZE]);
/* True for an IPv4 address, or an IPv6 address without brackets if is_v6. */
bool sn_address_is_number(const char *text, bool is_v6);
int sn_address_port(const sn_address *address);
/* Formats the host only: "127.0.0.1", "[::1]". */
void sn_address_host(const sn_address *address, char host[SN_ADDRESS_SIZE]);
/* True for a loopback address. */
bool sn_address_is_local(const sn_address *address);
/* True for the wildcard address. */
bool sn_address_is_wildcard(const sn_address *address);
/* Calls bind(); [::] accepts both IP versions. On false, errno has the cause. */
bool sn_address_bind(const sn_address *address, socklen_t size, int socket);
/* Local address of a connected socket; an IPv4 connection to an IPv6 socket gives the IPv4 address. */
bool sn_address_local(int socket, sn_address *address);
/* Formats the host by which other machines can reach the address; for the wildcard address that of the outgoing
 * interface. False: not reachable, or unknown. Sends nothing. */
bool sn_address_external_host(const sn_address *address, char host[SN_ADDRESS_SIZE]);
/* Reports that the address cannot be listened on, with errno's `cause`. Returns SN_ERROR_FILE. */
sn_result sn_address_fail(const sn_address *address, int cause);
/* Warns if other machines can reach the address. */
void sn_address_warn(const sn_address *address);

#endif

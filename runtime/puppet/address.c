/* SPDX-License-Identifier: MIT */
#include "runtime/puppet/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/base/base.h"

/* True if the text is a port number. */
static bool read_port(const char *text, int *port)
{
    char *end = NULL;
    const long value = text[0] >= '0' && text[0] <= '9' ? strtol(text, &end, 10) : -1;
    *port = (int)value;
    return end && !*end && value >= 0 && value <= 65535;
}

/* Splits "A:P", "[A]:P", "A" or "P" into name and port. */
static bool split(const char *text, int default_port, char *name, size_t size, int *port)
{
    const char *colon = strrchr(text, ':'), *close = strchr(text, ']');
    const bool is_bracketed = text[0] == '[' && close && (!close[1] || close[1] == ':');
    *port = default_port;
    if (read_port(text, port)) {
        snprintf(name, size, "127.0.0.1");
        return true;
    }
    *port = default_port;
    const char *start = is_bracketed ? text + 1 : text, *end = is_bracketed ? close : colon;
    end = end ? end : text + strlen(text);
    const char *port_text = is_bracketed ? (close[1] ? close + 2 : NULL) : colon ? colon + 1 : NULL;
    if (end == start || (size_t)(end - start) >= size || (port_text && !read_port(port_text, port))) {
        return false;
    }
    memcpy(name, start, (size_t)(end - start));
    name[end - start] = 0;
    return true;
}

bool sn_address_is_number(const char *text, bool is_v6)
{
    struct in6_addr address;
    return inet_pton(is_v6 ? AF_INET6 : AF_INET, text, &address) == 1;
}

/* Converts an IPv4-mapped IPv6 address (RFC 4291 2.5.5.2) to IPv4. */
static void convert_mapped(sn_address *a)
{
    if (a->any.sa_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&a->v6.sin6_addr)) {
        sn_address v4 = {.v4 = {.sin_family = AF_INET, .sin_port = a->v6.sin6_port}};
        memcpy(&v4.v4.sin_addr, a->v6.sin6_addr.s6_addr + 12, sizeof v4.v4.sin_addr);
        *a = v4;
    }
}

static bool read_address(const char *text, int default_port, sn_address *a, socklen_t *size)
{
    char name[64];
    int port;
    memset(a, 0, sizeof *a);
    if (!split(text ? text : "127.0.0.1", default_port, name, sizeof name, &port)) {
        return false;
    }
    const char *number = strcmp(name, "localhost") == 0 ? "127.0.0.1" : name;
    if (inet_pton(AF_INET, number, &a->v4.sin_addr) == 1) {
        a->v4.sin_family = AF_INET;
        a->v4.sin_port = htons((uint16_t)port);
        *size = sizeof a->v4;
        return true;
    }
    a->v6.sin6_family = AF_INET6;
    a->v6.sin6_port = htons((uint16_t)port);
    const bool is_read = inet_pton(AF_INET6, number, &a->v6.sin6_addr) == 1;
    convert_mapped(a);
    *size = a->any.sa_family == AF_INET ? sizeof a->v4 : sizeof a->v6;
    return is_read;
}

sn_result sn_address_parse(const char *text, int default_port, sn_address *a, socklen_t *size)
{
    if (text && sn_address_is_number(text, true)) { /* its last group looks like a port */
        return sn_fail(SN_ERROR_ARGUMENT,
                       "%s: not an address to listen on; write an IPv6 address in brackets: [::1]:%d", text,
                       default_port);
    }
    return read_address(text, default_port, a, size)
               ? SN_OK
               : sn_fail(SN_ERROR_ARGUMENT, "%s: not an address to listen on; write 127.0.0.1:%d, [::1]:%d or a port",
                         text, default_port, default_port);
}

bool sn_address_is_local(const sn_address *a)
{
    return a->any.sa_family == AF_INET ? ntohl(a->v4.sin_addr.s_addr) >> 24 == 127
                                       : IN6_IS_ADDR_LOOPBACK(&a->v6.sin6_addr) != 0;
}

int sn_address_port(const sn_address *a)
{
    return ntohs(a->any.sa_family == AF_INET ? a->v4.sin_port : a->v6.sin6_port);
}

void sn_address_host(const sn_address *a, char host[SN_ADDRESS_SIZE])
{
    char name[INET6_ADDRSTRLEN] = "";
    const bool is_v4 = a->any.sa_family == AF_INET;
    inet_ntop(a->any.sa_family, is_v4 ? (const void *)&a->v4.sin_addr : (const void *)&a->v6.sin6_addr, name,
              sizeof name);
    snprintf(host, SN_ADDRESS_SIZE, is_v4 ? "%s" : "[%s]", name);
}

void sn_address_describe(const sn_address *a, char address_text[SN_ADDRESS_SIZE])
{
    char host[SN_ADDRESS_SIZE];
    sn_address_host(a, host);
    snprintf(address_text, SN_ADDRESS_SIZE, "%.55s:%d", host, sn_address_port(a));
}

bool sn_address_is_wildcard(const sn_address *a)
{
    return a->any.sa_family == AF_INET ? a->v4.sin_addr.s_addr == htonl(INADDR_ANY)
                                       : IN6_IS_ADDR_UNSPECIFIED(&a->v6.sin6_addr) != 0;
}

bool sn_address_bind(const sn_address *a, socklen_t size, int socket)
{
    const int is_v6_only = a->any.sa_family == AF_INET6 && !sn_address_is_wildcard(a);
    return (a->any.sa_family != AF_INET6 ||
            setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &is_v6_only, sizeof is_v6_only) == 0) &&
           bind(socket, &a->any, size) == 0;
}

bool sn_address_local(int socket, sn_address *a)
{
    socklen_t size = sizeof *a;
    memset(a, 0, sizeof *a);
    if (getsockname(socket, &a->any, &size) != 0 || (a->any.sa_family != AF_INET && a->any.sa_family != AF_INET6)) {
        return false;
    }
    convert_mapped(a);
    return true;
}

/* Connects a UDP socket to an address of a documentation network (RFC 5737), which selects the outgoing interface but
 * sends nothing. */
bool sn_address_external_host(const sn_address *a, char host[SN_ADDRESS_SIZE])
{
    sn_address remote = {.v4 = {.sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(0xc0000201)}};
    sn_address own_address;
    if (!sn_address_is_wildcard(a)) {
        sn_address_host(a, host);
        return !sn_address_is_local(a);
    }
    const int file = socket(AF_INET, SOCK_DGRAM, 0);
    const bool is_known = file >= 0 && connect(file, &remote.any, sizeof remote.v4) == 0 &&
                          sn_address_local(file, &own_address) && !sn_address_is_local(&own_address);
    if (is_known) {
        sn_address_host(&own_address, host);
    }
    if (file >= 0) {
        close(file);
    }
    return is_known;
}

sn_result sn_address_fail(const sn_address *a, int cause)
{
    char address_text[SN_ADDRESS_SIZE];
    sn_address_describe(a, address_text);
    return sn_fail(SN_ERROR_FILE, "%s: cannot listen: %s", address_text,
                   cause == EADDRINUSE      ? "the port is taken by another program"
                   : cause == EADDRNOTAVAIL ? "this machine does not have the address"
                   : cause == EAFNOSUPPORT  ? "this machine has no IPv6"
                                            : strerror(cause));
}

void sn_address_warn(const sn_address *a)
{
    char address_text[SN_ADDRESS_SIZE];
    sn_address_describe(a, address_text);
    if (!sn_address_is_local(a)) {
        sn_log(SN_LOG_WARNING, "%s: anyone who can reach this machine can move the character", address_text);
    }
}

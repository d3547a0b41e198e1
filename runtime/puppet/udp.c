/* SPDX-License-Identifier: MIT */
#include "runtime/puppet/udp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "host/base/base.h"
#include "host/base/clock.h"

#define ROOM (1 << 20) /* bytes that may wait */

typedef union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} address;

/* Whether it is a number of a port. */
static bool read_port(const char *text, int *port)
{
    char *end = NULL;
    const long value = text[0] >= '0' && text[0] <= '9' ? strtol(text, &end, 10) : -1;
    *port = (int)value;
    return end && !*end && value >= 0 && value <= 65535;
}

/* The name and the port of "A:P", "[A]:P", "A" or "P". */
static bool split(const char *text, int default_port, char *name, size_t size, int *port)
{
    const char *colon = strrchr(text, ':'), *close = strchr(text, ']');
    const bool is_bracketed = text[0] == '[' && close && (!close[1] || close[1] == ':');
    const bool is_bare_v6 = !is_bracketed && colon && strchr(text, ':') != colon;
    *port = default_port;
    if (read_port(text, port)) {
        snprintf(name, size, "127.0.0.1");
        return true;
    }
    *port = default_port;
    const char *start = is_bracketed ? text + 1 : text, *end = is_bracketed ? close : colon;
    end = is_bare_v6 || !end ? text + strlen(text) : end;
    const char *behind = is_bare_v6 ? NULL : is_bracketed ? (close[1] ? close + 2 : NULL) : colon ? colon + 1 : NULL;
    if (end == start || (size_t)(end - start) >= size || (behind && !read_port(behind, port))) {
        return false;
    }
    memcpy(name, start, (size_t)(end - start));
    name[end - start] = 0;
    return true;
}

static bool read_address(const char *text, int default_port, address *a, socklen_t *size)
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
    *size = sizeof a->v6;
    return inet_pton(AF_INET6, number, &a->v6.sin6_addr) == 1;
}

static bool is_local(const address *a)
{
    return a->any.sa_family == AF_INET ? ntohl(a->v4.sin_addr.s_addr) >> 24 == 127
                                       : IN6_IS_ADDR_LOOPBACK(&a->v6.sin6_addr) != 0;
}

static void describe(const address *a, sn_udp *u)
{
    char name[INET6_ADDRSTRLEN] = "";
    const bool is_v4 = a->any.sa_family == AF_INET;
    inet_ntop(a->any.sa_family, is_v4 ? (const void *)&a->v4.sin_addr : (const void *)&a->v6.sin6_addr, name,
              sizeof name);
    u->port = ntohs(is_v4 ? a->v4.sin_port : a->v6.sin6_port);
    snprintf(u->where, sizeof u->where, is_v4 ? "%s:%d" : "[%s]:%d", name, u->port);
}

static bool bind_to(sn_udp *u, address *a, socklen_t size)
{
    const int room = ROOM;
    u->socket = socket(a->any.sa_family, SOCK_DGRAM, 0);
    const int flags = u->socket >= 0 ? fcntl(u->socket, F_GETFL) : -1;
    if (flags < 0 || fcntl(u->socket, F_SETFL, flags | O_NONBLOCK) < 0 || fcntl(u->socket, F_SETFD, FD_CLOEXEC) < 0 ||
        bind(u->socket, &a->any, size) < 0) {
        return false;
    }
#ifdef SO_TIMESTAMP
    setsockopt(u->socket, SOL_SOCKET, SO_TIMESTAMP, &(const int){1}, sizeof(int));
#endif
    setsockopt(u->socket, SOL_SOCKET, SO_RCVBUF, &room, sizeof room); /* as much of it as the system gives */
    return getsockname(u->socket, &a->any, &size) == 0;
}

sn_result sn_udp_open(const char *text, int default_port, sn_udp *u)
{
    address a;
    socklen_t size = 0;
    *u = (sn_udp){.socket = -1};
    if (!read_address(text, default_port, &a, &size)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: no address to listen on: 127.0.0.1:39539, [::1]:39539 or a port", text);
    }
    describe(&a, u);
    if (!bind_to(u, &a, size)) {
        const int error = errno;
        sn_udp_close(u);
        return sn_fail(SN_ERROR_FILE, "%s: cannot listen: %s", u->where,
                       error == EADDRINUSE ? "the port is taken by another program" : strerror(error));
    }
    describe(&a, u);
    if (!is_local(&a)) {
        sn_log(SN_LOG_WARNING, "%s: whoever reaches this machine can move the character", u->where);
    }
    return SN_OK;
}

void sn_udp_close(sn_udp *u)
{
    if (u->socket >= 0) {
        close(u->socket);
    }
    u->socket = -1;
}

/* Seconds since the system had the datagram; 0 where it does not say. */
static double age_of(struct msghdr *header)
{
#ifdef SO_TIMESTAMP
    for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_TIMESTAMP &&
            c->cmsg_len >= CMSG_LEN(sizeof(struct timeval))) {
            struct timeval then;
            struct timespec now;
            memcpy(&then, CMSG_DATA(c), sizeof then);
            clock_gettime(CLOCK_REALTIME, &now);
            const double age =
                (double)(now.tv_sec - then.tv_sec) + 1e-9 * (double)now.tv_nsec - 1e-6 * (double)then.tv_usec;
            return age > 0 && age < 60 ? age : 0;
        }
    }
#else
    (void)header;
#endif
    return 0;
}

int64_t sn_udp_receive(sn_udp *u, uint8_t *bytes, double *arrived)
{
    union {
        struct cmsghdr header;
        uint8_t room[128];
    } control;
    struct iovec part = {bytes, SN_UDP_SIZE_LIMIT};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t size;
    do {
        header.msg_control = arrived ? &control : NULL;
        header.msg_controllen = arrived ? sizeof control : 0;
        size = u->socket >= 0 ? recvmsg(u->socket, &header, MSG_DONTWAIT) : -1;
    } while (size < 0 && u->socket >= 0 && errno == EINTR);
    if (size >= 0 && arrived) {
        *arrived = sn_now() - age_of(&header);
    }
    return size;
}

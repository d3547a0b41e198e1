/* SPDX-License-Identifier: MIT */
#include "runtime/puppet/udp.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "host/platform/platform.h"
#include "runtime/puppet/address.h"

#define RECEIVE_BUFFER_SIZE (1 << 20) /* receive buffer, bytes */

static bool bind_to(sn_udp *u, sn_address *a, socklen_t size)
{
    const int buffer_size = RECEIVE_BUFFER_SIZE;
    u->socket = socket(a->any.sa_family, SOCK_DGRAM, 0);
    const int flags = u->socket >= 0 ? fcntl(u->socket, F_GETFL) : -1;
    if (flags < 0 || fcntl(u->socket, F_SETFL, flags | O_NONBLOCK) < 0 || fcntl(u->socket, F_SETFD, FD_CLOEXEC) < 0 ||
        !sn_address_bind(a, size, u->socket)) {
        return false;
    }
#ifdef SO_TIMESTAMP
    setsockopt(u->socket, SOL_SOCKET, SO_TIMESTAMP, &(const int){1}, sizeof(int));
#endif
    setsockopt(u->socket, SOL_SOCKET, SO_RCVBUF, &buffer_size, sizeof buffer_size); /* the system may grant less */
    return getsockname(u->socket, &a->any, &size) == 0;
}

sn_result sn_udp_open(const char *text, int default_port, sn_udp *u)
{
    sn_address a;
    socklen_t size = 0;
    *u = (sn_udp){.socket = -1};
    const sn_result result = sn_address_parse(text, default_port, &a, &size);
    if (result != SN_OK) {
        return result;
    }
    if (!bind_to(u, &a, size)) {
        const int cause = errno;
        sn_udp_close(u);
        return sn_address_fail(&a, cause);
    }
    sn_address_describe(&a, u->bound_address);
    u->port = sn_address_port(&a);
    sn_address_warn(&a);
    return SN_OK;
}

void sn_udp_close(sn_udp *u)
{
    if (u->socket >= 0) {
        close(u->socket);
    }
    u->socket = -1;
}

/* Seconds since the system received the datagram; 0 if unknown. */
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
        uint8_t buffer_size[128];
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

/* SPDX-License-Identifier: MIT */
/* Which versions of IP there are to test with. */
#ifndef SN_TESTS_SUPPORT_IP_H
#define SN_TESTS_SUPPORT_IP_H

#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

/* Whether this machine has a loopback of IPv6; a line says that what needs it is not tested. */
static inline bool sn_test_has_v6(void)
{
    const struct sockaddr_in6 place = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    const int file = socket(AF_INET6, SOCK_STREAM, 0);
    const bool is_bound = file >= 0 && bind(file, (const struct sockaddr *)&place, sizeof place) == 0;
    const bool is_absent = !is_bound && (errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL);
    if (file >= 0) {
        close(file);
    }
    if (is_absent) {
        puts("IPv6 is not tested: this machine has none");
    }
    return !is_absent;
}

#endif

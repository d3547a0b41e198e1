/* SPDX-License-Identifier: MIT */
/* A sender for trials: vmc_walk PORT SECONDS sends somebody who walks to that port of this machine, 60 times a second.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "tests/support/vmc_packets.h"

int main(int argument_count, char **arguments)
{
    const int port = argument_count == 3 ? atoi(arguments[1]) : 0;
    const int frames = argument_count == 3 ? (int)(60 * atof(arguments[2])) : 0;
    const struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int s = socket(AF_INET, SOCK_DGRAM, 0);
    if (port < 1 || port > 65535 || s < 0) {
        fprintf(stderr, "usage: vmc_walk PORT SECONDS\n");
        return 1;
    }
    for (int frame = 0; frame < frames; ++frame) {
        sn_test_packet packets[3];
        const int count = sn_test_walk(frame / 60., packets);
        for (int i = 0; i < count; ++i) { /* that nobody listens is no failure */
            sendto(s, packets[i].bytes, packets[i].size, 0, (const struct sockaddr *)&to, sizeof to);
        }
        nanosleep(&(const struct timespec){0, 16666667}, NULL);
    }
    return 0;
}

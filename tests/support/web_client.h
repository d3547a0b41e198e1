/* SPDX-License-Identifier: MIT */
/* A client of HTTP and WebSockets (RFC 6455), as plain as a test of a server wants it: it can send what no browser
 * does. Every wait ends after WAIT_SECONDS. */
#ifndef SN_TESTS_SUPPORT_WEB_CLIENT_H
#define SN_TESTS_SUPPORT_WEB_CLIENT_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define WAIT_SECONDS 5

enum {
    SN_TEST_CONTINUED = 0,
    SN_TEST_TEXT = 1,
    SN_TEST_BINARY = 2,
    SN_TEST_CLOSE = 8,
    SN_TEST_PING = 9,
    SN_TEST_PONG = 10
};

static inline int sn_test_connect_to(int family, const void *place, socklen_t size)
{
    const struct timeval limit = {.tv_sec = WAIT_SECONDS};
    const int file = socket(family, SOCK_STREAM, 0);
    setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (connect(file, place, size) != 0) {
        close(file);
        return -1;
    }
    return file;
}

/* To the loopback: a file descriptor; -1: refused. */
static inline int sn_test_connect(int port)
{
    const struct sockaddr_in place = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    return sn_test_connect_to(AF_INET, &place, sizeof place);
}

static inline int sn_test_connect_v6(int port)
{
    const struct sockaddr_in6 place = {
        .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    return sn_test_connect_to(AF_INET6, &place, sizeof place);
}

static inline bool sn_test_send(int file, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        const ssize_t sent = send(file, at, size, MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        at += sent;
        size -= (size_t)sent;
    }
    return true;
}

/* Up to the end of the headers, and nothing of what is behind; the status, -1: none. */
static inline int sn_test_read_head(int file, char *head, size_t room)
{
    size_t size = 0;
    while (size + 1 < room && recv(file, head + size, 1, 0) == 1) {
        ++size;
        if (size >= 4 && memcmp(head + size - 4, "\r\n\r\n", 4) == 0) {
            break;
        }
    }
    head[size] = 0;
    int status = -1;
    sscanf(head, "HTTP/1.%*d %d", &status);
    return status;
}

/* Asks for a WebSocket; protocol or origin may be null. The status that came: 101 is yes. */
static inline int sn_test_upgrade(int file, const char *protocol, const char *origin)
{
    char text[1024], head[4096];
    int size = snprintf(text, sizeof text,
                        "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
    if (protocol) {
        size += snprintf(text + size, sizeof text - (size_t)size, "Sec-WebSocket-Protocol: %s\r\n", protocol);
    }
    if (origin) {
        size += snprintf(text + size, sizeof text - (size_t)size, "Origin: %s\r\n", origin);
    }
    size += snprintf(text + size, sizeof text - (size_t)size, "\r\n");
    return sn_test_send(file, text, (size_t)size) ? sn_test_read_head(file, head, sizeof head) : -1;
}

/* A masked frame, as clients must; `size` is what its header says, of which `sent` bytes follow. */
static inline bool sn_test_send_part(int file, int opcode, bool is_final, const void *bytes, uint64_t size, size_t sent)
{
    unsigned char head[14] = {(unsigned char)((is_final ? 0x80 : 0) | opcode)};
    const unsigned char mask[4] = {1, 2, 3, 4};
    size_t at = 2;
    const int length_bytes = size < 126 ? 0 : size < 65536 ? 2 : 8;
    head[1] = (unsigned char)(0x80 | (length_bytes == 0 ? size : length_bytes == 2 ? 126 : 127));
    for (int i = length_bytes - 1; i >= 0; --i) {
        head[at++] = (unsigned char)(size >> 8 * i);
    }
    memcpy(head + at, mask, 4);
    unsigned char *masked = malloc(sent + 1);
    for (size_t i = 0; masked && i < sent; ++i) {
        masked[i] = ((const unsigned char *)bytes)[i] ^ mask[i % 4];
    }
    const bool is_sent = masked && sn_test_send(file, head, at + 4) && sn_test_send(file, masked, sent);
    free(masked);
    return is_sent;
}

static inline bool sn_test_send_frame(int file, int opcode, bool is_final, const void *bytes, size_t size)
{
    return sn_test_send_part(file, opcode, is_final, bytes, size, size);
}

static inline bool sn_test_send_text(int file, const char *text)
{
    return sn_test_send_frame(file, SN_TEST_TEXT, true, text, strlen(text));
}

/* The next frame's opcode, its payload (below 126 bytes) with a null behind it; -1: the connection is closed. */
static inline int sn_test_read_frame(int file, char payload[126])
{
    unsigned char head[2];
    if (recv(file, head, 2, MSG_WAITALL) != 2 || (head[1] & 0x7f) > 125) {
        return -1;
    }
    const size_t size = head[1] & 0x7f;
    if (recv(file, payload, size, MSG_WAITALL) != (ssize_t)size) {
        return -1;
    }
    payload[size] = 0;
    return head[0] & 0x0f;
}

/* The code of the server's close, its reason at payload + 2; 0: it has hung up without one. */
static inline int sn_test_read_close(int file, char payload[126])
{
    int opcode = sn_test_read_frame(file, payload);
    while (opcode >= 0 && opcode != SN_TEST_CLOSE) {
        opcode = sn_test_read_frame(file, payload);
    }
    return opcode == SN_TEST_CLOSE ? (unsigned char)payload[0] << 8 | (unsigned char)payload[1] : 0;
}

/* Whether the server answers, which it does after all that was sent before. */
static inline bool sn_test_ping(int file)
{
    char payload[126];
    return sn_test_send_frame(file, SN_TEST_PING, true, "ping", 4) &&
           sn_test_read_frame(file, payload) == SN_TEST_PONG && strcmp(payload, "ping") == 0;
}

#endif

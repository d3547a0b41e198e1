/* SPDX-License-Identifier: MIT */
/* A small server for one page: its files over HTTP, and messages of it over a WebSocket, on one port, by a thread of
 * its own. A web page is let in by its Origin, which browsers send and pages cannot change. */
#ifndef SN_RUNTIME_PUPPET_SOCKET_H
#define SN_RUNTIME_PUPPET_SOCKET_H

#include "host/base/base.h"

#define SN_SOCKET_PROTOCOL "sinew-landmarks" /* the WebSocket's subprotocol */
#define SN_SOCKET_CONNECTION_LIMIT 8
#define SN_SOCKET_REASON_SIZE 120 /* of a close, which has 125 bytes for it and its code */
#define SN_SOCKET_URL_SIZE 96

typedef struct sn_socket sn_socket;

typedef struct sn_socket_desc {
    const char *listen; /* as of sn_address_read; port 0 is any that is free */
    int default_port;
    const char *folder;            /* whose files are served; null: none */
    const char *certificate, *key; /* PEM files, for https and wss; both, or null: http and ws */
    const char *const *origins;    /* that are let in besides its own: see runtime/puppet/origins.h */
    int origin_count;              /* up to SN_ORIGIN_LIMIT */
    size_t message_limit;          /* bytes; who sends more is cut off */
    /* On the server's thread, for each whole text message. False cuts off who sent it, for `reason`. */
    bool (*receive)(void *user, const char *text, size_t size, char reason[SN_SOCKET_REASON_SIZE]);
    void *user;
} sn_socket_desc;

typedef struct sn_socket_counts {
    int64_t open;          /* connections now */
    int64_t connected;     /* ever */
    int64_t frames, bytes; /* of messages, as they came */
    int64_t foreign;       /* turned away for their Origin */
    int64_t crowded;       /* turned away beyond SN_SOCKET_CONNECTION_LIMIT */
    int64_t too_large, binary;
} sn_socket_counts;

/* Listens when it returns. Errors (one line): SN_ERROR_ARGUMENT (no address, no origin), SN_ERROR_FILE (the
 * port is taken, say), SN_ERROR_FORMAT (no certificate, a key of another one), SN_ERROR_MEMORY. */
sn_result sn_socket_open(const sn_socket_desc *desc, sn_socket **socket);
/* Ends the thread and all connections. Accepts null, and nulls it. */
void sn_socket_close(sn_socket **socket);
int sn_socket_port(const sn_socket *socket);
/* Where a browser finds it, here, and on another machine, which is empty where it listens for none, or none is known.
 */
void sn_socket_urls(const sn_socket *socket, char here[SN_SOCKET_URL_SIZE], char elsewhere[SN_SOCKET_URL_SIZE]);
/* From any thread. */
sn_socket_counts sn_socket_count(sn_socket *socket);

#endif

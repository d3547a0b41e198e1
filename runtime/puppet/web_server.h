/* SPDX-License-Identifier: MIT */
/* A small server for one page: its files over HTTP and its messages over a WebSocket, on one port, on a thread of its
 * own. A page is accepted by its Origin header, a request by its Host header (runtime/puppet/origins.h). Only regular
 * files inside of the folder are served, also where symbolic links lead. Of too many connections without a request, the
 * oldest are closed. */
#ifndef SN_RUNTIME_PUPPET_WEB_SERVER_H
#define SN_RUNTIME_PUPPET_WEB_SERVER_H

#include "host/base/base.h"

#define SN_WEB_SERVER_PROTOCOL "sinew-landmarks" /* WebSocket subprotocol */
#define SN_WEB_SERVER_CONNECTION_LIMIT 8         /* WebSockets */
#define SN_WEB_SERVER_REQUEST_LIMIT 32           /* other connections */
#define SN_WEB_SERVER_REASON_SIZE 120            /* of a close frame, which has 125 bytes for reason and code */
#define SN_WEB_SERVER_URL_SIZE 96

typedef struct sn_web_server sn_web_server;

typedef struct sn_web_server_desc {
    const char *listen; /* see sn_address_parse; port 0: any free port */
    int default_port;
    const char *folder;            /* of the files to serve; null: none */
    const char *certificate, *key; /* PEM files for https and wss; both null: http and ws */
    const char *const *origins;    /* accepted besides its own; see runtime/puppet/origins.h */
    int origin_count;              /* at most SN_ORIGIN_LIMIT */
    const char *const *hosts;      /* (host_count) names of this server besides its own; see sn_origins_add_hosts */
    int host_count;
    size_t message_limit; /* bytes; a larger message closes the connection */
    /* Called on the server's thread for each complete text message. False closes the connection with `reason`. */
    bool (*receive)(void *user, const char *text, size_t size, char reason[SN_WEB_SERVER_REASON_SIZE]);
    void *user;
} sn_web_server_desc;

typedef struct sn_web_server_counts {
    int64_t open;            /* currently open connections */
    int64_t connected;       /* all connections so far */
    int64_t frames, bytes;   /* received messages and their bytes */
    int64_t rejected_origin; /* rejected by Origin */
    int64_t rejected_host;   /* rejected by Host */
    int64_t dropped_idle;    /* closed because newer connections needed their places */
    int64_t rejected_full;   /* rejected beyond SN_WEB_SERVER_CONNECTION_LIMIT */
    int64_t too_large, binary;
} sn_web_server_counts;

/* Listens when it returns. Errors: SN_ERROR_ARGUMENT (invalid address or origin), SN_ERROR_FILE (the port is in use,
 * for example), SN_ERROR_FORMAT (no certificate, or a key of another one), SN_ERROR_MEMORY. */
sn_result sn_web_server_open(const sn_web_server_desc *desc, sn_web_server **socket);
/* Stops the thread and closes all connections. Accepts null. */
void sn_web_server_close(sn_web_server **socket);
int sn_web_server_port(const sn_web_server *socket);
/* URLs for browsers on this machine and on other machines; `remote_url` is empty if the server is not reachable, or its
 * address unknown. */
void sn_web_server_urls(const sn_web_server *socket, char local_url[SN_WEB_SERVER_URL_SIZE],
                        char remote_url[SN_WEB_SERVER_URL_SIZE]);
/* Thread-safe. */
sn_web_server_counts sn_web_server_get_counts(sn_web_server *socket);

#endif

/* SPDX-License-Identifier: MIT */
/* The source of moments that is a page in a browser: its server, its messages, its landmarks made rotations. */
#ifndef SN_RUNTIME_PUPPET_WEB_H
#define SN_RUNTIME_PUPPET_WEB_H

#include "runtime/puppet/socket.h"
#include "runtime/puppet/tracking.h"

#define SN_WEB_PORT 39540

typedef struct sn_web_desc {
    const char *address; /* "127.0.0.1" */
    int port;            /* 0: any that is free */
    const char *folder;  /* of the built page; null: messages alone, from a page elsewhere */
    const char *const *origins;
    int origin_count; /* see sn_socket_desc */
} sn_web_desc;

/* *source is one to poll, destroy and report as any other. Its messages are read on the server's thread, of which poll
 * takes the newest; between two polls, older ones go. Rotations are solved in poll. Errors as of sn_socket_open. */
sn_result sn_web_open(const sn_web_desc *desc, sn_tracking_source **source);
/* The port that it listens on. */
int sn_web_port(const sn_tracking_source *source);
/* Pages that are connected now. */
int sn_web_connected(sn_tracking_source *source);

#endif

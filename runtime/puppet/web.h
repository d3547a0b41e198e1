/* SPDX-License-Identifier: MIT */
/* Tracking source: a page in a browser. Serves the page, receives its landmark messages and solves for rotations. */
#ifndef SN_RUNTIME_PUPPET_WEB_H
#define SN_RUNTIME_PUPPET_WEB_H

#include "runtime/puppet/tracking.h"
#include "runtime/puppet/web_server.h"

#define SN_WEB_PORT 39540

typedef struct sn_web_desc {
    const char *listen;            /* see sn_address_parse; null: 127.0.0.1 and SN_WEB_PORT */
    const char *folder;            /* of the built page; null: only receive messages, from a page served elsewhere */
    const char *certificate, *key; /* see sn_web_server_desc */
    const char *const *origins;    /* (origin_count) see sn_web_server_desc */
    int origin_count;
    const char *const *hosts; /* (host_count) see sn_web_server_desc */
    int host_count;
    bool is_in_place; /* hips move only vertically */
} sn_web_desc;

/* Messages are parsed on the server's thread; poll takes the newest and solves for rotations. Errors: those of
 * sn_web_server_open. */
sn_result sn_web_source_create(const sn_web_desc *desc, sn_tracking_source **source);
int sn_web_source_port(const sn_tracking_source *source);
/* See sn_web_server_urls. */
void sn_web_source_urls(const sn_tracking_source *source, char local_url[SN_WEB_SERVER_URL_SIZE],
                        char remote_url[SN_WEB_SERVER_URL_SIZE]);

#endif

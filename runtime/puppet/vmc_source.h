/* SPDX-License-Identifier: MIT */
/* VMC over UDP as a source of moments. */
#ifndef SN_RUNTIME_PUPPET_VMC_SOURCE_H
#define SN_RUNTIME_PUPPET_VMC_SOURCE_H

#include "runtime/puppet/tracking.h"

#define SN_VMC_PORT 39539

/* What one poll takes at most: beyond, datagrams are dropped unread, so that what comes next is new. */
#define SN_VMC_PACKET_LIMIT 256
#define SN_VMC_BYTE_LIMIT (256 * 1024)

/* listen: see sn_udp_open. *where, if not null, is the address and port that it listens on, as long as the source
 * lives. Errors: those of sn_udp_open; SN_ERROR_MEMORY. */
sn_result sn_vmc_source_create(const char *listen, const char **where, sn_tracking_source **source);
/* That port. */
int sn_vmc_source_port(const sn_tracking_source *source);

#endif

/* SPDX-License-Identifier: MIT */
/* Tracking source: VMC over UDP. */
#ifndef SN_RUNTIME_PUPPET_VMC_SOURCE_H
#define SN_RUNTIME_PUPPET_VMC_SOURCE_H

#include "runtime/puppet/tracking.h"

#define SN_VMC_PORT 39539

/* Maximum input of one poll. Further datagrams are dropped unread, so that the next poll starts with recent data. */
#define SN_VMC_PACKET_LIMIT 256
#define SN_VMC_BYTE_LIMIT (256 * 1024)

/* `listen`: see sn_udp_open. *bound_address (may be null): the bound address, valid while the source lives. Errors:
 * those of sn_udp_open; SN_ERROR_MEMORY. */
sn_result sn_vmc_source_create(const char *listen, const char **bound_address, sn_tracking_source **source);
/* The bound port. */
int sn_vmc_source_port(const sn_tracking_source *source);

#endif

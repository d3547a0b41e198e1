/* SPDX-License-Identifier: MIT */
#include "runtime/puppet/vmc_source.h"

#include "host/base/base.h"
#include "host/platform/platform.h"
#include "runtime/puppet/udp.h"
#include "runtime/puppet/vmc.h"

#define FLOOD_LIMIT 2048 /* datagrams that a poll discards unread */

typedef struct vmc_source {
    sn_tracking_source face;
    sn_udp udp;
    sn_vmc vmc;
    int64_t packet_count, byte_count, flooded_count;
    double read_seconds;
    uint8_t bytes[SN_UDP_SIZE_LIMIT];
} vmc_source;

/* False: no more datagrams. */
static bool receive(vmc_source *s, double *arrived, int64_t *bytes)
{
    const int64_t size = sn_udp_receive(&s->udp, s->bytes, arrived);
    if (size < 0) {
        return false;
    }
    ++s->packet_count;
    s->byte_count += size;
    *bytes += size;
    return true;
}

static bool poll_source(sn_tracking_source *source, sn_tracking *tracking_frame)
{
    vmc_source *s = (vmc_source *)source;
    const double start = sn_now();
    double arrived = start;
    int64_t bytes = 0, previous = 0;
    int count = 0;
    bool is_more = true;
    while (count < SN_VMC_PACKET_LIMIT && bytes < SN_VMC_BYTE_LIMIT && (is_more = receive(s, &arrived, &bytes))) {
        sn_vmc_read(&s->vmc, s->bytes, (size_t)(bytes - previous), arrived);
        previous = bytes;
        ++count;
    }
    for (int k = 0; k < FLOOD_LIMIT && is_more && (is_more = receive(s, NULL, &bytes)); ++k) {
        ++s->flooded_count;
    }
    sn_vmc_flush(&s->vmc, start);
    const bool has_frame = s->vmc.has_frame;
    if (has_frame) {
        *tracking_frame = s->vmc.tracking_frame;
        s->vmc.has_frame = false;
    }
    s->read_seconds += count > 0 ? sn_now() - start : 0;
    return has_frame;
}

static void report(const sn_tracking_source *source, sn_tracking_report *r)
{
    const vmc_source *s = (const vmc_source *)source;
    const sn_vmc *v = &s->vmc;
    *r = (sn_tracking_report){
        .packet_count = s->packet_count,
        .byte_count = s->byte_count,
        .message_count = v->osc.message_count,
        .tracking_frame_count = v->tracking_frame_count,
        .read_seconds = s->read_seconds,
        .drops = {{"flood", s->flooded_count},
                  {"malformed", v->osc.malformed_count},
                  {"nested", v->osc.nested_count},
                  {"address", v->unknown_count},
                  {"arguments", v->mismatched_count},
                  {"bone", v->unknown_bone_count},
                  {"name", v->bad_name_count},
                  {"number", v->bad_number_count}},
    };
}

static void destroy(sn_tracking_source *source)
{
    vmc_source *s = (vmc_source *)source;
    sn_udp_close(&s->udp);
    sn_free(s, 1, sizeof *s);
}

sn_result sn_vmc_source_create(const char *listen, const char **bound_address, sn_tracking_source **source)
{
    vmc_source *s = sn_alloc(1, sizeof *s);
    *source = NULL;
    if (!s) {
        return SN_ERROR_MEMORY;
    }
    s->face = (sn_tracking_source){.name = "vmc", .poll = poll_source, .report = report, .destroy = destroy};
    sn_vmc_init(&s->vmc);
    const sn_result result = sn_udp_open(listen, SN_VMC_PORT, &s->udp);
    if (result != SN_OK) {
        destroy(&s->face);
        return result;
    }
    if (bound_address) {
        *bound_address = s->udp.bound_address;
    }
    *source = &s->face;
    return SN_OK;
}

int sn_vmc_source_port(const sn_tracking_source *source)
{
    return ((const vmc_source *)source)->udp.port;
}

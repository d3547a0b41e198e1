/* SPDX-License-Identifier: MIT */
#include "tools/play/headset.h"

#include "compute/core/open.h"
#include "runtime/frontends/xr/xr_player.h"

struct sn_headset {
    sn_xr *xr;
};

sn_result sn_headset_open(sn_gpu_device_desc *desc, sn_headset **headset)
{
    sn_headset *h = sn_alloc(1, sizeof *h);
    *headset = h;
    if (!h) {
        return SN_ERROR_MEMORY;
    }
    const sn_result result = sn_xr_open(&h->xr);
    if (result != SN_OK) {
        sn_headset_close(headset);
        return result;
    }
    desc->factory = sn_xr_gpu_device_factory(h->xr);
    return SN_OK;
}

sn_result sn_headset_start(sn_headset *headset, sn_gpu_device *device, int size[2])
{
    const sn_result result = sn_xr_start(headset->xr, device);
    sn_xr_size(headset->xr, size);
    return result;
}

sn_result sn_headset_play(sn_headset *headset, sn_playable *playable, double height, int frames,
                          sn_player_report *report)
{
    const sn_xr_player_desc desc = {.xr = headset->xr, .playable = playable, .height = height, .frame_limit = frames};
    return sn_xr_player_run(&desc, report);
}

void sn_headset_stop(sn_headset *headset)
{
    if (headset) {
        sn_xr_stop(headset->xr);
    }
}

void sn_headset_close(sn_headset **headset)
{
    sn_headset *h = *headset;
    *headset = NULL;
    if (h) {
        sn_xr_close(&h->xr);
        sn_free(h, 1, sizeof *h);
    }
}
